#include "tidegate/deliver/parquet_folder_source.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "tidegate/base/log.h"
#include "tidegate/base/text.h"

namespace tidegate::deliver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".parquet";

Status Unreadable(const fs::path& path, const std::error_code& error) {
  return NotFound("the source cannot be read: " + Quoted(path.string()) + ": " + error.message());
}

/// The entries of a folder that could be ours, sorted by path.
Result<std::vector<fs::directory_entry>> Entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  fs::directory_iterator it(folder, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with('_') && !name.starts_with('.')) entries.push_back(*it);
  }
  if (error) return Unreadable(folder, error);
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool IsFolder(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.is_directory(error);
}

bool IsParquet(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.is_regular_file(error) && entry.path().extension() == kExtension;
}

}  // namespace

/// Finds the tables of a folder.
class ParquetFolderSource::Scan {
 public:
  explicit Scan(const ParquetFolderOptions& options) : options_(options) {}

  Result<Tables> Run(const fs::path& root) {
    TG_ASSIGN_OR_RETURN(const auto entries, Entries(root));
    for (const fs::directory_entry& entry : entries) {
      if (IsFolder(entry)) {
        TG_RETURN_IF_ERROR(Schema(entry.path()));
      } else if (IsParquet(entry)) {
        TG_RETURN_IF_ERROR(Add(options_.default_schema, entry.path().stem().string(), {entry}));
      }
    }
    return std::move(tables_);
  }

 private:
  Status Schema(const fs::path& folder) {
    TG_ASSIGN_OR_RETURN(const auto entries, Entries(folder));
    const std::string schema = folder.filename().string();
    for (const fs::directory_entry& entry : entries) {
      if (IsFolder(entry)) {
        TG_ASSIGN_OR_RETURN(const auto files, TableFolder(entry.path()));
        TG_RETURN_IF_ERROR(Add(schema, entry.path().filename().string(), files));
      } else if (IsParquet(entry)) {
        TG_RETURN_IF_ERROR(Add(schema, entry.path().stem().string(), {entry}));
      }
    }
    return Status::Ok();
  }

  static Result<std::vector<fs::directory_entry>> TableFolder(const fs::path& folder) {
    TG_ASSIGN_OR_RETURN(auto entries, Entries(folder));
    for (const fs::directory_entry& entry : entries) {
      if (!IsFolder(entry)) continue;
      return InvalidArgument(
          "a table's folder holds Parquet files only; move them up, or give the table's query in the " +
          std::string("catalog as source_query with read_parquet: ") + Quoted(entry.path().string()));
    }
    std::erase_if(entries, [](const fs::directory_entry& entry) { return !IsParquet(entry); });
    return entries;
  }

  Status Add(const std::string& schema, const std::string& table, const std::vector<fs::directory_entry>& entries) {
    const contract::TableName name{schema, table};
    if (!contract::IsName(schema) || !contract::IsName(table)) {
      Log(LogLevel::kWarning, "passed over: readers refuse a table of this name: " + Quoted(name.ToString()));
      return Status::Ok();
    }
    std::vector<File> files;
    for (const fs::directory_entry& entry : entries) {
      std::error_code error;
      files.push_back({entry.path(), entry.file_size(error), entry.last_write_time(error)});
      if (error) return Unreadable(entry.path(), error);
    }
    if (tables_.emplace(name, std::move(files)).second) return Status::Ok();
    return InvalidArgument("the source has this table in two places, as a file and as a folder: " + name.ToString());
  }

  const ParquetFolderOptions& options_;
  Tables tables_;
};

Result<std::unique_ptr<ParquetFolderSource>> ParquetFolderSource::Open(const std::string& folder,
                                                                       const ParquetFolderOptions& options) {
  std::error_code error;
  const fs::path root = fs::absolute(folder, error);
  if (error || !fs::is_directory(root, error)) return NotFound("the source is not a folder: " + Quoted(folder));
  TG_ASSIGN_OR_RETURN(Tables tables, Scan(options).Run(root));
  engine::DuckDbOptions in_memory = options.engine;
  in_memory.read_only = false;
  TG_ASSIGN_OR_RETURN(engine::DuckDb db, engine::DuckDb::Open(":memory:", in_memory));
  std::unique_ptr<ParquetFolderSource> source(
      new ParquetFolderSource(folder, SqlSession(std::move(db)), std::move(tables)));
  TG_RETURN_IF_ERROR(source->CreateViews());
  return source;
}

Status ParquetFolderSource::CreateViews() {
  std::set<std::string> schemas;
  for (const auto& [name, files] : tables_) {
    if (schemas.insert(name.schema).second) {
      TG_RETURN_IF_ERROR(session_.Execute("CREATE SCHEMA IF NOT EXISTS " + engine::SqlName(name.schema)));
    }
    if (Status status = CreateView(name, files); !status.ok()) unreadable_.emplace(name, std::move(status));
  }
  return Status::Ok();
}

Status ParquetFolderSource::CreateView(const contract::TableName& name, const std::vector<File>& files) {
  if (files.empty()) return InvalidArgument("its folder holds no Parquet file");
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const File& file : files) {
    TG_ASSIGN_OR_RETURN(const std::string path, engine::LiteralPath(file.path.string()));
    paths.push_back(engine::SqlText(path));
  }
  return session_.Execute("CREATE VIEW " + engine::SqlName(name.schema) + "." + engine::SqlName(name.table) +
                          " AS SELECT * FROM read_parquet([" + Join(paths, ", ") +
                          "], union_by_name = true, hive_partitioning = false)");
}

std::string ParquetFolderSource::description() const { return "Parquet folder " + Quoted(folder_); }

Result<std::vector<contract::TableName>> ParquetFolderSource::ListTables() {
  std::vector<contract::TableName> names;
  for (const auto& [name, files] : tables_) names.push_back(name);
  return names;
}

Status ParquetFolderSource::Explain(const std::string& query, Status failure) const {
  for (const auto& [name, why] : unreadable_) {
    const std::string as_planned = engine::SqlName(name.schema) + "." + engine::SqlName(name.table);
    if (query.find(as_planned) != std::string::npos || query.find(name.ToString()) != std::string::npos) return why;
  }
  return failure;
}

Result<std::vector<SourceColumn>> ParquetFolderSource::Describe(const std::string& query) {
  auto columns = session_.Describe(query);
  if (!columns.ok()) return Explain(query, columns.status());
  return columns;
}

Status ParquetFolderSource::Stream(const std::string& query, ArrowArrayStream* out) {
  Status status = session_.Stream(query, out);
  return status.ok() ? status : Explain(query, std::move(status));
}

Result<int64_t> ParquetFolderSource::Count(const std::string& query) { return session_.Count(query); }

Status ParquetFolderSource::VerifySnapshot() {
  for (const auto& [name, files] : tables_) {
    for (const File& file : files) {
      std::error_code gone;
      std::error_code unreadable;
      const File now{file.path, fs::file_size(file.path, gone), fs::last_write_time(file.path, unreadable)};
      if (!gone && !unreadable && now == file) continue;
      return PreconditionFailed("a file of the source changed during the delivery, nothing was sealed; run it again: " +
                                Quoted(file.path.string()));
    }
  }
  return Status::Ok();
}

}  // namespace tidegate::deliver
