#include "tidegate/signature/sign_parquet.h"

#include <parquet/arrow/reader.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/parquet/arrow_status.h"
#include "tidegate/parquet/decode_pool.h"
#include "tidegate/parquet/footer.h"
#include "tidegate/parquet/pages.h"
#include "tidegate/signature/element.h"
#include "tidegate/signature/file_column.h"
#include "tidegate/signature/row_sum.h"

namespace tidegate::signature {
namespace {

using parquet::CatchWhileReading;
using parquet::OpenedFile;

/// A top-level column: its leaves, and whether it is one plain leaf.
struct TopColumn {
  std::string name;
  std::vector<int> leaves;
  bool flat = false;
  Element key = {};
};

std::vector<TopColumn> TopColumns(const ::parquet::SchemaDescriptor& schema) {
  const ::parquet::schema::GroupNode& root = *schema.group_node();
  std::vector<TopColumn> columns(static_cast<size_t>(root.field_count()));
  for (int i = 0; i < root.field_count(); ++i) {
    TopColumn& column = columns[static_cast<size_t>(i)];
    column.name = root.field(i)->name();
    column.key = ColumnKey(column.name);
    column.flat = root.field(i)->is_primitive() && !root.field(i)->is_repeated();
  }
  for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
    const int top = root.FieldIndex(*schema.GetColumnRoot(leaf));
    columns[static_cast<size_t>(top)].leaves.push_back(leaf);
  }
  return columns;
}

/// A file whose footer was read, shared by the threads that sign its row groups.
struct FileToSign {
  store::ObjectInfo info;
  std::shared_ptr<::parquet::FileMetaData> metadata;
  std::vector<TopColumn> columns;  // those to sign
};

struct Task {
  std::shared_ptr<const FileToSign> file;
  int row_group = 0;
};

/// Hands out row groups, file by file. A footer is read when its file's turn comes, so few are held.
class TaskList {
 public:
  TaskList(store::ObjectStore& store, const std::vector<store::ObjectInfo>& files, const SignOptions& options)
      : store_(store), files_(files), options_(options) {}

  /// The next row group, or nothing at the end or after a failure.
  Result<std::optional<Task>> Next() {
    const std::lock_guard lock(mutex_);
    if (failed_) return std::optional<Task>();
    if (options_.cancel != nullptr) TG_RETURN_IF_ERROR(options_.cancel->Check());
    while (file_ == nullptr || next_group_ == file_->metadata->num_row_groups()) {
      if (next_file_ == files_.size()) return std::optional<Task>();
      TG_RETURN_IF_ERROR(OpenFile(files_[next_file_++]));
    }
    return std::optional<Task>(Task{file_, next_group_++});
  }

  void Fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
  }

  /// Requires: a file was opened.
  const std::string& names_digest() const { return names_digest_; }

 private:
  Status OpenFile(const store::ObjectInfo& info) {
    TG_ASSIGN_OR_RETURN(const auto reader, store_.Open(info));
    TG_ASSIGN_OR_RETURN(const OpenedFile opened, parquet::OpenFooter(*reader));
    std::vector<TopColumn> columns = TopColumns(*opened.metadata->schema());
    std::vector<std::string> names;
    names.reserve(columns.size());
    for (const TopColumn& column : columns) names.push_back(column.name);
    TG_ASSIGN_OR_RETURN(const SignedColumns signed_columns,
                        SignedColumns::Make(names, options_.leave_out, "sign " + Quoted(info.key) + ": "));
    if (!names_digest_.empty() && names_digest_ != signed_columns.digest()) {
      return InvalidArgument(
          "sign " + Quoted(info.key) +
          ": its columns have other names than those of the file before it, so they have no signature "
          "together; sign them apart, or leave out what differs");
    }
    names_digest_ = signed_columns.digest();
    next_group_ = 0;
    auto file = std::make_shared<FileToSign>(FileToSign{info, opened.metadata, {}});
    for (const int i : signed_columns.order()) file->columns.push_back(std::move(columns[static_cast<size_t>(i)]));
    file_ = std::move(file);
    return {};
  }

  store::ObjectStore& store_;
  const std::vector<store::ObjectInfo>& files_;
  const SignOptions& options_;
  std::mutex mutex_;
  bool failed_ = false;
  size_t next_file_ = 0;
  std::shared_ptr<const FileToSign> file_;
  int next_group_ = 0;
  std::string names_digest_;
};

/// Signs the row groups of one file, on one thread.
class FileSigner {
 public:
  static Result<std::unique_ptr<FileSigner>> Open(store::ObjectStore& store, std::shared_ptr<const FileToSign> file,
                                                  Machine machine) {
    auto signer = std::unique_ptr<FileSigner>(new FileSigner(std::move(file), machine));
    TG_ASSIGN_OR_RETURN(signer->reader_, store.Open(signer->file_->info));
    signer->opened_ = {std::make_shared<parquet::StoreSource>(*signer->reader_), signer->file_->metadata};
    TG_ASSIGN_OR_RETURN(signer->rows_, parquet::OpenRows(signer->opened_, {.keep_uuids = true}, signer->pool_.get()));
    return signer;
  }

