#include "tidegate/engine/duckdb/duckdb_engine.h"

#include <duckdb.h>

#include <filesystem>

#include "tidegate/base/hash.h"
#include "tidegate/base/text.h"
#include "tidegate/engine/duckdb/arrow_stream.h"
#include "tidegate/engine/duckdb/cell.h"
#include "tidegate/engine/duckdb/cursor.h"
#include "tidegate/engine/duckdb/duckdb_error.h"
#include "tidegate/engine/duckdb/open_failure.h"

namespace tidegate::engine {
namespace {

constexpr std::string_view kMemory = ":memory:";

Status SetOption(const OwnedConfig& config, const char* name, const std::string& value) {
  if (duckdb_set_config(config.get(), name, value.c_str()) == DuckDBSuccess) return Status::Ok();
  return InvalidArgument("DuckDB does not take this setting: " + std::string(name) + " = " + Quoted(value));
}

/// DuckDB would spill into ".tmp" of the working folder, or next to a file that we only read.
Result<std::string> SpillFolder() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return NotFound("there is no folder for temporary files; set TMPDIR to one");
  return (folder / ("tidegate-spill-" + NewUuid())).string();
}

Status Configure(const OwnedConfig& config, bool in_memory, const DuckDbOptions& options) {
  TG_RETURN_IF_ERROR(SetOption(config, "autoinstall_known_extensions", "false"));
  TG_RETURN_IF_ERROR(SetOption(config, "autoload_known_extensions", "false"));
  if (options.read_only) TG_RETURN_IF_ERROR(SetOption(config, "access_mode", "READ_ONLY"));
  if (options.memory_limit) TG_RETURN_IF_ERROR(SetOption(config, "memory_limit", *options.memory_limit));
  if (options.threads) TG_RETURN_IF_ERROR(SetOption(config, "threads", std::to_string(*options.threads)));
  if (in_memory || options.read_only) {
    TG_ASSIGN_OR_RETURN(const std::string folder, SpillFolder());
    TG_RETURN_IF_ERROR(SetOption(config, "temp_directory", folder));
  }
  return Status::Ok();
}

/// The columns of a result, ready to render.
struct Columns {
  std::vector<ResultColumn> described;
  std::vector<CellType> types;
};

Result<Columns> ReadColumns(duckdb_result& result) {
  Columns out;
  const idx_t count = duckdb_column_count(&result);
  for (idx_t i = 0; i < count; ++i) {
    const std::string name = duckdb_column_name(&result, i);
    auto type = CellType::Make(OwnedType(duckdb_column_logical_type(&result, i)));
    if (!type.ok()) return type.status().WithContext("column " + Quoted(name));
    out.described.push_back({name, type->Name(), type->IsNumber()});
    out.types.push_back(std::move(*type));
  }
  return out;
}

void Render(const CellType& type, duckdb_vector vector, idx_t row, CellForm form, std::optional<std::string>& cell) {
  if (form == CellForm::kText && IsNull(vector, row)) {
    cell.reset();
    return;
  }
  if (cell)
    cell->clear();
  else
    cell.emplace();
  if (form == CellForm::kText)
    type.AppendText(vector, row, *cell);
  else
    type.AppendJson(vector, row, *cell);
}

Status HandOver(const OwnedChunk& chunk, const std::vector<CellType>& types, CellForm form, TextRow& cells,
                const std::function<Status(const TextRow&)>& row) {
  const idx_t rows = duckdb_data_chunk_get_size(chunk.get());
  for (idx_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < types.size(); ++c) {
      Render(types[c], duckdb_data_chunk_get_vector(chunk.get(), c), r, form, cells[c]);
    }
    TG_RETURN_IF_ERROR(row(cells));
  }
  return Status::Ok();
}

}  // namespace

struct DuckDb::Impl {
  OwnedDatabase database;
  std::shared_ptr<Connection> connection = std::make_shared<Connection>();
};

