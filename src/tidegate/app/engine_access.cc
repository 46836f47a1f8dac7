#include "tidegate/app/engine_access.h"

#include <filesystem>

#include "tidegate/base/text.h"
#include "tidegate/store/s3/s3_object_store.h"

namespace tidegate::app {
namespace {

using engine::SqlText;

/// In the folder that an installed program and a build tree both have: bin/tidegate, lib/tidegate/.
Result<std::string> FindExtension(const std::string& name) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto file = program.parent_path().parent_path() / "lib/tidegate" / (name + ".duckdb_extension");
  if (!error && std::filesystem::is_regular_file(file, error)) return file.string();
  return NotFound("lakes in buckets are queried through DuckDB's extension " + Quoted(name) + ", which is not at " +
                  Quoted(file.string(), 1200) + ": install tidegate again");
}

/// host:port, without the scheme.
std::string HostOf(const std::string& origin) { return origin.substr(origin.find("://") + 3); }

Result<std::string> SecretSql(const store::S3Settings& settings) {
  TG_ASSIGN_OR_RETURN(const store::S3Address address, store::AddressOf(settings));
  const bool path_style = address.path_head.size() > 1;  // more than "/"
  std::string host = HostOf(address.origin);
  if (!path_style) host.erase(0, settings.bucket.size() + 1);
  std::string sql = "CREATE OR REPLACE SECRET " + engine::SqlName("tidegate_" + settings.bucket) + " (TYPE s3, SCOPE " +
                    SqlText("s3://" + settings.bucket) + ", REGION " + SqlText(settings.region) + ", ENDPOINT " +
                    SqlText(host) + ", URL_STYLE " + SqlText(path_style ? "path" : "vhost") + ", USE_SSL " +
                    (address.origin.starts_with("https://") ? "true" : "false");
  TG_ASSIGN_OR_RETURN(const auto credentials, settings.credentials->Get());
  if (credentials) {
    sql += ", KEY_ID " + SqlText(credentials->access_key_id) + ", SECRET " + SqlText(credentials->secret_access_key);
    if (!credentials->session_token.empty()) sql += ", SESSION_TOKEN " + SqlText(credentials->session_token);
  }
  if (settings.requester_pays) sql += ", REQUESTER_PAYS true";
  return sql + ")";
}

/// Once for each DuckDB: it refuses the setting after a secret was used, as by the files of another partition.
Status KeepSecretsInMemory(engine::DuckDb& db) {
  TG_ASSIGN_OR_RETURN(const auto now, db.QueryAll("SELECT current_setting('allow_persistent_secrets')::VARCHAR"));
  if (now.at(0).at(0) == "false") return {};
  return db.Execute("SET allow_persistent_secrets = false");
}

}  // namespace

Status LetEngineRead(engine::DuckDb& db, const store::ObjectStore& lake) {
  const auto* bucket = dynamic_cast<const store::S3ObjectStore*>(&lake.Backend());
  if (bucket == nullptr) return {};
  TG_ASSIGN_OR_RETURN(const std::string extension, FindExtension("httpfs"));
  TG_RETURN_IF_ERROR(db.Execute("LOAD " + SqlText(extension)));
  TG_RETURN_IF_ERROR(KeepSecretsInMemory(db));
  const store::S3Settings settings = bucket->CurrentSettings();
  if (!settings.ca_bundle.empty()) {
    TG_RETURN_IF_ERROR(db.Execute("SET ca_cert_file = " + SqlText(settings.ca_bundle)));
  }
  TG_ASSIGN_OR_RETURN(const std::string secret, SecretSql(settings));
  // DuckDB's message could show a part of the statement, and there are keys in it.
  if (!db.Execute(secret).ok()) return Internal("DuckDB did not take the keys for " + Quoted(lake.url()));
  return {};
}

}  // namespace tidegate::app
