#include "tidegate/app/settings.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "tidegate/app/memory.h"
#include "tidegate/app/open_store.h"
#include "tidegate/app/publish_settings.h"
#include "tidegate/app/time_text.h"
#include "tidegate/app/toml_values.h"
#include "tidegate/base/text.h"
#include "tidegate/contract/toml_document.h"

namespace tidegate::app {
namespace {

constexpr const char* kDefaultFile = "tidegate.toml";

Result<std::string> ReadFile(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return NotFound("cannot read the settings file " + Quoted(path) + ": " + error.message());
  if (size > contract::kMaxTomlBytes) return InvalidArgument("the settings file is larger than 4 MB: " + Quoted(path));
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return NotFound("cannot read the settings file " + Quoted(path));
  return text.str();
}

Status ReadShrinkGuard(const toml::table& section, const std::string& where, ingest::ShrinkGuard* out) {
  constexpr int kMost = std::numeric_limits<int>::max();
  std::optional<int> rows, share_rows;
  TG_RETURN_IF_ERROR(ReadInt(section, "shrink_guard_rows", where, 0, kMost, &rows));
  TG_RETURN_IF_ERROR(ReadInt(section, "shrink_guard_share_rows", where, 0, kMost, &share_rows));
  out->zero_from_more_than = rows.value_or(out->zero_from_more_than);
  out->share_from = share_rows.value_or(out->share_from);
  std::optional<double> share;
  TG_RETURN_IF_ERROR(
      ReadShare(section, "shrink_guard_share", where, 1, "a number from 0 to 1, the part that may go at once", &share));
  out->share = share.value_or(out->share);
  return {};
}

Status ReadLake(const toml::table& root, const std::string& source, Settings& out) {
  TG_ASSIGN_OR_RETURN(const toml::table* lake, FindSection(root, "lake", source));
  if (lake == nullptr) return {};
  const std::string where = source + " [lake]";
  TG_RETURN_IF_ERROR(CheckNames(*lake, {"keep_snapshots", "keep_for"}, where));
  TG_RETURN_IF_ERROR(ReadInt(*lake, "keep_snapshots", where, 1, 1'000'000, &out.keep_snapshots));
  return ReadText(*lake, "keep_for", where, ParseDuration, &out.keep_for);
}

Status ReadBucket(const toml::table& root, const std::string& source, Settings& out) {
  TG_ASSIGN_OR_RETURN(const toml::table* bucket, FindSection(root, "bucket", source));
  if (bucket == nullptr) return {};
  const std::string where = source + " [bucket]";
  TG_RETURN_IF_ERROR(CheckNames(*bucket, {"freezes_after"}, where));
  return ReadText(*bucket, "freezes_after", where, ParseDuration, &out.freezes_after);
}

/// The rest is about AWS; passed over it would seem to count.
Status CheckGcsSection(const toml::table& table, const std::string& where) {
  for (const auto& [name, value] : table) {
    if (name == "url" || name == "endpoint_url" || name == "anonymous") continue;
    return InvalidArgument(where + ": " + std::string(name.str()) +
                           " is for S3 alone; a bucket of gs:// takes endpoint_url and anonymous");
  }
  return {};
}

Result<StoreSection> ReadStore(const toml::table& table, const std::string& where) {
  StoreSection out;
  StoreSettings& settings = out.settings;
  const std::vector<std::pair<const char*, std::string*>> texts = {
      {"url", &out.url},
      {"profile", &settings.s3.profile},
      {"region", &settings.s3.region},
      {"endpoint_url", &settings.s3.endpoint_url},
      {"addressing_style", &settings.s3.addressing_style},
      {"ca_bundle", &settings.s3.ca_bundle},
      {"role_arn", &settings.web_identity.role_arn},
      {"web_identity_token_file", &settings.web_identity.token_file},
      {"web_identity_token_command", &settings.web_identity.token_command}};
  std::set<std::string> known = {"anonymous", "requester_pays"};
  for (const auto& [name, to] : texts) {
    known.insert(name);
    TG_RETURN_IF_ERROR(ReadText(table, name, where, AsItIs, to));
  }
  TG_RETURN_IF_ERROR(CheckNames(table, known, where));
  TG_RETURN_IF_ERROR(ReadFlag(table, "anonymous", where, &settings.anonymous));
  TG_RETURN_IF_ERROR(ReadFlag(table, "requester_pays", where, &settings.requester_pays));
  if (IsGsUrl(out.url)) TG_RETURN_IF_ERROR(CheckGcsSection(table, where));
  if (!IsS3Url(out.url) && !IsGsUrl(out.url))
    return InvalidArgument(where + ": url must be a bucket such as \"s3://vendor-bucket\" or \"gs://vendor-bucket\"");
  return out;
}

Status ReadStores(const toml::table& root, const std::string& source, Settings& out) {
  const toml::node* node = root.get("store");
  if (node == nullptr) return {};
  const toml::array* list = node->as_array();
  if (list == nullptr)
    return InvalidArgument(source + ": a bucket's settings begin with [[store]], in double brackets");
  for (const toml::node& entry : *list) {
    const std::string where = source + " [[store]] " + std::to_string(out.stores.size() + 1);
    const toml::table* table = entry.as_table();
    if (table == nullptr) return InvalidArgument(where + ": write it as [[store]], with its settings below");
    TG_ASSIGN_OR_RETURN(StoreSection section, ReadStore(*table, where));
    out.stores.push_back(std::move(section));
  }
  return {};
}

Status ReadSections(const toml::table& root, const std::string& source, Settings& out) {
  TG_ASSIGN_OR_RETURN(const toml::table* ingest, FindSection(root, "ingest", source));
  if (ingest != nullptr) {
    const std::string where = source + " [ingest]";
    TG_RETURN_IF_ERROR(CheckNames(*ingest,
                                  {"jobs", "list_all_every", "memory", "poll", "sweep", "expect_within", "daily_at",
                                   "shrink_guard_rows", "shrink_guard_share", "shrink_guard_share_rows"},
                                  where));
    TG_RETURN_IF_ERROR(ReadInt(*ingest, "jobs", where, 1, 256, &out.ingest_jobs));
    TG_RETURN_IF_ERROR(ReadText(*ingest, "memory", where, ParseMemory, &out.ingest_memory));
    TG_RETURN_IF_ERROR(ReadText(*ingest, "list_all_every", where, ParseDuration, &out.list_all_every));
    TG_RETURN_IF_ERROR(ReadText(*ingest, "poll", where, ParseDuration, &out.watch.poll));
    TG_RETURN_IF_ERROR(ReadText(*ingest, "sweep", where, ParseDuration, &out.watch.sweep));
    TG_RETURN_IF_ERROR(ReadText(*ingest, "expect_within", where, ParseDuration, &out.watch.expect_within));
    TG_RETURN_IF_ERROR(ReadText(*ingest, "daily_at", where, ParseTimeOfDay, &out.watch.daily_at));
    TG_RETURN_IF_ERROR(ReadShrinkGuard(*ingest, where, &out.shrink_guard));
    if (const Status bad = CheckTimes(out.watch); !bad.ok()) return bad.WithContext(where);
  }
  TG_RETURN_IF_ERROR(ReadLake(root, source, out));
  TG_RETURN_IF_ERROR(ReadBucket(root, source, out));
  TG_RETURN_IF_ERROR(ReadStores(root, source, out));
  TG_ASSIGN_OR_RETURN(out.publish, ReadPublish(root, source));
  TG_ASSIGN_OR_RETURN(const toml::table* query, FindSection(root, "query", source));
  if (query != nullptr) {
    const std::string where = source + " [query]";
    TG_RETURN_IF_ERROR(CheckNames(*query, {"memory_limit", "threads"}, where));
    TG_RETURN_IF_ERROR(ReadInt(*query, "threads", where, 1, 1024, &out.query_threads));
    if (query->contains("memory_limit")) {
      out.query_memory_limit = (*query)["memory_limit"].value<std::string>();
      if (!out.query_memory_limit) return InvalidArgument(where + ": memory_limit must be a text such as \"2GB\"");
    }
  }
  return {};
}

struct ConfigPath {
  std::string path;    // "": none
  bool named = false;  // by the user, not found by chance
};

ConfigPath FindConfig(const std::string& config) {
  if (!config.empty()) return {config, true};
  if (const char* named = std::getenv("TIDEGATE_CONFIG"); named != nullptr && *named != '\0') return {named, true};
  std::error_code error;
  return {std::filesystem::exists(kDefaultFile, error) ? kDefaultFile : "", false};
}

/// A file that lies in the folder by chance must not make us run anything.
Status CheckCommands(const Settings& settings, const ConfigPath& config) {
  for (const StoreSection& section : settings.stores) {
    if (config.named || section.settings.web_identity.token_command.empty()) continue;
    return InvalidArgument(config.path + ": web_identity_token_command is run only if you name the file: --config " +
                           config.path);
  }
  return {};
}

}  // namespace

Result<Settings> LoadSettings(const std::string& config) {
  Settings out;
  out.catalog = contract::CloudhumansCatalog();
  const ConfigPath found = FindConfig(config);
  const std::string& path = found.path;
  if (path.empty()) return out;
  TG_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  out.source = path;
  TG_ASSIGN_OR_RETURN(out.catalog, contract::ParseCatalog(text, path));
  TG_ASSIGN_OR_RETURN(const toml::table document, contract::ParseToml(text, path));
  TG_RETURN_IF_ERROR(ReadSections(document, path, out));
  TG_RETURN_IF_ERROR(CheckCommands(out, found));
  return out;
}

}  // namespace tidegate::app
