#include "tidegate/deliver/duckdb_source.h"

#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::deliver {
namespace {

constexpr const char* kDatabase = "tidegate_source_database";

}  // namespace

Result<std::unique_ptr<DuckDbSource>> DuckDbSource::Open(const std::string& path, engine::DuckDbOptions options) {
  {
    engine::DuckDbOptions look = options;  // its errors say which kind of failure it is
    look.read_only = true;
    TG_ASSIGN_OR_RETURN(const engine::DuckDb opened, engine::DuckDb::Open(path, look));
  }
  // Attached under a name of ours: DuckDB names a database after its file, and then `shop.orders` of shop.duckdb could
  // mean a database as well as a schema.
  TG_ASSIGN_OR_RETURN(engine::DuckDb db, engine::DuckDb::Open(":memory:", options));
  SqlSession session(std::move(db));
  TG_RETURN_IF_ERROR(session.Execute("ATTACH " + engine::SqlText(path) + " AS " + kDatabase + " (READ_ONLY)"));
  TG_RETURN_IF_ERROR(session.Execute(std::string("USE ") + kDatabase));
  TG_RETURN_IF_ERROR(session.BeginSnapshot());
  return std::unique_ptr<DuckDbSource>(new DuckDbSource(path, std::move(session)));
}

std::string DuckDbSource::description() const { return "DuckDB file " + Quoted(path_); }

}  // namespace tidegate::deliver
