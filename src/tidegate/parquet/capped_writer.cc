#include "tidegate/parquet/capped_writer.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/parquet/arrow_status.h"
#include "tidegate/parquet/arrow_stream.h"
#include "tidegate/parquet/lake_types.h"
#include "tidegate/parquet/size_bound.h"
#include "tidegate/parquet/source.h"
#include "tidegate/parquet/writer_properties.h"

namespace tidegate::parquet {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;
using NextFile = std::function<Result<std::unique_ptr<store::ObjectWriter>>(int split)>;

constexpr uint64_t kMaxGroupBytes = 64'000'000;  // before encoding: what the writer holds in memory
/// A file is full when the next row group does not fit and less than this part of the cap is left.
constexpr uint64_t kFullAtFraction = 10;
constexpr int64_t kMaxRowGroupRows = 1'048'576;

/// Write one row group. Throws Parquet's exceptions.
void WriteGroup(::parquet::arrow::FileWriter& writer, const BatchPtr& rows) {
  PARQUET_ASSIGN_OR_THROW(const auto table, arrow::Table::FromRecordBatches({rows}));
  PARQUET_THROW_NOT_OK(writer.WriteTable(*table, std::max<int64_t>(1, rows->num_rows())));
}

/// A file being written. Members go in the reverse order: Arrow's writer touches the sink when destroyed.
struct OpenFile {
  std::unique_ptr<store::ObjectWriter> object;
  std::shared_ptr<StoreSink> sink;
  std::unique_ptr<::parquet::arrow::FileWriter> writer;
  uint64_t footer_bytes = 0;  // bound of what Close() adds
  int64_t rows = 0;

  uint64_t position() const { return static_cast<uint64_t>(sink->Tell().ValueOr(0)); }
};

class CappedFiles {
 public:
  CappedFiles(const CappedWriterOptions& options, std::shared_ptr<arrow::Schema> schema,
              std::shared_ptr<::parquet::WriterProperties> properties, const NextFile& next_file)
      : options_(options),
        schema_(std::move(schema)),
        properties_(std::move(properties)),
        next_file_(next_file),
        empty_file_bytes_(BoundEmptyFile(*schema_, CreatedBy())) {}

  Status Add(const BatchPtr& batch) {
    if (batch->num_rows() == 0) return {};
    const uint64_t bytes = BoundRowGroup(*batch, options_.compression).plain_bytes;
    if (pending_bytes_ + bytes > kMaxGroupBytes) TG_RETURN_IF_ERROR(WritePending(1));
    Keep(batch, bytes);
    return pending_rows_ < options_.row_group_rows ? Status() : WritePending(options_.row_group_rows);
  }

  Result<std::vector<WrittenFile>> Finish() {
    TG_RETURN_IF_ERROR(WritePending(1));
    if (files_.empty() && !file_) TG_RETURN_IF_ERROR(StartFile());  // a table without rows is a file without rows
    TG_RETURN_IF_ERROR(CloseFile());
    return std::move(files_);
  }

 private:
  void Keep(const BatchPtr& batch, uint64_t bytes) {
    pending_.push_back(batch);
    pending_rows_ += batch->num_rows();
    pending_bytes_ += bytes;
  }

  /// Write what is pending; a rest of fewer than `least_rows` is kept for the next row group.
  Status WritePending(int64_t least_rows) {
    if (pending_.empty()) return {};
    auto all = arrow::ConcatenateRecordBatches(std::exchange(pending_, {}));
    pending_rows_ = 0;
    pending_bytes_ = 0;
    if (!all.ok()) return WriteError(all.status(), {});
    for (BatchPtr rest = *all; rest->num_rows() > 0;) {
      if (rest->num_rows() < least_rows) {
        Keep(rest, BoundRowGroup(*rest, options_.compression).plain_bytes);
        break;
      }
      TG_ASSIGN_OR_RETURN(const int64_t rows, WriteSome(rest->Slice(0, GroupRows())));
      rest = rest->Slice(rows);
    }
    return {};
  }

  /// As many rows as a row group has, but not many more than a small cap has room for.
  int64_t GroupRows() const {
    const uint64_t by_bytes = 2 * options_.max_file_bytes / std::max<uint64_t>(1, bytes_per_row_);
    return std::clamp<int64_t>(static_cast<int64_t>(std::min<uint64_t>(by_bytes, kMaxRowGroupRows)), 1,
                               options_.row_group_rows);
  }

  /// Write the first rows as one row group, as many as fit for sure; returns how many.
  Result<int64_t> WriteSome(const BatchPtr& rows) {
    for (int64_t count = rows->num_rows();;) {
      const BatchPtr group = rows->Slice(0, count);
      const SizeBound bound = BoundRowGroup(*group, options_.compression);
      bytes_per_row_ = (bound.data_bytes + bound.footer_bytes) / static_cast<uint64_t>(count);
      const bool small = bound.plain_bytes <= kMaxGroupBytes || count == 1;
      if (small && bound.data_bytes + bound.footer_bytes <= Room()) {
        TG_RETURN_IF_ERROR(WriteFitting(group, bound));
        return count;
      }
      const bool full = file_ && (count == 1 || Room() < options_.max_file_bytes / kFullAtFraction);
      if (small && full) {
        TG_RETURN_IF_ERROR(CloseFile());
        count = rows->num_rows();
      } else if (count == 1) {
        TG_RETURN_IF_ERROR(WriteLoneRow(group));
        return count;
      } else {
        count /= 2;
      }
    }
  }

  /// Bytes left for row groups and their part of the footer, in the open file or in a new one.
  uint64_t Room() const {
    const uint64_t used = file_ ? file_->position() + file_->footer_bytes : empty_file_bytes_;
    return used < options_.max_file_bytes ? options_.max_file_bytes - used : 0;
  }

