#include "tidegate/parquet/position_delete_file.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <parquet/arrow/reader.h>
#include <parquet/column_writer.h>
#include <parquet/exception.h>
#include <parquet/file_writer.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/parquet/arrow_status.h"
#include "tidegate/parquet/decode_pool.h"
#include "tidegate/parquet/footer.h"
#include "tidegate/parquet/source.h"
#include "tidegate/parquet/writer_properties.h"

namespace tidegate::parquet {
namespace {

using ::parquet::schema::GroupNode;
using ::parquet::schema::PrimitiveNode;

// Reserved by the Iceberg spec ("Reserved Field IDs").
constexpr int kFilePathId = 2147483546;
constexpr int kPosId = 2147483545;
constexpr char kFilePath[] = "file_path";
constexpr char kPos[] = "pos";

constexpr size_t kGroupRows = 1'048'576;
constexpr size_t kWriteRows = 4'096;
/// Reading more would take more than 1.6 GB: no table of ours gets there, as compaction comes long before.
constexpr int64_t kMaxPositions = 200'000'000;

std::shared_ptr<GroupNode> DeleteSchema() {
  using ::parquet::LogicalType;
  using ::parquet::Repetition;
  using ::parquet::Type;
  const auto path =
      PrimitiveNode::Make(kFilePath, Repetition::REQUIRED, LogicalType::String(), Type::BYTE_ARRAY, -1, kFilePathId);
  const auto pos = PrimitiveNode::Make(kPos, Repetition::REQUIRED, LogicalType::None(), Type::INT64, -1, kPosId);
  return std::static_pointer_cast<GroupNode>(GroupNode::Make("table", Repetition::REQUIRED, {path, pos}));
}

std::shared_ptr<::parquet::WriterProperties> DeleteProperties() {
  ::parquet::WriterProperties::Builder builder;
  return builder.compression(arrow::Compression::ZSTD)
      ->created_by(CreatedBy())
      ->disable_dictionary(kPos)  // every value is another
      ->disable_write_page_index()
      ->set_size_statistics_level(::parquet::SizeStatisticsLevel::None)
      ->build();
}

void WritePaths(::parquet::ColumnWriter* column, const std::string& data_file, size_t rows) {
  auto* writer = static_cast<::parquet::ByteArrayWriter*>(column);
  const std::vector<::parquet::ByteArray> paths(std::min(rows, kWriteRows), ::parquet::ByteArray(data_file));
  for (size_t done = 0; done < rows;) {
    const size_t count = std::min(paths.size(), rows - done);
    writer->WriteBatch(static_cast<int64_t>(count), nullptr, nullptr, paths.data());
    done += count;
  }
  writer->Close();
}

void WritePositions(::parquet::ColumnWriter* column, std::span<const int64_t> positions) {
  auto* writer = static_cast<::parquet::Int64Writer*>(column);
  writer->WriteBatch(static_cast<int64_t>(positions.size()), nullptr, nullptr, positions.data());
  writer->Close();
}

void WriteDeletes(const std::string& data_file, const std::vector<int64_t>& positions,
                  const std::shared_ptr<StoreSink>& sink) {
  const auto file = ::parquet::ParquetFileWriter::Open(sink, DeleteSchema(), DeleteProperties());
  for (size_t done = 0; done < positions.size();) {
    const auto group = std::span(positions).subspan(done, std::min(kGroupRows, positions.size() - done));
    ::parquet::RowGroupWriter* row_group = file->AppendRowGroup();
    WritePaths(row_group->NextColumn(), data_file, group.size());
    WritePositions(row_group->NextColumn(), group);
    row_group->Close();
    done += group.size();
  }
  file->Close();
}

class DeleteReader {
 public:
  explicit DeleteReader(const OpenedFile& file) : file_(file) {}

  Status Run() {
    if (file_.metadata->num_rows() > kMaxPositions) {
      return Unsupported(Subject() +
                         "it deletes more rows than can be read; compact the table with the engine that wrote it: " +
                         std::to_string(file_.metadata->num_rows()));
    }
    TG_ASSIGN_OR_RETURN(const int path, FindColumn(kFilePath, kFilePathId, ::parquet::Type::BYTE_ARRAY));
    TG_ASSIGN_OR_RETURN(const int pos, FindColumn(kPos, kPosId, ::parquet::Type::INT64));
    path_first_ = path < pos;
    TG_ASSIGN_OR_RETURN(const auto rows, OpenRows(file_, {}, pool_.get()));
    for (int group = 0; group < file_.metadata->num_row_groups(); ++group) {
      TG_RETURN_IF_ERROR(ReadGroup(*rows, group, path, pos));
    }
    if (rows_read_ == file_.metadata->num_rows()) return {};
    return Corruption(Subject() + "it holds fewer rows than it claims");
  }

