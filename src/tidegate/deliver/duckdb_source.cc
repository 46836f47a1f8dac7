#include "tidegate/deliver/duckdb_source.h"

#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::deliver {

Result<std::unique_ptr<DuckDbSource>> DuckDbSource::Open(const std::string& path, engine::DuckDbOptions options) {
  options.read_only = true;
  TG_ASSIGN_OR_RETURN(engine::DuckDb db, engine::DuckDb::Open(path, options));
  SqlSession session(std::move(db));
  TG_RETURN_IF_ERROR(session.BeginSnapshot());
  return std::unique_ptr<DuckDbSource>(new DuckDbSource(path, std::move(session)));
}

std::string DuckDbSource::description() const { return "DuckDB file " + Quoted(path_); }

}  // namespace tidegate::deliver
