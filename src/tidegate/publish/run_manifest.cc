#include "tidegate/publish/run_manifest.h"

#include "tidegate/base/json.h"
#include "tidegate/base/text.h"

namespace tidegate::publish {
namespace {

constexpr int64_t kFormat = 1;

OrderedJson FilesJson(const std::vector<RunFile>& files) {
  OrderedJson out = OrderedJson::array();
  for (const RunFile& file : files) {
    out.push_back(OrderedJson{{"name", file.name}, {"bytes", file.bytes}, {"rows", file.rows}});
  }
  return out;
}

OrderedJson ColumnsJson(const std::vector<catalog::HiveColumn>& columns) {
  OrderedJson out = OrderedJson::array();
  for (const auto& column : columns) out.push_back(OrderedJson{{"name", column.name}, {"type", column.type}});
  return out;
}

OrderedJson AuditsJson(const std::vector<AuditResult>& audits) {
  OrderedJson out = OrderedJson::array();
  for (const AuditResult& one : audits) {
    out.push_back(OrderedJson{{"audit", one.audit}, {"result", one.result}, {"passed", one.passed}});
  }
  return out;
}

/// The elements of a list of objects, each read by `read`.
template <typename T, typename Read>
Status ReadObjects(const Json& from, const char* key, Read read, std::vector<T>& out) {
  const auto list = from.find(key);
  if (list == from.end() || !list->is_array()) return Corruption("no list " + Quoted(key));
  for (const Json& element : *list) {
    if (!element.is_object()) return Corruption("an element of " + Quoted(key) + " is no object");
    TG_ASSIGN_OR_RETURN(T one, read(element));
    out.push_back(std::move(one));
  }
  return {};
}

Result<RunFile> ReadFile(const Json& json) {
  RunFile out;
  TG_ASSIGN_OR_RETURN(out.name, RequireText(json, "name"));
  TG_ASSIGN_OR_RETURN(const int64_t bytes, RequireInteger(json, "bytes"));
  TG_ASSIGN_OR_RETURN(out.rows, RequireInteger(json, "rows"));
  if (bytes < 0 || out.rows < 0 || out.name.empty() || out.name.find('/') != std::string::npos) {
    return Corruption("not a file of a run: " + Quoted(out.name));
  }
  out.bytes = static_cast<uint64_t>(bytes);
  return out;
}

Result<catalog::HiveColumn> ReadColumn(const Json& json) {
  catalog::HiveColumn out;
  TG_ASSIGN_OR_RETURN(out.name, RequireText(json, "name"));
  TG_ASSIGN_OR_RETURN(out.type, RequireText(json, "type"));
  return out;
}

Result<AuditResult> ReadAudit(const Json& json) {
  AuditResult out;
  TG_ASSIGN_OR_RETURN(out.audit, RequireText(json, "audit"));
  TG_ASSIGN_OR_RETURN(out.result, RequireText(json, "result"));
  const auto passed = json.find("passed");
  out.passed = passed != json.end() && passed->is_boolean() && passed->get<bool>();
  return out;
}

Status ReadTable(const Json& json, catalog::HiveName& out) {
  TG_ASSIGN_OR_RETURN(const std::string name, RequireText(json, "table"));
  const size_t dot = name.find('.');
  if (dot == std::string::npos) return Corruption("not the name of a table: " + Quoted(name));
  out = {name.substr(0, dot), name.substr(dot + 1)};
  return {};
}

}  // namespace

OrderedJson JsonOfPartitionValues(const catalog::PartitionValues& values) {
  OrderedJson out = OrderedJson::array();
  for (const auto& value : values) out.push_back(value ? OrderedJson(*value) : OrderedJson(nullptr));
  return out;
}

Result<catalog::PartitionValues> PartitionValuesOfJson(const Json& json) {
  if (!json.is_array()) return Corruption("the values of a partition are no list");
  catalog::PartitionValues out;
  out.reserve(json.size());
  for (const Json& value : json) {
    if (!value.is_null() && !value.is_string()) return Corruption("a partition value is neither text nor null");
    out.push_back(value.is_null() ? std::nullopt : std::optional(value.get<std::string>()));
  }
  return out;
}

int64_t RunManifest::rows() const {
  int64_t sum = 0;
  for (const RunFile& file : files) sum += file.rows;
  return sum;
}

uint64_t RunManifest::bytes() const {
  uint64_t sum = 0;
  for (const RunFile& file : files) sum += file.bytes;
  return sum;
}

std::string WriteRunManifest(const RunManifest& manifest) {
  OrderedJson out{{"format", kFormat},
                  {"table", manifest.table.ToString()},
                  {"partition", JsonOfPartitionValues(manifest.partition)},
                  {"run", manifest.run},
                  {"created", FormatRfc3339(manifest.created)},
                  {"files", FilesJson(manifest.files)},
                  {"rows", manifest.rows()},
                  {"bytes", manifest.bytes()},
                  {"columns", ColumnsJson(manifest.columns)},
                  {"signature", manifest.signature},
                  {"previous", manifest.previous},
                  {"lease", manifest.lease},
                  {"audits", AuditsJson(manifest.audits)},
                  {"tool", manifest.tool}};
  if (!manifest.why.empty()) out["why"] = manifest.why;
  return DumpJson(out) + "\n";
}

Result<RunManifest> ReadRunManifest(std::string_view text) {
  TG_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (!json.is_object()) return Corruption("not a JSON object");
  TG_ASSIGN_OR_RETURN(const int64_t format, RequireInteger(json, "format"));
  if (format != kFormat) {
    return Unsupported("format " + std::to_string(format) +
                       " of a run: a newer tidegate wrote it (docs/formats/partition-runs.md); install that version");
  }
  RunManifest out;
  TG_RETURN_IF_ERROR(ReadTable(json, out.table));
  const auto partition = json.find("partition");
  if (partition == json.end()) return Corruption("no list 'partition'");
  TG_ASSIGN_OR_RETURN(out.partition, PartitionValuesOfJson(*partition));
  TG_ASSIGN_OR_RETURN(out.run, RequireText(json, "run"));
  if (!IsRunId(out.run)) return Corruption("not the id of a run: " + Quoted(out.run));
  TG_ASSIGN_OR_RETURN(const std::string created, RequireText(json, "created"));
  TG_ASSIGN_OR_RETURN(out.created, ParseRfc3339(created));
  TG_RETURN_IF_ERROR(ReadObjects(json, "files", ReadFile, out.files));
  TG_RETURN_IF_ERROR(ReadObjects(json, "columns", ReadColumn, out.columns));
  TG_RETURN_IF_ERROR(ReadObjects(json, "audits", ReadAudit, out.audits));
  TG_ASSIGN_OR_RETURN(out.lease, RequireInteger(json, "lease"));
  out.signature = TextOr(json, "signature");
  out.previous = TextOr(json, "previous");
  out.tool = TextOr(json, "tool");
  out.why = TextOr(json, "why");
  return out;
}

}  // namespace tidegate::publish
