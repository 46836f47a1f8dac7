#include "tidegate/publish/duckdb_builder.h"

#include <arrow/c/abi.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "tidegate/base/text.h"
#include "tidegate/publish/audit.h"
#include "tidegate/signature/content_signature.h"
#include "tidegate/signature/sign_stream.h"

namespace tidegate::publish {
namespace {

std::string FileName(int split) {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "part-%05d.parquet", split);
  return name.data();
}

Result<int64_t> OneNumber(engine::DuckDb& db, const std::string& query) {
  TG_ASSIGN_OR_RETURN(const auto rows, db.QueryAll(query));
  return std::stoll(rows.at(0).at(0).value());
}

std::string AllOf(const char* relation) { return std::string("SELECT * FROM ") + relation; }

}  // namespace

Result<engine::DuckDb> OpenSource(const std::string& source, const engine::DuckDbOptions& options) {
  TG_ASSIGN_OR_RETURN(auto db, engine::DuckDb::Open(":memory:", options));
  if (source.empty()) return db;
  TG_RETURN_IF_ERROR(db.Execute("ATTACH " + engine::SqlText(source) + " AS source (READ_ONLY)"));
  TG_RETURN_IF_ERROR(db.Execute("USE source"));
  return db;
}

Result<std::optional<Foresight>> DuckDbBuilder::Begin(const std::string& select) {
  TG_RETURN_IF_ERROR(db_.Execute(std::string("DROP TABLE IF EXISTS temp.") + kBuildRelation));
  // In parentheses it is one query, whatever the text says.
  TG_RETURN_IF_ERROR(
      db_.Execute(std::string("CREATE TEMP TABLE ") + kBuildRelation + " AS SELECT * FROM (\n" + select + "\n)"));
  std::vector<signature::SqlColumn> columns;
  Foresight out;
  TG_ASSIGN_OR_RETURN(const auto rows, db_.QueryAll(std::string("DESCRIBE ") + AllOf(kBuildRelation)));
  columns.reserve(rows.size());
  out.columns.reserve(rows.size());
  for (const auto& row : rows) {
    columns.push_back({row.at(0).value(), row.at(1).value()});
    out.columns.push_back(columns.back().name);
  }
  TG_ASSIGN_OR_RETURN(out.signature, Signature(columns));
  return std::optional(std::move(out));
}

Result<std::string> DuckDbBuilder::Signature(const std::vector<signature::SqlColumn>& columns) {
  TG_ASSIGN_OR_RETURN(const bool as_stream, signature::ComeThroughStreams(columns));
  if (as_stream) {
    ArrowArrayStream stream{};
    TG_RETURN_IF_ERROR(db_.Stream(AllOf(kBuildRelation), &stream));
    TG_ASSIGN_OR_RETURN(const auto signed_rows, signature::SignStream(&stream));
    return signed_rows.ToString();
  }
  TG_ASSIGN_OR_RETURN(const std::string sql, signature::SignatureSql(columns, kBuildRelation));
  TG_ASSIGN_OR_RETURN(const auto rows, db_.QueryAll(sql));
  return signature::ContentSignature::Parse(rows.at(0).at(0).value_or("")).ToString();
}

Result<int64_t> DuckDbBuilder::CountRows(const std::string& query) {
  return OneNumber(db_, "SELECT count(*) FROM (\n" + query + "\n)");
}

Result<std::vector<RunFile>> DuckDbBuilder::Write(store::ObjectStore& store, const std::string& folder) {
  ArrowArrayStream stream{};
  TG_RETURN_IF_ERROR(db_.Stream(AllOf(kBuildRelation), &stream));
  const auto next_file = [&](int split) {
    return store.NewWriter(folder + "/" + FileName(split), store::PutMode::kCreateOnly);
  };
  TG_ASSIGN_OR_RETURN(const auto written, parquet::WriteCapped(&stream, writer_, next_file));
  std::vector<RunFile> out;
  out.reserve(written.size());
  for (const parquet::WrittenFile& file : written) {
    out.push_back({file.object.key.substr(folder.size() + 1), file.object.size_bytes, file.rows});
  }
  std::sort(out.begin(), out.end(), [](const RunFile& a, const RunFile& b) { return a.name < b.name; });
  return out;
}

}  // namespace tidegate::publish
