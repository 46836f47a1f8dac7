#include "tidegate/deliver/state.h"

#include <utility>

#include "tidegate/base/json.h"
#include "tidegate/base/text.h"

namespace tidegate::deliver {
namespace {

Status Wrong(std::string_view field, std::string_view what) {
  return Corruption("field '" + std::string(field) + "' " + std::string(what));
}

Result<std::string> TextField(const Json& json, const char* field) {
  const auto found = json.find(field);
  if (found == json.end()) return Wrong(field, "is missing");
  if (!found->is_string()) return Wrong(field, "is not text");
  return found->get<std::string>();
}

Status CheckVersion(const Json& json) {
  const auto found = json.find("format_version");
  if (found == json.end() || !found->is_number_unsigned()) return Wrong("format_version", "is not a number");
  const auto version = found->get<uint64_t>();
  if (version == kStateFormatVersion) return Status::Ok();
  if (version == 0) return Wrong("format_version", "is 0");
  return Unsupported("written by a later version of tidegate: upgrade; format_version " + std::to_string(version));
}

Result<contract::Folder> FolderField(const Json& json, const contract::TableName& table) {
  TG_ASSIGN_OR_RETURN(const std::string text, TextField(json, "folder"));
  auto folder = contract::ParseFolder(text);
  if (!folder.ok()) return Wrong("folder", "is not a folder of the contract: " + Quoted(text));
  if (folder->table != table) return Wrong("folder", "is of another table: " + Quoted(text));
  if (folder->mode != contract::TableMode::kParts) return Wrong("folder", "is of a full table: " + Quoted(text));
  return folder;
}

Result<UtcTime> TimeOf(const char* field, const std::string& text) {
  auto time = ParseRfc3339(text);
  if (!time.ok()) return Wrong(field, "is not a time: " + Quoted(text));
  return time;
}

Result<Window> WindowFields(const Json& json) {
  Window window;
  TG_ASSIGN_OR_RETURN(const std::string through, TextField(json, "through"));
  TG_ASSIGN_OR_RETURN(window.through, TimeOf("through", through));
  const auto from = json.find("from");
  if (from == json.end()) return Wrong("from", "is missing (null stands for the beginning)");
  if (from->is_null()) return window;
  TG_ASSIGN_OR_RETURN(const std::string text, TextField(json, "from"));
  TG_ASSIGN_OR_RETURN(window.from, TimeOf("from", text));
  if (*window.from > window.through) return Wrong("from", "is later than 'through'");
  return window;
}

Result<std::optional<contract::Delivery>> ReseedField(const Json& json) {
  const auto found = json.find("reseed_from");
  if (found == json.end() || found->is_null()) return std::optional<contract::Delivery>();
  TG_ASSIGN_OR_RETURN(const std::string text, TextField(json, "reseed_from"));
  auto delivery = contract::ParseDelivery(text);
  if (!delivery.ok()) return Wrong("reseed_from", "is not a delivery: " + Quoted(text));
  return std::optional<contract::Delivery>(*delivery);
}

}  // namespace

Result<State> ParseState(const contract::TableName& table, std::string_view text) {
  TG_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (!json.is_object()) return Corruption("not a JSON object");
  TG_RETURN_IF_ERROR(CheckVersion(json));
  State state;
  TG_ASSIGN_OR_RETURN(state.folder, FolderField(json, table));
  TG_ASSIGN_OR_RETURN(state.window, WindowFields(json));
  TG_ASSIGN_OR_RETURN(state.reseed_from, ReseedField(json));
  return state;
}

std::string WriteState(const State& state) {
  OrderedJson json;
  json["format_version"] = kStateFormatVersion;
  json["folder"] = state.folder.Path();
  json["from"] = state.window.from ? OrderedJson(FormatRfc3339(*state.window.from)) : OrderedJson(nullptr);
  json["through"] = FormatRfc3339(state.window.through);
  if (state.reseed_from) json["reseed_from"] = state.reseed_from->ToString();
  return json.dump(2) + "\n";
}

}  // namespace tidegate::deliver