  std::map<std::string, std::vector<int64_t>> TakeSorted() {
    for (auto& [path, positions] : deletes_) {
      if (!std::is_sorted(positions.begin(), positions.end())) std::sort(positions.begin(), positions.end());
      positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    }
    return std::move(deletes_);
  }

 private:
  std::string Subject() const { return "read position deletes: " + Quoted(file_.source->key()) + ": "; }

  /// By field id; by name where the file has no ids.
  Result<int> FindColumn(const std::string& name, int id, ::parquet::Type::type type) const {
    const ::parquet::SchemaDescriptor& schema = *file_.metadata->schema();
    std::optional<int> by_name;
    for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
      const ::parquet::schema::Node& root = *schema.GetColumnRoot(leaf);
      if (root.is_group() || root.is_repeated() || schema.Column(leaf)->physical_type() != type) continue;
      if (root.field_id() == id) return leaf;
      if (root.name() == name && !by_name) by_name = leaf;
    }
    if (by_name) return *by_name;
    return Corruption(Subject() + "not a position-delete file: it has no usable column " + Quoted(name));
  }

  Status ReadGroup(::parquet::arrow::FileReader& rows, int group, int path, int pos) {
    if (file_.metadata->RowGroup(group)->num_rows() == 0) return {};
    auto batches = rows.GetRecordBatchReader({group}, {std::min(path, pos), std::max(path, pos)});
    if (!batches.ok()) return ReadError(batches.status(), *file_.source);
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch;
      const arrow::Status status = (*batches)->ReadNext(&batch);
      if (!status.ok()) return ReadError(status, *file_.source);
      if (batch == nullptr) return {};
      TG_RETURN_IF_ERROR(TakeBatch(*batch));
    }
  }

  Status TakeBatch(const arrow::RecordBatch& batch) {
    const arrow::Array& paths = *batch.column(path_first_ ? 0 : 1);
    const arrow::Array& positions = *batch.column(path_first_ ? 1 : 0);
    const bool text = paths.type_id() == arrow::Type::STRING || paths.type_id() == arrow::Type::BINARY;
    if (!text || positions.type_id() != arrow::Type::INT64) {
      return Corruption(Subject() + "file_path is not text, or pos is not a long");
    }
    if (paths.null_count() != 0 || positions.null_count() != 0) {
      return Corruption(Subject() + "a file path or a position is null");
    }
    const auto& path_values = static_cast<const arrow::BinaryArray&>(paths);
    const auto& position_values = static_cast<const arrow::Int64Array&>(positions);
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      const int64_t position = position_values.Value(row);
      if (position < 0) return Corruption(Subject() + "a position is negative: " + std::to_string(position));
      TG_RETURN_IF_ERROR(Append(path_values.GetView(row), position));
    }
    rows_read_ += batch.num_rows();
    return {};
  }

  Status Append(std::string_view path, int64_t position) {
    if (current_ == nullptr || path != current_->first) {
      const auto [at, inserted] = deletes_.try_emplace(std::string(path));
      current_ = &*at;
      if (inserted) path_bytes_ += path.size();
      if (path_bytes_ > static_cast<uint64_t>(kMaxDecodeBytes)) {
        return Unsupported(Subject() + "its file paths take more memory than the limit");
      }
    }
    current_->second.push_back(position);
    return {};
  }

  const OpenedFile& file_;
  DecodePool pool_;
  std::map<std::string, std::vector<int64_t>> deletes_;
  std::pair<const std::string, std::vector<int64_t>>* current_ = nullptr;  // rows of one file follow each other
  uint64_t path_bytes_ = 0;
  int64_t rows_read_ = 0;
  bool path_first_ = true;
};

Status CheckPositions(const std::vector<int64_t>& positions) {
  const bool ascending =
      std::adjacent_find(positions.begin(), positions.end(), std::greater_equal<>()) == positions.end();
  if (positions.empty() || positions.front() < 0 || !ascending) {
    return Internal("write position deletes: positions must be there, not negative, ascending and distinct");
  }
  return {};
}

}  // namespace

Status WritePositionDeletes(const std::string& data_file, const std::vector<int64_t>& positions,
                            store::ObjectWriter& writer) {
  TG_RETURN_IF_ERROR(CheckPositions(positions));
  const auto sink = std::make_shared<StoreSink>(writer);
  return CatchWhileWriting(sink->error(), [&]() -> Status {
    WriteDeletes(data_file, positions, sink);
    return {};
  });
}

Result<std::map<std::string, std::vector<int64_t>>> ReadPositionDeletes(store::RandomReader& reader) {
  using Deletes = std::map<std::string, std::vector<int64_t>>;
  TG_ASSIGN_OR_RETURN(const OpenedFile file, OpenFooter(reader));
  return CatchWhileReading(*file.source, [&]() -> Result<Deletes> {
    DeleteReader deletes(file);
    TG_RETURN_IF_ERROR(deletes.Run());
    return deletes.TakeSorted();
  });
}

}  // namespace tidegate::parquet