DuckDb::DuckDb(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DuckDb::DuckDb(DuckDb&&) noexcept = default;
DuckDb& DuckDb::operator=(DuckDb&&) noexcept = default;
DuckDb::~DuckDb() = default;

Result<DuckDb> DuckDb::Open(const std::string& path, const DuckDbOptions& options) {
  const bool in_memory = path == kMemory;
  if (path.empty()) return InvalidArgument("the path of a database is empty");
  if (in_memory && options.read_only) return InvalidArgument("a database in memory cannot be opened read-only");
  OwnedConfig config;
  if (duckdb_create_config(config.Out()) == DuckDBError) return Unavailable("out of memory");
  TG_RETURN_IF_ERROR(Configure(config, in_memory, options));
  auto impl = std::make_unique<Impl>();
  OwnedText message;
  if (duckdb_open_ext(path.c_str(), impl->database.Out(), config.get(), message.Out()) == DuckDBError) {
    const std::string_view text = message.get() == nullptr ? "" : message.get();
    if (in_memory) return DuckDbError(DUCKDB_ERROR_INVALID_INPUT, text);
    return OpenFailure(path, options.read_only, text);
  }
  if (duckdb_connect(impl->database.get(), impl->connection->handle.Out()) == DuckDBError) {
    return Internal("DuckDB opened a database but gave no connection to it: " + Quoted(path));
  }
  DuckDb out(std::move(impl));
  TG_RETURN_IF_ERROR(out.Execute("SET GLOBAL TimeZone = 'UTC'"));
  return out;
}

Status DuckDb::Execute(const std::string& sql) {
  TG_ASSIGN_OR_RETURN(Cursor cursor, Cursor::Begin(impl_->connection, sql));
  for (;;) {
    TG_ASSIGN_OR_RETURN(const OwnedChunk chunk, cursor.Next());
    if (chunk.get() == nullptr) return Status::Ok();
  }
}

Status DuckDb::Query(const std::string& sql, const std::function<Status(const std::vector<ResultColumn>&)>& columns,
                     const std::function<Status(const TextRow&)>& row, CellForm form) {
  TG_ASSIGN_OR_RETURN(Cursor cursor, Cursor::Begin(impl_->connection, sql));
  TG_ASSIGN_OR_RETURN(const Columns read, ReadColumns(cursor.result()));
  TG_RETURN_IF_ERROR(columns(read.described));
  TextRow cells(read.types.size());
  for (;;) {
    TG_ASSIGN_OR_RETURN(const OwnedChunk chunk, cursor.Next());
    if (chunk.get() == nullptr) return Status::Ok();
    TG_RETURN_IF_ERROR(HandOver(chunk, read.types, form, cells, row));
  }
}

Result<std::vector<TextRow>> DuckDb::QueryAll(const std::string& sql) {
  std::vector<TextRow> rows;
  TG_RETURN_IF_ERROR(Query(
      sql, [](const std::vector<ResultColumn>&) { return Status::Ok(); },
      [&](const TextRow& row) {
        rows.push_back(row);
        return Status::Ok();
      }));
  return rows;
}

Status DuckDb::Stream(const std::string& sql, ArrowArrayStream* out) {
  TG_ASSIGN_OR_RETURN(Cursor cursor, Cursor::Begin(impl_->connection, sql));
  ExportStream(std::move(cursor), out);
  return Status::Ok();
}

void DuckDb::Interrupt() { duckdb_interrupt(impl_->connection->handle.get()); }

std::string SqlText(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

std::string SqlName(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

Result<std::string> LiteralPath(const std::string& path) {
  if (path.find_first_of("*?[") == std::string::npos) return path;
  if (path.find('\\') != std::string::npos) {
    return Unsupported("a path that holds a backslash and also one of * ? [ cannot be queried: " + Quoted(path));
  }
  std::string out;
  for (const char c : path) {
    const bool special = c == '*' || c == '?' || c == '[';
    if (special) out += '[';
    out += c;
    if (special) out += ']';
  }
  return out;
}

}  // namespace tidegate::engine