  Status WriteFitting(const BatchPtr& group, const SizeBound& bound) {
    if (!file_) TG_RETURN_IF_ERROR(StartFile());
    TG_RETURN_IF_ERROR(CatchWhileWriting(file_->sink->error(), [&]() -> Status {
      WriteGroup(*file_->writer, group);
      return {};
    }));
    file_->footer_bytes += bound.footer_bytes;
    file_->rows += group->num_rows();
    rows_done_ += group->num_rows();
    return {};
  }

  Result<std::unique_ptr<store::ObjectWriter>> NextObject() {
    TG_ASSIGN_OR_RETURN(auto object, next_file_(static_cast<int>(files_.size())));
    if (object == nullptr) return Internal("write Parquet file: there is no object to write to");
    return object;
  }

  Status StartFile() {
    auto file = std::make_unique<OpenFile>();
    TG_ASSIGN_OR_RETURN(file->object, NextObject());
    file->sink = std::make_shared<StoreSink>(*file->object);
    file->footer_bytes = empty_file_bytes_;
    TG_RETURN_IF_ERROR(CatchWhileWriting(file->sink->error(), [&]() -> Status {
      file->writer = OpenRowWriter(schema_, file->sink, properties_);
      return {};
    }));
    file_ = std::move(file);
    return {};
  }

  Status CloseFile() {
    if (!file_) return {};
    const std::unique_ptr<OpenFile> file = std::move(file_);
    TG_RETURN_IF_ERROR(CatchWhileWriting(file->sink->error(), [&]() -> Status {
      PARQUET_THROW_NOT_OK(file->writer->Close());
      return {};
    }));
    return Record(*file->object, file->position(), file->rows);
  }

  /// The last look before a file becomes visible.
  Status Record(store::ObjectWriter& object, uint64_t bytes, int64_t rows) {
    if (bytes > options_.max_file_bytes && rows == 0) {
      return InvalidArgument("write Parquet file: the columns' names alone need more than the cap; raise the cap: " +
                             std::to_string(bytes) + " bytes, cap " + std::to_string(options_.max_file_bytes));
    }
    if (bytes > options_.max_file_bytes) {
      return Internal("write Parquet file: it became larger than the cap: " + std::to_string(bytes) + " bytes, cap " +
                      std::to_string(options_.max_file_bytes));
    }
    TG_ASSIGN_OR_RETURN(store::ObjectInfo info, object.Finish());
    files_.push_back({std::move(info), rows});
    return {};
  }

  /// A row whose bound is above the cap may still fit: try it in memory, and where it does, that is the file.
  Status WriteLoneRow(const BatchPtr& row) {
    std::shared_ptr<arrow::Buffer> bytes;
    TG_RETURN_IF_ERROR(CatchWhileWriting({}, [&]() -> Status {
      PARQUET_ASSIGN_OR_THROW(const auto memory, arrow::io::BufferOutputStream::Create());
      const auto writer = OpenRowWriter(schema_, memory, properties_);
      WriteGroup(*writer, row);
      PARQUET_THROW_NOT_OK(writer->Close());
      PARQUET_ASSIGN_OR_THROW(bytes, memory->Finish());
      return {};
    }));
    const auto size = static_cast<uint64_t>(bytes->size());
    if (size > options_.max_file_bytes) {
      return InvalidArgument("write Parquet file: one row alone is larger than the cap of a file; row " +
                             std::to_string(rows_done_ + 1) + ", " + std::to_string(size) + " bytes, cap " +
                             std::to_string(options_.max_file_bytes));
    }
    TG_ASSIGN_OR_RETURN(const auto object, NextObject());
    TG_RETURN_IF_ERROR(object->Append(std::string_view(reinterpret_cast<const char*>(bytes->data()), size)));
    ++rows_done_;
    return Record(*object, size, 1);
  }

  const CappedWriterOptions& options_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<::parquet::WriterProperties> properties_;
  const NextFile& next_file_;
  uint64_t empty_file_bytes_;
  arrow::RecordBatchVector pending_;
  int64_t pending_rows_ = 0;
  uint64_t pending_bytes_ = 0;
  uint64_t bytes_per_row_ = 1;  // bound, of the group last looked at
  int64_t rows_done_ = 0;
  std::unique_ptr<OpenFile> file_;
  std::vector<WrittenFile> files_;
};

}  // namespace

Result<std::vector<WrittenFile>> WriteCapped(ArrowArrayStream* stream, const CappedWriterOptions& options,
                                             const NextFile& next_file) {
  ArrowStream rows(stream);
  if (options.row_group_rows < 1 || options.row_group_rows > kMaxRowGroupRows) {
    return InvalidArgument("write Parquet file: rows of a row group must be 1 to 1,048,576, not " +
                           std::to_string(options.row_group_rows));
  }
  TG_ASSIGN_OR_RETURN(auto properties, MakeWriterProperties(options.compression, kMaxRowGroupRows));
  TG_RETURN_IF_ERROR(rows.Open());
  TG_ASSIGN_OR_RETURN(auto schema, LakeSchema(*rows.schema()));
  CappedFiles files(options, schema, std::move(properties), next_file);
  while (true) {
    TG_ASSIGN_OR_RETURN(const BatchPtr batch, rows.Next());
    if (batch == nullptr) return files.Finish();
    TG_ASSIGN_OR_RETURN(const BatchPtr cast, CastToLake(*batch, schema));
    TG_RETURN_IF_ERROR(files.Add(cast));
  }
}

}  // namespace tidegate::parquet
