#include "tidegate/catalog/athena/athena_catalog.h"

#include "tidegate/base/text.h"
#include "tidegate/catalog/athena/alter_table.h"

namespace tidegate::catalog {

Status AthenaCatalog::Run(const std::string& statement, const HiveName& name) {
  return client_->Run(statement, "a change of table " + Quoted(name.ToString())).status();
}

Status AthenaCatalog::CreateTable(const HiveTable& table) {
  const auto there = glue_->GetTable(table.name);
  if (there.ok()) return AlreadyExists("there is a table " + Quoted(table.name.ToString()) + " in " + Describe());
  if (there.status().code() != Code::kNotFound) return there.status();
  TG_ASSIGN_OR_RETURN(const std::string statement, CreateTableStatement(table));
  return Run(statement, table.name);
}

Status AthenaCatalog::DropTable(const HiveName& name) {
  TG_RETURN_IF_ERROR(glue_->GetTable(name).status());
  TG_ASSIGN_OR_RETURN(const std::string statement, DropTableStatement(name));
  return Run(statement, name);
}

Result<std::vector<Status>> AthenaCatalog::AddPartitions(const HiveName& name,
                                                         const std::vector<HivePartition>& partitions) {
  TG_ASSIGN_OR_RETURN(const HiveTable table, glue_->GetTable(name));
  std::vector<Status> out(partitions.size());
  std::vector<std::string> clauses;
  std::vector<size_t> which;
  for (size_t i = 0; i < partitions.size(); ++i) {
    auto clause = AddClause(table, partitions[i]);
    out[i] = clause.status();
    if (!clause.ok()) continue;
    clauses.push_back(*std::move(clause));
    which.push_back(i);
  }
  TG_ASSIGN_OR_RETURN(const auto statements, AddStatements(name, clauses, athena::kMaxStatementBytes));
  size_t next = 0;
  for (const auto& [statement, count] : statements) {
    const Status ran = Run(statement, name);
    for (const size_t end = next + count; next < end; ++next) out[which[next]] = ran;
  }
  // The statement passes over partitions that are there.
  for (const size_t i : which) {
    if (!out[i].ok()) continue;
    const auto now = glue_->GetPartition(name, partitions[i].values);
    out[i] = now.status();
    if (!now.ok() || now->location == partitions[i].location) continue;
    out[i] = AlreadyExists("table " + Quoted(name.ToString()) + " has this partition already, at " +
                           Quoted(now->location, 1200));
  }
  return out;
}

Status AthenaCatalog::SetLocation(const HiveTable& table, const HivePartition& partition) {
  TG_ASSIGN_OR_RETURN(const std::string statement, SetLocationStatement(table, partition));
  TG_ASSIGN_OR_RETURN(const HivePartition seen, glue_->GetPartition(table.name, partition.values));
  if (seen.version != partition.version) {
    return PreconditionFailed("a partition of table " + Quoted(table.name.ToString()) +
                              " was changed by another program meanwhile; it points to " + Quoted(seen.location, 1200));
  }
  return Run(statement, table.name);
}

Result<std::vector<Status>> AthenaCatalog::UpdatePartitions(const HiveName& name,
                                                            const std::vector<HivePartition>& partitions) {
  TG_ASSIGN_OR_RETURN(HiveTable table, glue_->GetTable(name));
  std::vector<Status> out;
  out.reserve(partitions.size());
  for (const HivePartition& partition : partitions) out.push_back(SetLocation(table, partition));
  return out;
}

Status AthenaCatalog::DropPartition(const HiveName& name, const PartitionValues& values) {
  TG_ASSIGN_OR_RETURN(const HiveTable table, glue_->GetTable(name));
  TG_ASSIGN_OR_RETURN(const std::string statement, DropPartitionStatement(table, values));
  TG_RETURN_IF_ERROR(glue_->GetPartition(name, values).status());
  return Run(statement, name);
}

}  // namespace tidegate::catalog
