#include "tidegate/publish/partition_plan.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "tidegate/base/text.h"
#include "tidegate/base/time.h"
#include "tidegate/catalog/location.h"
#include "tidegate/publish/layout.h"
#include "tidegate/publish/ports.h"

namespace tidegate::publish {
namespace {

Status CheckKind(const catalog::HiveTable& table, const std::string& name) {
  using catalog::TableKind;
  if (table.kind == TableKind::kView) return Unsupported(name + " is a view: publish the table below it");
  if (table.kind == TableKind::kIceberg) {
    return Unsupported(name +
                       " is an Iceberg table, which has snapshots of its own: use `tidegate ingest` or its engine");
  }
  if (table.kind != TableKind::kExternal) {
    return Unsupported(name +
                       " is a managed table, whose files belong to its engine: make it external (EXTERNAL_TABLE)");
  }
  if (table.format != catalog::FileFormat::kParquet) return Unsupported(name + " does not hold Parquet files");
  const auto projection = table.parameters.find("projection.enabled");
  if (projection != table.parameters.end() && ToLower(projection->second) == "true") {
    return Unsupported(name +
                       " uses partition projection, which computes locations and passes over SET LOCATION: turn "
                       "projection.enabled off and add its partitions to the catalog");
  }
  return {};
}

std::string NamesOf(const std::vector<catalog::HiveColumn>& columns) {
  std::vector<std::string> out;
  out.reserve(columns.size());
  for (const catalog::HiveColumn& column : columns) out.push_back(column.name);
  return Join(out, ", ");
}

std::string BaseType(const std::string& type) { return ToLower(type.substr(0, type.find('('))); }

bool IsWholeNumberType(const std::string& base) {
  return base == "tinyint" || base == "smallint" || base == "int" || base == "integer" || base == "bigint";
}

bool IsSpelledWell(const std::string& base, const std::string& value) {
  if (base == "date") return IsDate(value);
  if (base == "boolean") return value == "true" || value == "false";
  if (!IsWholeNumberType(base)) return true;
  int64_t number = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
  return read.ec == std::errc() && read.ptr == value.data() + value.size() && std::to_string(number) == value;
}

}  // namespace

bool IsPartitionType(const std::string& type) {
  constexpr std::array<std::string_view, 5> kOthers = {"string", "date", "boolean", "timestamp", "decimal"};
  const std::string base = BaseType(type);
  const size_t open = type.find('(');
  const std::string inside = open == std::string::npos ? "" : type.substr(open);
  const bool digits_alone = inside.find_first_not_of("0123456789,() ") == std::string::npos;
  if (base == "varchar" || base == "char") return digits_alone && inside.size() > 2 && inside.back() == ')';
  if (base == "decimal" && !inside.empty()) return digits_alone && inside.size() > 2 && inside.back() == ')';
  return inside.empty() &&
         (IsWholeNumberType(base) || std::find(kOthers.begin(), kOthers.end(), base) != kOthers.end());
}

Status CheckSpelling(const Definition& definition, const catalog::PartitionValues& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const catalog::HiveColumn& column = definition.partition_columns[i];
    const std::string base = BaseType(column.type);
    if (!values[i] || IsSpelledWell(base, *values[i])) continue;
    const std::string as = base == "date" ? "2026-11-01" : base == "boolean" ? "true" : "7";
    return InvalidArgument("not a value of the partition column " + Quoted(column.name) + ", " + column.type + ": " +
                           Quoted(*values[i], 200) + ": write it as " + as);
  }
  return {};
}

PlanStep StepFor(const KnownContent& known, const std::string& signature, bool force) {
  if (force || signature.empty()) return PlanStep::kBuild;
  if (known.signature == signature) return PlanStep::kUnchanged;
  if (known.rejected == signature) return PlanStep::kRejected;
  return PlanStep::kBuild;
}

Result<PartitionPlan> PlanPartition(const PartitionFacts& facts) {
  PartitionPlan out{.signature = facts.signature};
  std::optional<std::string> current;
  if (facts.partition) {
    out.current = facts.partition->location;
    current = catalog::FolderOf(facts.root_url, out.current);
    if (!current) {
      return PreconditionFailed("the partition " + Quoted(facts.partition_path) + " points to " +
                                Quoted(out.current, 1200) + ", outside of " + Quoted(facts.root_url, 1200) +
                                ": another program keeps it there; point it below the table's location first");
    }
  }
  out.step = StepFor(facts.known, facts.signature, facts.force);
  out.run = NewRunId(facts.now, facts.random, facts.newest_run);
  out.folder = RunFolder(facts.partition_path, out.run, false);
  out.aside = current && Covers(*current, out.folder);
  if (out.aside) out.folder = RunFolder(facts.partition_path, out.run, true);
  return out;
}

Status CheckTable(const Definition& definition, const catalog::HiveTable& table, const std::string& root_url) {
  const std::string name = "table " + Quoted(table.name.ToString());
  TG_RETURN_IF_ERROR(CheckKind(table, name));
  if (NamesOf(table.partition_columns) != NamesOf(definition.partition_columns)) {
    return PreconditionFailed(name + " is partitioned by (" + NamesOf(table.partition_columns) +
                              "), the settings say (" + NamesOf(definition.partition_columns) + "): make them agree");
  }
  if (catalog::FolderOf(root_url, table.location) != "") {
    return PreconditionFailed(name + " lies at " + Quoted(table.location, 1200) + ", the settings say " +
                              Quoted(root_url, 1200) + ": make them agree");
  }
  return {};
}

Status CheckSelected(const Definition& definition, const std::vector<std::string>& columns) {
  for (const catalog::HiveColumn& partition : definition.partition_columns) {
    for (const std::string& column : columns) {
      if (ToLower(column) != ToLower(partition.name)) continue;
      return InvalidArgument("the SELECT of " + Quoted(definition.table.ToString()) + " has the partition column " +
                             Quoted(column) + ", whose value comes from the catalog: leave it out of the SELECT");
    }
  }
  return {};
}

std::string Describe(const PartitionPlan& plan, const std::string& partition_path) {
  switch (plan.step) {
    case PlanStep::kUnchanged:
      return partition_path + ": nothing to do, the same content is there\n";
    case PlanStep::kRejected:
      return partition_path + ": nothing to do, a rollback turned this content away; --force publishes it\n";
    case PlanStep::kBuild:
      break;
  }
  std::string out = partition_path + ": build " + plan.folder + "/, then point the partition to it\n";
  if (plan.aside) {
    out +=
        "  it lies outside of the partition's own folder, whose readers would see the build; the next ones will not\n";
  }
  if (plan.signature.empty()) {
    out +=
        "  its engine computes rows only while it writes them: a build with the content that is there is removed "
        "again\n";
  }
  return out + "  now: " + (plan.current.empty() ? "no such partition" : plan.current) + "\n";
}

}  // namespace tidegate::publish
