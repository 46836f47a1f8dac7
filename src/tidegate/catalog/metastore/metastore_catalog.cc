#include "tidegate/catalog/metastore/metastore_catalog.h"

#include <algorithm>

#include "tidegate/base/text.h"
#include "tidegate/catalog/metastore/metastore_records.h"
#include "tidegate/catalog/partition_batches.h"

namespace tidegate::catalog {
namespace {

using enum MetastoreFault;

// The exceptions that each call declares, by their numbers.
constexpr MetastoreCall kGetTable{"get_table_req", false, {kMeta, kNoSuchObject}};
constexpr MetastoreCall kGetTableBefore{"get_table", false, {kMeta, kNoSuchObject}};  // gone from 4.0
constexpr MetastoreCall kGetDatabase{"get_database", false, {kNoSuchObject, kMeta}};
constexpr MetastoreCall kDatabases{"get_all_databases", false, {kMeta}};
constexpr MetastoreCall kTables{"get_all_tables", false, {kMeta}};
constexpr MetastoreCall kCreateTable{"create_table", true, {kAlreadyExists, kInvalidObject, kMeta, kNoSuchObject}};
constexpr MetastoreCall kDropTable{"drop_table", true, {kNoSuchObject, kMeta}};
constexpr MetastoreCall kGetPartition{"get_partition", false, {kMeta, kNoSuchObject}};
constexpr MetastoreCall kNames{"get_partition_names", false, {kNoSuchObject, kMeta}};
constexpr MetastoreCall kByNames{"get_partitions_by_names", false, {kMeta, kNoSuchObject, kInvalidObject}};
constexpr MetastoreCall kAdd{"add_partitions", true, {kInvalidObject, kAlreadyExists, kMeta}};
constexpr MetastoreCall kAlter{"alter_partitions_with_environment_context", true, {kInvalidOperation, kMeta}};
constexpr MetastoreCall kAlterBefore{"alter_partitions", true, {kInvalidOperation, kMeta}};
constexpr MetastoreCall kDropPartition{"drop_partition", true, {kNoSuchObject, kMeta}};

constexpr size_t kReadAtOnce = 500;         // partitions
constexpr size_t kColumnsAtOnce = 100'000;  // of all that are read at once
constexpr size_t kWriteAtOnce = 100;
constexpr int kTries = 3;  // where the answer is lost

std::string About(const HiveName& name) { return "table " + Quoted(name.ToString()); }

std::string AboutPartition(const HiveName& name) { return "a partition of " + About(name); }

ThriftValue Arguments(std::vector<ThriftValue> values) {
  ThriftValue out;
  for (size_t i = 0; i < values.size(); ++i) out.Set(static_cast<int16_t>(i + 1), std::move(values[i]));
  return out;
}

ThriftValue Text(std::string_view text) { return ThriftValue::String(text); }

/// The metastore said no to what it was asked, or failed over it: with less in the call it may say yes.
bool IsAnswer(const Status& status) {
  return status.code() == Code::kInvalidArgument || status.code() == Code::kAlreadyExists ||
         status.code() == Code::kNotFound || status.code() == Code::kUnavailable;
}

/// Databases behind metastores are often set up for fewer letters.
Status WithHint(const Status& status, const PartitionValues& values) {
  const bool foreign = std::any_of(values.begin(), values.end(), [](const auto& value) {
    return value && std::any_of(value->begin(), value->end(), [](char c) { return (c & 0x80) != 0; });
  });
  if (!foreign || status.code() != Code::kUnavailable) return status;
  return InvalidArgument(status.message() +
                         "; a partition value has letters outside of ASCII, which the metastore's database may not be "
                         "set up for");
}

/// Is it the same table that was to be made?
bool IsSameTable(const HiveTable& a, const HiveTable& b) {
  return a.kind == b.kind && a.columns == b.columns && a.partition_columns == b.partition_columns &&
         WithSchemeOf(a.location, b.location) == b.location;
}

}  // namespace

std::string MetastoreCatalog::Describe() const {
  return "the Hive Metastore at " + client_.settings().host + ":" + std::to_string(client_.settings().port);
}

Status MetastoreCatalog::CreateTable(const HiveTable& table) {
  Status made;
  for (int tries = 0; tries < kTries; ++tries) {
    made = client_.Call(kCreateTable, Arguments({NewMetastoreTable(table)}), About(table.name)).status();
    if (made.code() != Code::kUnknownOutcome) break;
    const auto there = GetTable(table.name);
    if (there.ok() && IsSameTable(*there, table)) return {};
    if (there.ok()) return AlreadyExists(About(table.name) + " was made by another program meanwhile");
    if (there.status().code() != Code::kNotFound) return made;
  }
  if (made.code() != Code::kNotFound && made.code() != Code::kInvalidArgument) return made;
  const std::string& database = table.name.database;
  const Status there = client_.Call(kGetDatabase, Arguments({Text(database)}), Quoted(database)).status();
  if (there.code() != Code::kNotFound) return made;
  return NotFound("there is no database " + Quoted(database) + " in " + Describe() +
                  ": create it (CREATE DATABASE in Spark, Trino or Hive), then run again");
}

Result<ThriftValue> MetastoreCatalog::GetRawTable(const HiveName& name) {
  ThriftValue request = Arguments({Text(name.database), Text(name.table)});
  auto answer = client_.Call(kGetTable, Arguments({request}), About(name));
  if (answer.ok()) return answer->StructAt(1);
  if (answer.status().code() != Code::kUnsupported || !client_.is_connected()) return answer.status();
  return client_.Call(kGetTableBefore, request, About(name));
}

Result<HiveTable> MetastoreCatalog::GetTable(const HiveName& name) {
  TG_ASSIGN_OR_RETURN(const ThriftValue raw, GetRawTable(name));
  auto out = ReadMetastoreTable(raw);
  if (!out.ok()) return out.status().WithContext(Describe() + ", " + About(name));
  out->name = name;
  return out;
}

Result<std::vector<HiveName>> MetastoreCatalog::ListTables() {
  std::vector<HiveName> out;
  TG_ASSIGN_OR_RETURN(const ThriftValue databases, client_.Call(kDatabases, {}, "all databases"));
  for (const ThriftValue& database : databases.items) {
    const std::string about = "database " + Quoted(database.text);
    const auto tables = client_.Call(kTables, Arguments({Text(database.text)}), about);
    if (!tables.ok()) return tables.status();
    for (const ThriftValue& table : tables->items) out.push_back({database.text, table.text});
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// After a lost answer it may be gone by our own hand.
Status MetastoreCatalog::Drop(const MetastoreCall& call, const ThriftValue& arguments, const std::string& about) {
  Status done = client_.Call(call, arguments, about).status();
  for (int tries = 1; tries < kTries && done.code() == Code::kUnknownOutcome; ++tries) {
    done = client_.Call(call, arguments, about).status();
    if (done.code() == Code::kNotFound) return {};
  }
  return done;
}

Status MetastoreCatalog::DropTable(const HiveName& name) {
  const ThriftValue delete_data = ThriftValue::Bool(false);
  return Drop(kDropTable, Arguments({Text(name.database), Text(name.table), delete_data}), About(name));
}

Status MetastoreCatalog::DropPartition(const HiveName& name, const PartitionValues& values) {
  const ThriftValue delete_data = ThriftValue::Bool(false), texts = ThriftValue::Strings(MetastoreValues(values));
  return Drop(kDropPartition, Arguments({Text(name.database), Text(name.table), texts, delete_data}),
              AboutPartition(name));
}

Result<HivePartition> MetastoreCatalog::GetPartition(const HiveName& name, const PartitionValues& values) {
  const ThriftValue texts = ThriftValue::Strings(MetastoreValues(values));
  TG_ASSIGN_OR_RETURN(
      const ThriftValue raw,
      client_.Call(kGetPartition, Arguments({Text(name.database), Text(name.table), texts}), AboutPartition(name)));
  auto out = ReadMetastorePartition(raw);
  if (!out.ok()) return out.status().WithContext(Describe() + ", " + AboutPartition(name));
  if (out->values == values) return out;
  return Unsupported(Describe() + " gives another partition of " + About(name) + " than was asked for, " +
                     Quoted(Join(MetastoreValues(out->values), "/")) + " for " +
                     Quoted(Join(MetastoreValues(values), "/")) +
                     ": its database takes these values for the same (its collation or character set)");
}

Result<MetastoreCatalog::SeenByValues> MetastoreCatalog::ReadNamed(const HiveName& name,
                                                                   const std::vector<std::string>& names) {
  SeenByValues out;
  TG_ASSIGN_OR_RETURN(
      ThriftValue answer,
      client_.Call(kByNames, Arguments({Text(name.database), Text(name.table), ThriftValue::Strings(names)}),
                   "partitions of " + About(name)));
  for (ThriftValue& raw : answer.items) {
    auto partition = ReadMetastorePartition(raw);
    if (!partition.ok()) return partition.status().WithContext(Describe() + ", " + About(name));
    PartitionValues values = partition->values;
    out[std::move(values)] = {std::move(raw), *std::move(partition)};
  }
  return out;
}

Result<std::vector<HivePartition>> MetastoreCatalog::ListPartitions(const HiveName& name) {
  TG_ASSIGN_OR_RETURN(const HiveTable table, GetTable(name));
  const ThriftValue all = ThriftValue::I16(-1);
  TG_ASSIGN_OR_RETURN(const ThriftValue names,
                      client_.Call(kNames, Arguments({Text(name.database), Text(name.table), all}), About(name)));
  const size_t at_once = std::clamp<size_t>(kColumnsAtOnce / (table.columns.size() + 1), 1, kReadAtOnce);
  std::map<std::string, HivePartition> in_order;
  for (size_t at = 0; at < names.items.size(); at += at_once) {
    std::vector<std::string> some;
    for (size_t i = at; i < std::min(names.items.size(), at + at_once); ++i) some.push_back(names.items[i].text);
    TG_ASSIGN_OR_RETURN(SeenByValues seen, ReadNamed(name, some));
    for (auto& [values, one] : seen) {
      const auto path = MetastorePartitionName(table.partition_columns, values);
      in_order[path.ok() ? *path : Join(MetastoreValues(values), "/")] = std::move(one.partition);
    }
  }
  std::vector<HivePartition> out;
  out.reserve(in_order.size());
  for (auto& [path, partition] : in_order) out.push_back(std::move(partition));
  return out;
}

Result<MetastoreCatalog::SeenByValues> MetastoreCatalog::ReadSome(const Batch& batch,
                                                                  const std::vector<size_t>& which) {
  std::vector<std::string> names;
  names.reserve(which.size());
  for (const size_t i : which) {
    TG_ASSIGN_OR_RETURN(std::string one, MetastorePartitionName(batch.columns, batch.partitions[i].values));
    names.push_back(std::move(one));
  }
  return ReadNamed(batch.name, names);
}

Result<std::vector<Status>> MetastoreCatalog::ChangeAll(const HiveName& name,
                                                        const std::vector<HivePartition>& partitions, Change change) {
  std::vector<Status> out(partitions.size());
  TG_ASSIGN_OR_RETURN(const ThriftValue raw, GetRawTable(name));
  TG_ASSIGN_OR_RETURN(const HiveTable table, ReadMetastoreTable(raw));
  const Batch batch{name, raw, table.partition_columns, partitions, out};
  for (const auto& piece : Pieces(Holdable(table.partition_columns, partitions, out), kWriteAtOnce)) {
    TG_RETURN_IF_ERROR((this->*change)(batch, piece));
  }
  return out;
}

/// What becomes of partitions whose change failed together.
Status MetastoreCatalog::EachAlone(const Batch& batch, const std::vector<size_t>& which, const Status& together,
                                   Change change) {
  if (!client_.is_connected() || !IsAnswer(together)) return together;
  if (which.size() == 1) {
    batch.out[which[0]] = WithHint(together, batch.partitions[which[0]].values);
    return {};
  }
  for (const size_t i : which) {
    TG_RETURN_IF_ERROR((this->*change)(batch, {i}));
  }
  return {};
}

Status MetastoreCatalog::AddSome(const Batch& batch, const std::vector<size_t>& which) {
  std::vector<size_t> left = which;
  Status done;
  for (int tries = 0; tries < kTries; ++tries) {
    ThriftValue added = ThriftValue::List(ThriftType::kStruct);
    for (const size_t i : left) added.items.push_back(NewMetastorePartition(batch.table, batch.partitions[i]));
    done = client_.Call(kAdd, Arguments({std::move(added)}), "partitions of " + About(batch.name)).status();
    if (done.ok()) return {};
    if (done.code() != Code::kUnknownOutcome) return EachAlone(batch, left, done, &MetastoreCatalog::AddSome);
    const auto now = ReadSome(batch, left);
    if (!now.ok()) return done;
    std::erase_if(left, [&](size_t i) {
      const auto found = now->find(batch.partitions[i].values);
      if (found == now->end()) return false;
      if (!HoldsChange(found->second.partition, batch.partitions[i]))
        batch.out[i] = AlreadyExists(AboutPartition(batch.name) + " was made by another program meanwhile");
      return true;
    });
    if (left.empty()) return {};
  }
  return done;
}

Result<std::vector<Status>> MetastoreCatalog::AddPartitions(const HiveName& name,
                                                            const std::vector<HivePartition>& partitions) {
  return ChangeAll(name, partitions, &MetastoreCatalog::AddSome);
}

Status MetastoreCatalog::Alter(const HiveName& name, ThriftValue changes) {
  // Without it the metastore would list the new folder for each partition; the statistics that it would write are left
  // out instead.
  ThriftValue context;
  context.Set(1, ThriftValue::StringMap({{"DO_NOT_UPDATE_STATS", "true"}}));
  ThriftValue arguments = Arguments({Text(name.database), Text(name.table), std::move(changes), std::move(context)});
  Status done = client_.Call(kAlter, arguments, "partitions of " + About(name)).status();
  if (done.code() != Code::kUnsupported || !client_.is_connected()) return done;
  arguments.ids.pop_back();
  arguments.items.pop_back();
  return client_.Call(kAlterBefore, arguments, "partitions of " + About(name)).status();
}

Status MetastoreCatalog::UpdateSome(const Batch& batch, const std::vector<size_t>& which) {
  std::vector<size_t> left = which;
  Status done;
  for (int tries = 0; tries < kTries; ++tries) {
    auto now = ReadSome(batch, left);
    if (!now.ok()) return done.ok() ? now.status() : done;
    ThriftValue changes = ThriftValue::List(ThriftType::kStruct);
    std::erase_if(left, [&](size_t i) {
      const HivePartition& wanted = batch.partitions[i];
      const auto found = now->find(wanted.values);
      if (found == now->end()) {
        batch.out[i] = NotFound(About(batch.name) + " has no such partition in " + Describe());
        return true;
      }
      const HivePartition& seen = found->second.partition;
      if (!done.ok() && HoldsChange(seen, wanted)) return true;  // the change whose answer was lost
      if (seen.version != wanted.version) {
        batch.out[i] =
            PreconditionFailed(AboutPartition(batch.name) + " was changed by another program meanwhile; it points to " +
                               Quoted(seen.location, 1200));
        return true;
      }
      changes.items.push_back(ChangedMetastorePartition(std::move(found->second.raw), wanted));
      return false;
    });
    if (left.empty()) return {};
    done = Alter(batch.name, std::move(changes));
    if (done.ok()) return {};
    if (done.code() != Code::kUnknownOutcome) return EachAlone(batch, left, done, &MetastoreCatalog::UpdateSome);
  }
  return done;
}

Result<std::vector<Status>> MetastoreCatalog::UpdatePartitions(const HiveName& name,
                                                               const std::vector<HivePartition>& partitions) {
  return ChangeAll(name, partitions, &MetastoreCatalog::UpdateSome);
}

}  // namespace tidegate::catalog
