#include "tidegate/ingest/open_points.h"

#include <algorithm>

#include "tidegate/base/text.h"

namespace tidegate::ingest {
namespace {

constexpr int64_t kFormat = 1;
constexpr uint64_t kMaxBytes = 4'000'000;

OrderedJson ToJson(const OpenPoint& point) {
  OrderedJson out{{"kind", point.held   ? "held"
                           : point.cold ? "cold"
                                        : "gap"},
                  {"folder", point.folder.Path()},
                  {"fingerprint", point.fingerprint}};
  AddDetails(point, out);
  return out;
}

Result<OpenPoint> ParsePoint(const Json& json) {
  if (!json.is_object()) return Corruption("a point that is not an object");
  OpenPoint out;
  TG_ASSIGN_OR_RETURN(const std::string kind, RequireText(json, "kind"));
  out.held = kind == "held";
  out.cold = kind == "cold";
  if (!out.held && !out.cold && kind != "gap") return Corruption("a kind is gap, held or cold, not " + Quoted(kind));
  TG_ASSIGN_OR_RETURN(const std::string folder, RequireText(json, "folder"));
  TG_ASSIGN_OR_RETURN(out.folder, contract::ParseFolder(folder));
  TG_ASSIGN_OR_RETURN(out.fingerprint, RequireText(json, "fingerprint"));
  if (out.held) {
    TG_ASSIGN_OR_RETURN(out.rows_before, RequireInteger(json, "rows_before"));
    TG_ASSIGN_OR_RETURN(out.rows_now, RequireInteger(json, "rows_now"));
  } else if (out.cold) {
    TG_ASSIGN_OR_RETURN(out.reason, RequireText(json, "reason"));
    TG_ASSIGN_OR_RETURN(out.objects, RequireInteger(json, "objects"));
    TG_ASSIGN_OR_RETURN(out.bytes, RequireInteger(json, "bytes"));
  } else {
    TG_ASSIGN_OR_RETURN(out.reason, RequireText(json, "reason"));
    TG_ASSIGN_OR_RETURN(out.message, RequireText(json, "message"));
  }
  TG_ASSIGN_OR_RETURN(const std::string since, RequireText(json, "since"));
  TG_ASSIGN_OR_RETURN(out.since, ParseRfc3339(since));
  return out;
}

}  // namespace

std::string OpenPointsKey(const contract::TableName& table) {
  return std::string(kOpenPointsRoot) + table.schema + "/" + table.table + std::string(kOpenPointsEnding);
}

void AddDetails(const OpenPoint& point, OrderedJson& out) {
  if (point.held) {
    out["rows_before"] = point.rows_before;
    out["rows_now"] = point.rows_now;
  } else if (point.cold) {
    out["reason"] = point.reason;
    out["objects"] = point.objects;
    out["bytes"] = point.bytes;
  } else {
    out["reason"] = point.reason;
    out["message"] = point.message;
  }
  out["since"] = FormatRfc3339(point.since);
}

std::string WriteOpenPoints(const OpenPoints& points) {
  OrderedJson list = OrderedJson::array();
  for (const OpenPoint& point : points) list.push_back(ToJson(point));
  return DumpJson(OrderedJson{{"format", kFormat}, {"points", std::move(list)}}) + "\n";
}

Result<OpenPoints> ParseOpenPoints(std::string_view text) {
  TG_ASSIGN_OR_RETURN(const Json document, ParseJson(text));
  TG_RETURN_IF_ERROR(RequireFormat(document, kFormat));
  const auto points = document.find("points");
  if (points == document.end() || !points->is_array()) return Corruption("no list \"points\"");
  OpenPoints out;
  for (const Json& json : *points) {
    TG_ASSIGN_OR_RETURN(OpenPoint point, ParsePoint(json));
    out.push_back(std::move(point));
  }
  return out;
}

OpenPoints KeepSince(OpenPoints found, const OpenPoints& before) {
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.folder.delivery < b.folder.delivery; });
  for (OpenPoint& point : found) {
    const auto same = std::find_if(before.begin(), before.end(), [&](const OpenPoint& old) {
      return old.folder == point.folder && old.fingerprint == point.fingerprint && old.held == point.held &&
             old.cold == point.cold && (point.cold || old.reason == point.reason);
    });
    if (same != before.end()) point.since = std::min(point.since, same->since);
  }
  return found;
}

Result<OpenPoints> LoadOpenPoints(store::ObjectStore& lake, const contract::TableName& table) {
  const std::string key = OpenPointsKey(table);
  const auto text = lake.Read(key, kMaxBytes);
  if (text.status().code() == Code::kNotFound) return OpenPoints();
  if (!text.ok()) return text.status();
  auto points = ParseOpenPoints(*text);
  if (!points.ok()) return points.status().WithContext("what is open, " + Quoted(key));
  return points;
}

Status NoteOpenPoints(store::ObjectStore& lake, const contract::TableName& table, bool had_any, OpenPoints found) {
  if (!had_any && found.empty()) return {};
  const std::string key = OpenPointsKey(table);
  if (found.empty()) return lake.Delete({key});
  OpenPoints before;
  if (had_any) {
    if (auto loaded = LoadOpenPoints(lake, table); loaded.ok()) before = *std::move(loaded);
  }
  OpenPoints now = KeepSince(std::move(found), before);
  if (now == before) return {};
  return lake.Put(key, WriteOpenPoints(now), store::PutMode::kOverwrite).status();
}

}  // namespace tidegate::ingest
