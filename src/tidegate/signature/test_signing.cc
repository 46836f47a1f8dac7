#include "tidegate/signature/test_signing.h"

#include <gtest/gtest.h>

#include <fstream>
#include <utility>

#include "tidegate/signature/sign_stream.h"
#include "tidegate/signature/signature_sql.h"
#include "tidegate/signature/value_sql.h"
#include "tidegate/store/local/local_object_store.h"

namespace tidegate::signature {
namespace {

engine::DuckDb OpenMemory() {
  auto db = engine::DuckDb::Open(":memory:", {.threads = 2});
  EXPECT_TRUE(db.ok()) << db.status().ToString();
  return std::move(*db);
}

Result<std::vector<SqlColumn>> ColumnsOf(engine::DuckDb& db, const std::string& relation) {
  std::vector<SqlColumn> columns;
  const auto take = [&](const std::vector<engine::ResultColumn>& found) {
    for (const auto& column : found) columns.push_back({column.name, column.type});
    return Status();
  };
  TG_RETURN_IF_ERROR(
      db.Query("SELECT * FROM " + relation + " LIMIT 0", take, [](const engine::TextRow&) { return Status(); }));
  return columns;
}

Result<std::string> SqlSignature(engine::DuckDb& db, const std::string& relation) {
  TG_ASSIGN_OR_RETURN(const auto columns, ColumnsOf(db, relation));
  TG_ASSIGN_OR_RETURN(const std::string sql, SignatureSql(columns, relation));
  TG_ASSIGN_OR_RETURN(const auto rows, db.QueryAll(sql));
  return ContentSignature::Parse(rows.at(0).at(0).value_or("")).ToString();
}

Result<std::string> ArrowSignature(engine::DuckDb& db, const std::string& query) {
  ArrowArrayStream stream{};
  TG_RETURN_IF_ERROR(db.Stream(query, &stream));
  TG_ASSIGN_OR_RETURN(const ContentSignature signature, SignStream(&stream));
  return signature.ToString();
}

std::string TextOrError(const Result<std::string>& result) {
  return result.ok() ? *result : result.status().ToString();
}

}  // namespace

Signers::Signers() : db_(OpenMemory()) {
  auto store = store::LocalObjectStore::Make(folder_.path().string());
  EXPECT_TRUE(store.ok()) << store.status().ToString();
  store_ = std::move(*store);
}

std::string Signers::BySql(const std::string& relation) { return TextOrError(SqlSignature(db_, relation)); }

std::string Signers::ByArrow(const std::string& query) { return TextOrError(ArrowSignature(db_, query)); }

Result<ContentSignature> Signers::SignFiles(const std::vector<std::string>& files, const SignOptions& options) {
  std::vector<store::ObjectInfo> infos;
  for (const std::string& file : files) {
    TG_ASSIGN_OR_RETURN(store::ObjectInfo info, store_->Head(file));
    infos.push_back(std::move(info));
  }
  return SignParquet(*store_, infos, options);
}

std::string Signers::ByParquet(const std::vector<std::string>& files, const SignOptions& options) {
  const auto signature = SignFiles(files, options);
  return signature.ok() ? signature->ToString() : signature.status().ToString();
}

void Signers::WriteFile(const std::string& name, const std::string& bytes) {
  std::ofstream(Path(name), std::ios::binary) << bytes;
}

std::map<std::string, std::string> Signers::WaysOfFiles(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + engine::SqlText(Path(name));
  return {{"Parquet", ByParquet(names)},
          {"Parquet, two threads", ByParquet(names, {.threads = 2})},
          {"Parquet, any machine", ByParquet(names, {.machine = Machine::kAny})},
          {"SQL over Parquet", BySql("read_parquet([" + list + "])")}};
}

std::map<std::string, std::string> Signers::AllWays(const RowSet& rows) {
  std::vector<std::string> names;
  for (const std::string& bytes : rows.files) {
    names.push_back(std::to_string(++files_) + ".parquet");
    WriteFile(names.back(), bytes);
  }
  if (!names.empty()) return WaysOfFiles(names);
  std::map<std::string, std::string> ways;
  if (rows.shown_in == Shown::kEverywhere || rows.shown_in == Shown::kNotInArrow) {
    const std::string name = std::to_string(++files_) + ".parquet";
    const Status written =
        db_.Execute("COPY (" + rows.query + ") TO " + engine::SqlText(Path(name)) + " (FORMAT parquet)");
    if (!written.ok()) return {{"write Parquet", written.ToString()}};
    ways = WaysOfFiles({name});
  }
  ways["SQL"] = BySql("(" + rows.query + ")");
  if (rows.shown_in == Shown::kEverywhere || rows.shown_in == Shown::kNotInParquet) ways["Arrow"] = ByArrow(rows.query);
  return ways;
}

std::string Signers::Sign(const RowSet& rows) {
  const auto ways = AllWays(rows);
  const std::string& first = ways.begin()->second;
  EXPECT_TRUE(ContentSignature::Parse(first).known) << first << "\n" << rows.query;
  for (const auto& [way, signature] : ways) {
    EXPECT_EQ(signature, first) << way << " and " << ways.begin()->first << " do not agree on\n" << rows.query;
  }
  return first;
}

std::vector<std::string> Signers::NestedTexts(const std::string& query) {
  const std::string relation = "(" + query + ")";
  const auto columns = ColumnsOf(db_, relation);
  EXPECT_TRUE(columns.ok()) << columns.status().ToString();
  std::string texts;
  for (const SqlColumn& column : *columns) {
    const auto type = DuckDbType::Parse(column.type);
    EXPECT_TRUE(type.ok()) << type.status().ToString();
    texts += (texts.empty() ? "" : " || ") + NestedTextSql(*type, engine::SqlName(column.name));
  }
  const auto rows = db_.QueryAll("SELECT " + texts + " FROM " + relation);
  EXPECT_TRUE(rows.ok()) << rows.status().ToString();
  std::vector<std::string> found;
  for (const auto& row : *rows) found.push_back(row.at(0).value_or("(null)"));
  return found;
}

}  // namespace tidegate::signature
