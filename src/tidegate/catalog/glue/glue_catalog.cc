#include "tidegate/catalog/glue/glue_catalog.h"

#include <algorithm>
#include <map>

#include "tidegate/base/text.h"
#include "tidegate/catalog/glue/glue_json.h"
#include "tidegate/catalog/partition_batches.h"
#include "tidegate/catalog/partition_path.h"

namespace tidegate::catalog {
namespace {

constexpr size_t kWriteAtOnce = 100, kReadAtOnce = 1000;

std::string About(const HiveName& name) { return "table " + Quoted(name.ToString()); }

OrderedJson TableRequest(const HiveName& name) {
  return OrderedJson{{"DatabaseName", name.database}, {"TableName", name.table}};
}

/// What the errors of single entries say of `which`; a missing list means that all went well.
void TakeEntryErrors(const Json& answer, const char* values_field, const std::string& about,
                     const std::vector<HivePartition>& partitions, const std::vector<size_t>& which,
                     std::vector<Status>& out) {
  const auto errors = answer.find("Errors");
  if (errors == answer.end() || !errors->is_array()) return;
  for (const Json& error : *errors) {
    const PartitionValues values = error.is_object() ? ReadGlueValues(error, values_field) : PartitionValues();
    const auto detail = error.is_object() ? error.find("ErrorDetail") : error.end();
    const bool told = error.is_object() && detail != error.end() && detail->is_object();
    const std::string code = told ? TextOr(*detail, "ErrorCode") : "";
    const Status status(CodeOfGlueError(code), "Glue, a partition of " + about + ": " + Quoted(code) + ": " +
                                                   Quoted(told ? TextOr(*detail, "ErrorMessage") : "", 500));
    for (const size_t i : which) {
      // An error that names nobody may be anybody's.
      if (values.empty() || partitions[i].values == values) out[i] = status;
    }
  }
}

/// The partitions of an answer by their values, each with how Glue wrote it. Requires: the answer outlives the result.
std::map<PartitionValues, std::pair<const Json*, HivePartition>> ReadAll(const std::vector<Json>& answer) {
  std::map<PartitionValues, std::pair<const Json*, HivePartition>> out;
  for (const Json& raw : answer) {
    auto partition = ReadGluePartition(raw);
    if (!partition.ok()) continue;
    PartitionValues values = partition->values;
    out.insert_or_assign(std::move(values), std::pair(&raw, *std::move(partition)));
  }
  return out;
}

}  // namespace

Status GlueCatalog::CreateTable(const HiveTable& table) {
  OrderedJson request{{"DatabaseName", table.name.database}, {"TableInput", GlueTableInput(table)}};
  Status made = client_.Call("CreateTable", std::move(request), About(table.name)).status();
  if (made.code() != Code::kNotFound) return made;
  return NotFound("there is no database " + Quoted(table.name.database) + " in " + Describe() +
                  ": create it (aws glue create-database), then run again");
}

Result<Json> GlueCatalog::GetRawTable(const HiveName& name) {
  TG_ASSIGN_OR_RETURN(const Json answer,
                      client_.Call("GetTable", {{"DatabaseName", name.database}, {"Name", name.table}}, About(name)));
  const auto table = answer.find("Table");
  if (table == answer.end() || !table->is_object()) return Corruption("Glue tells nothing of " + About(name));
  return *table;
}

Result<HiveTable> GlueCatalog::GetTable(const HiveName& name) {
  TG_ASSIGN_OR_RETURN(const Json raw, GetRawTable(name));
  TG_ASSIGN_OR_RETURN(HiveTable out, ReadGlueTable(raw));
  out.name = name;
  return out;
}

Result<std::vector<HiveName>> GlueCatalog::ListTables() {
  std::vector<HiveName> out;
  TG_ASSIGN_OR_RETURN(const auto databases,
                      client_.CallAllPages("GetDatabases", OrderedJson::object(), "DatabaseList", "all databases"));
  for (const Json& database : databases) {
    const std::string name = TextOr(database, "Name");
    TG_ASSIGN_OR_RETURN(const auto tables, client_.CallAllPages("GetTables", {{"DatabaseName", name}}, "TableList",
                                                                "database " + Quoted(name)));
    for (const Json& table : tables) out.push_back({name, TextOr(table, "Name")});
  }
  std::sort(out.begin(), out.end());
  return out;
}

Status GlueCatalog::DropTable(const HiveName& name) {
  return client_.Call("DeleteTable", {{"DatabaseName", name.database}, {"Name", name.table}}, About(name)).status();
}

Result<HivePartition> GlueCatalog::GetPartition(const HiveName& name, const PartitionValues& values) {
  OrderedJson request = TableRequest(name);
  request["PartitionValues"] = GlueValues(values);
  TG_ASSIGN_OR_RETURN(const Json answer,
                      client_.Call("GetPartition", std::move(request), "a partition of " + About(name)));
  const auto partition = answer.find("Partition");
  if (partition == answer.end() || !partition->is_object())
    return Corruption("Glue tells nothing of a partition of " + About(name));
  return ReadGluePartition(*partition);
}

Result<std::vector<HivePartition>> GlueCatalog::ListPartitions(const HiveName& name) {
  TG_ASSIGN_OR_RETURN(const HiveTable table, GetTable(name));
  TG_ASSIGN_OR_RETURN(const auto raw,
                      client_.CallAllPages("GetPartitions", TableRequest(name), "Partitions", About(name)));
  std::map<std::string, HivePartition> in_order;
  for (const Json& one : raw) {
    TG_ASSIGN_OR_RETURN(HivePartition partition, ReadGluePartition(one));
    const auto path = PartitionPath(table.partition_columns, partition.values);
    in_order[path.ok() ? *path : DumpJson(GlueValues(partition.values))] = std::move(partition);
  }
  std::vector<HivePartition> out;
  out.reserve(in_order.size());
  for (auto& [path, partition] : in_order) out.push_back(std::move(partition));
  return out;
}

Status GlueCatalog::AddSome(const HiveName& name, const Json& table, const std::vector<HivePartition>& partitions,
                            const std::vector<size_t>& which, std::vector<Status>& out) {
  OrderedJson inputs = OrderedJson::array();
  for (const size_t i : which) inputs.push_back(GluePartitionInput(table, partitions[i]));
  OrderedJson request = TableRequest(name);
  request["PartitionInputList"] = std::move(inputs);
  TG_ASSIGN_OR_RETURN(const Json answer, client_.Call("BatchCreatePartition", std::move(request), About(name)));
  TakeEntryErrors(answer, "PartitionValues", About(name), partitions, which, out);
  return {};
}

Result<std::vector<Status>> GlueCatalog::AddPartitions(const HiveName& name,
                                                       const std::vector<HivePartition>& partitions) {
  std::vector<Status> out(partitions.size());
  TG_ASSIGN_OR_RETURN(const Json raw, GetRawTable(name));
  TG_ASSIGN_OR_RETURN(const HiveTable table, ReadGlueTable(raw));
  for (const auto& piece : Pieces(Holdable(table.partition_columns, partitions, out), kWriteAtOnce)) {
    TG_RETURN_IF_ERROR(AddSome(name, raw, partitions, piece, out));
  }
  return out;
}

Result<std::vector<Json>> GlueCatalog::GetSome(const HiveName& name, OrderedJson wanted) {
  std::vector<Json> out;
  while (true) {
    OrderedJson request = TableRequest(name);
    request["PartitionsToGet"] = std::move(wanted);
    TG_ASSIGN_OR_RETURN(const Json answer, client_.Call("BatchGetPartition", std::move(request), About(name)));
    const size_t before = out.size();
    const auto list = answer.find("Partitions");
    if (list != answer.end() && list->is_array()) out.insert(out.end(), list->begin(), list->end());
    const auto left = answer.find("UnprocessedKeys");  // where they are large, Glue answers some at a time
    if (left == answer.end() || !left->is_array() || left->empty()) return out;
    if (out.size() == before)
      return Unavailable("Glue does not answer for partitions of " + About(name) + ": run again");
    wanted = OrderedJson(*left);
  }
}

Status GlueCatalog::UpdateSome(const HiveName& name, const std::vector<HivePartition>& partitions,
                               const std::vector<size_t>& which, std::vector<Status>& out) {
  OrderedJson wanted = OrderedJson::array();
  for (const size_t i : which) wanted.push_back(OrderedJson{{"Values", GlueValues(partitions[i].values)}});
  TG_ASSIGN_OR_RETURN(const std::vector<Json> now, GetSome(name, std::move(wanted)));
  const auto there = ReadAll(now);
  OrderedJson entries = OrderedJson::array();
  std::vector<size_t> sent;
  for (const size_t i : which) {
    const auto found = there.find(partitions[i].values);
    if (found == there.end()) {
      out[i] = NotFound(About(name) + " has no such partition in " + Describe());
      continue;
    }
    const auto& [raw, seen] = found->second;
    if (seen.version != partitions[i].version) {
      out[i] =
          PreconditionFailed("a partition of " + About(name) +
                             " was changed by another program meanwhile; it points to " + Quoted(seen.location, 1200));
      continue;
    }
    entries.push_back(OrderedJson{{"PartitionValueList", GlueValues(partitions[i].values)},
                                  {"PartitionInput", GluePartitionInput(*raw, partitions[i])}});
    sent.push_back(i);
  }
  if (entries.empty()) return {};
  OrderedJson request = TableRequest(name);
  request["Entries"] = std::move(entries);
  TG_ASSIGN_OR_RETURN(const Json answer, client_.Call("BatchUpdatePartition", std::move(request), About(name)));
  TakeEntryErrors(answer, "PartitionValueList", About(name), partitions, sent, out);
  return {};
}

Result<std::vector<Status>> GlueCatalog::UpdatePartitions(const HiveName& name,
                                                          const std::vector<HivePartition>& partitions) {
  std::vector<Status> out(partitions.size());
  TG_ASSIGN_OR_RETURN(const HiveTable table, GetTable(name));
  static_assert(kWriteAtOnce <= kReadAtOnce);
  for (const auto& piece : Pieces(Holdable(table.partition_columns, partitions, out), kWriteAtOnce)) {
    TG_RETURN_IF_ERROR(UpdateSome(name, partitions, piece, out));
  }
  return out;
}

Status GlueCatalog::DropPartition(const HiveName& name, const PartitionValues& values) {
  OrderedJson request = TableRequest(name);
  request["PartitionValues"] = GlueValues(values);
  return client_.Call("DeletePartition", std::move(request), "a partition of " + About(name)).status();
}

}  // namespace tidegate::catalog
