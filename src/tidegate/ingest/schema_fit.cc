#include "tidegate/ingest/schema_fit.h"

#include <algorithm>
#include <set>

#include "tidegate/base/text.h"

namespace tidegate::ingest {
namespace {

using contract::TableMode;
using schema::Field;
using schema::Kind;
using schema::Schema;
using schema::Type;

bool IsConstant(const std::string& name) {
  for (const TableMode mode : {TableMode::kFull, TableMode::kParts}) {
    const auto names = PartitionColumns(mode);
    if (std::find(names.begin(), names.end(), name) != names.end()) return true;
  }
  return false;
}

/// Two columns, of one file or of file and table, whose names differ only in case; empty where there are none.
std::string CaseConflict(const std::vector<Field>& table, const std::vector<Field>& file) {
  std::map<std::string, std::string> seen;
  for (const Field& field : table) seen.emplace(ToLower(field.name), field.name);
  std::set<std::string> in_file;
  for (const Field& field : file) {
    const auto [it, fresh] = seen.emplace(ToLower(field.name), field.name);
    if (!in_file.insert(ToLower(field.name)).second || it->second != field.name) {
      return "columns " + Quoted(it->second) + " and " + Quoted(field.name) + " differ only in the case of letters";
    }
  }
  return "";
}

Type Widened(const Type& table, const Type& file);

/// Struct children by name: the table's, widened, then the file's new ones.
std::vector<Field> WidenedChildren(const std::vector<Field>& table, const std::vector<Field>& file) {
  std::vector<Field> out = table;
  for (const Field& field : file) {
    const auto it = std::find_if(out.begin(), out.end(), [&](const Field& f) { return f.name == field.name; });
    if (it == out.end())
      out.push_back(field);
    else
      it->type = Widened(it->type, field.type);
  }
  return out;
}

/// The type that holds both. Requires: one can be promoted to the other.
Type Widened(const Type& table, const Type& file) {
  if (table.kind == Kind::kStruct) {
    Type out = table;
    out.children = WidenedChildren(table.children, file.children);
    return out;
  }
  if (table.kind == Kind::kList || table.kind == Kind::kMap) {
    Type out = table;
    for (size_t i = 0; i < out.children.size() && i < file.children.size(); ++i) {
      out.children[i].type = Widened(table.children[i].type, file.children[i].type);
    }
    return out;
  }
  return schema::CanPromote(table, file) ? file : table;
}

bool Compatible(const Type& a, const Type& b) { return schema::CanPromote(a, b) || schema::CanPromote(b, a); }

/// Carries the ids of `from` over to `to` where names and shapes meet.
void CopyIds(const Type& from, Type& to) {
  if (from.kind != to.kind) return;
  for (size_t i = 0; i < to.children.size(); ++i) {
    const auto match = [&](const Field& f) { return f.name == to.children[i].name; };
    const bool by_place = to.kind != Kind::kStruct;
    const auto it = by_place && i < from.children.size()
                        ? from.children.begin() + static_cast<std::ptrdiff_t>(i)
                        : std::find_if(from.children.begin(), from.children.end(), match);
    if (it == from.children.end()) continue;
    to.children[i].id = it->id;
    CopyIds(it->type, to.children[i].type);
  }
}

void ClearIds(Type& type) {
  for (Field& child : type.children) {
    child.id = 0;
    ClearIds(child.type);
  }
}

table::NameMapping MappingOf(const Field& field) {
  table::NameMapping out{field.id, {field.name}, {}};
  for (const Field& child : field.type.children) out.children.push_back(MappingOf(child));
  return out;
}

void AddLeaves(const std::vector<Field>& fields, const std::string& prefix, std::map<std::string, const Field*>& out) {
  for (const Field& field : fields) {
    const std::string path = prefix + field.name;
    if (field.type.kind == Kind::kStruct)
      AddLeaves(field.type.children, path + ".", out);
    else if (!field.type.is_nested())
      out[path] = &field;
  }
}

}  // namespace

std::vector<std::string> PartitionColumns(TableMode mode) {
  if (mode == TableMode::kFull) return {"contract_version", "snapshot_date", "snapshot_hour"};
  return {"contract_version", "etl_date", "etl_hour"};
}

std::vector<std::optional<std::string>> PartitionValues(const contract::Delivery& delivery) {
  std::optional<std::string> hour;
  if (!delivery.hour.empty()) hour = delivery.hour;
  return {std::string(contract::VersionName(delivery.version)), delivery.date, hour};
}

std::vector<std::string> ReservedColumns(const std::vector<Field>& columns, TableMode mode) {
  const auto reserved = PartitionColumns(mode);
  std::vector<std::string> out;
  for (const Field& field : columns) {
    if (std::find(reserved.begin(), reserved.end(), ToLower(field.name)) != reserved.end()) out.push_back(field.name);
  }
  return out;
}

Schema InitialSchema(TableMode mode) {
  Schema out;
  for (const std::string& name : PartitionColumns(mode)) {
    Field field;
    field.name = name;
    field.type = Kind::kString;
    out.fields.push_back(field);
  }
  schema::AssignIds(out, 0);
  return out;
}

Result<Schema> Grow(const Schema& current, const std::vector<Field>& file_columns, int* last_id, std::string* reason) {
  if (const std::string conflict = CaseConflict(current.fields, file_columns); !conflict.empty()) {
    *reason = "column_case";
    return InvalidArgument(conflict);
  }
  Schema out = current;
  for (const Field& column : file_columns) {
    const auto it =
        std::find_if(out.fields.begin(), out.fields.end(), [&](const Field& f) { return f.name == column.name; });
    if (it == out.fields.end()) {
      const auto constants =
          std::find_if(out.fields.begin(), out.fields.end(), [](const Field& f) { return IsConstant(f.name); });
      Field added = column;
      added.required = false;  // rows of other files have no value
      out.fields.insert(constants, std::move(added));
      continue;
    }
    if (!Compatible(it->type, column.type)) {
      *reason = "type";
      return InvalidArgument("column " + Quoted(column.name) + " is " + schema::TypeName(it->type) +
                             " in the table and " + schema::TypeName(column.type) + " in the file");
    }
    it->type = Widened(it->type, column.type);
  }
  *last_id = schema::AssignIds(out, *last_id);
  return out;
}

std::map<std::string, Field> TakeAs(const Schema& table, const std::vector<Field>& file_columns) {
  std::map<std::string, Field> out;
  const auto named = [](const std::vector<Field>& fields, const std::string& name) {
    return std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
  };
  for (const Field& column : file_columns) {
    const auto same = [&](const Field& f) { return ToLower(f.name) == ToLower(column.name); };
    auto target = named(table.fields, column.name);
    if (target == table.fields.end()) target = std::find_if(table.fields.begin(), table.fields.end(), same);
    if (target == table.fields.end() || IsConstant(target->name)) continue;
    const bool renamed = target->name != column.name;
    const bool taken = renamed && std::count_if(file_columns.begin(), file_columns.end(), same) > 1;
    if (taken) continue;  // two columns of the file answer to one of the table
    const bool fits = Compatible(target->type, column.type);
    if (fits && !renamed) continue;
    out[column.name] = {0, target->name, fits ? column.type : target->type, false};
  }
  return out;
}

Schema Adapt(const Schema& current, const Schema& copy, int* last_id) {
  Schema out = copy;
  for (Field& field : out.fields) {
    field.id = 0;
    ClearIds(field.type);
    const Field* before = current.Find(field.name);
    if (before == nullptr || !schema::CanPromote(before->type, field.type)) continue;
    field.id = before->id;
    CopyIds(before->type, field.type);
  }
  *last_id = schema::AssignIds(out, *last_id);
  return out;
}

std::vector<table::NameMapping> MappingOf(const Schema& schema, const std::vector<table::NameMapping>& earlier) {
  std::vector<table::NameMapping> out;
  std::set<std::string> names;
  for (const Field& field : schema.fields) {
    out.push_back(MappingOf(field));
    names.insert(field.name);
  }
  for (const table::NameMapping& entry : earlier) {
    const bool taken =
        std::any_of(entry.names.begin(), entry.names.end(), [&](const auto& n) { return names.count(n) > 0; });
    if (!taken) out.push_back(entry);
  }
  return out;
}

std::map<std::string, const Field*> LeavesByPath(const Schema& schema) {
  std::map<std::string, const Field*> out;
  AddLeaves(schema.fields, "", out);
  return out;
}

}  // namespace tidegate::ingest