  const FileToSign& file() const { return *file_; }

  Status SignGroup(int row_group, RowSum& sum) {
    return CatchWhileReading(*opened_.source, [&] { return SignRows(row_group, sum); });
  }

 private:
  using Columns = std::vector<std::unique_ptr<FileColumn>>;

  FileSigner(std::shared_ptr<const FileToSign> file, Machine machine) : file_(std::move(file)), machine_(machine) {}

  std::string Subject() const { return "sign " + Quoted(file_->info.key); }

  Status SignRows(int row_group, RowSum& sum) {
    const int64_t claimed = file_->metadata->RowGroup(row_group)->num_rows();
    if (claimed == 0) return {};
    TG_ASSIGN_OR_RETURN(const Columns columns, OpenColumns(row_group));
    std::vector<ColumnTerms*> terms;
    terms.reserve(columns.size());
    for (const auto& column : columns) terms.push_back(column.get());
    int64_t rows = 0;
    while (true) {
      TG_ASSIGN_OR_RETURN(const size_t ready, Ready(columns));
      rows += static_cast<int64_t>(ready);
      if (rows > claimed || (ready == 0 && rows < claimed)) return WrongCount(row_group);
      if (ready == 0) return {};
      sum.Add(terms, ready);
      for (const auto& column : columns) column->Skip(ready);
    }
  }

  Result<Columns> OpenColumns(int row_group) {
    const ::parquet::SchemaDescriptor& schema = *file_->metadata->schema();
    Columns columns;
    for (const TopColumn& column : file_->columns) {
      const ColumnReading how = {.key = column.key, .pool = pool_.get(), .machine = machine_};
      const auto open = [&]() -> Result<std::unique_ptr<FileColumn>> {
        if (!column.flat) return MakeNestedColumn(*rows_, row_group, column.leaves, how);
        const int leaf = column.leaves.front();
        return MakeLeafColumn(*schema.Column(leaf), parquet::OpenPages(opened_, row_group, leaf, pool_.get()), how);
      };
      auto opened = open();
      if (!opened.ok()) return opened.status().WithContext(Subject());
      columns.push_back(std::move(opened).value());
    }
    return columns;
  }

  /// As many rows as all columns have ready. Where one has ended and another has not, the counts do not agree.
  Result<size_t> Ready(const Columns& columns) const {
    size_t least = kRowsAtOnce;
    size_t most = 0;
    for (const auto& column : columns) {
      const Result<size_t> ready = column->Ready();
      if (!ready.ok()) return ready.status().WithContext(Subject());
      least = std::min(least, *ready);
      most = std::max(most, *ready);
    }
    if (least == 0 && most > 0)
      return Corruption(Subject() + ": the columns of a row group do not have the same number of rows");
    return least;
  }

  Status WrongCount(int row_group) const {
    return Corruption(Subject() + ": a row group holds another number of rows than it claims; row group " +
                      std::to_string(row_group));
  }

  std::shared_ptr<const FileToSign> file_;
  Machine machine_;
  parquet::DecodePool pool_;
  std::unique_ptr<store::RandomReader> reader_;
  OpenedFile opened_;
  std::unique_ptr<::parquet::arrow::FileReader> rows_;
};

/// Work of one thread: row groups until none is left.
Status SignTasks(store::ObjectStore& store, TaskList& tasks, Machine machine, RowSum& sum) {
  std::unique_ptr<FileSigner> signer;
  while (true) {
    TG_ASSIGN_OR_RETURN(const std::optional<Task> task, tasks.Next());
    if (!task) return {};
    if (signer == nullptr || &signer->file() != task->file.get()) {
      signer.reset();
      TG_ASSIGN_OR_RETURN(signer, FileSigner::Open(store, task->file, machine));
    }
    TG_RETURN_IF_ERROR(signer->SignGroup(task->row_group, sum));
  }
}

}  // namespace

Result<ContentSignature> SignParquet(store::ObjectStore& store, const std::vector<store::ObjectInfo>& files,
                                     const SignOptions& options) {
  if (files.empty()) return InvalidArgument("sign Parquet files: there is no file, so the columns are not known");
  TaskList tasks(store, files, options);
  const size_t count = std::max<size_t>(1, options.threads);
  std::vector<RowSum> sums(count);
  std::vector<Status> results(count);
  const auto work = [&](size_t i) {
    results[i] = SignTasks(store, tasks, options.machine, sums[i]);
    if (!results[i].ok()) tasks.Fail();
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < count; ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& thread : threads) thread.join();
  for (const Status& result : results) TG_RETURN_IF_ERROR(result);
  for (size_t i = 1; i < count; ++i) sums[0].Merge(sums[i]);
  return sums[0].Finish(tasks.names_digest());
}

}  // namespace tidegate::signature
