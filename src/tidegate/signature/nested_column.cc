#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tidegate/signature/cell_text.h"
#include "tidegate/signature/file_column.h"

namespace tidegate::signature {
namespace {

class NestedColumn final : public FileColumn {
 public:
  NestedColumn(std::unique_ptr<arrow::RecordBatchReader> batches, TextLeaves text)
      : batches_(std::move(batches)), text_(std::move(text)) {}

  Result<size_t> Ready() override {
    if (ready_ > 0) return ready_;
    while (first_ == rows_) {
      TG_ASSIGN_OR_RETURN(const bool more, NextBatch());
      if (!more) return size_t{0};
    }
    const auto left = static_cast<size_t>(rows_ - first_);
    ready_ = column_->Prepare(first_, std::min(left, kRowsAtOnce));
    first_ += static_cast<int64_t>(ready_);
    return ready_;
  }

  void Skip(size_t rows) override {
    column_->Skip(rows);
    ready_ -= rows;
  }

  size_t FixedRoom() const override { return column_->FixedRoom(); }
  bool Varies() const override { return column_->Varies(); }
  void AddRoom(std::span<uint64_t> room) const override { column_->AddRoom(room); }
  void Write(size_t first, std::span<char*> ends) const override { column_->Write(first, ends); }

 private:
  Result<bool> NextBatch() {
    std::shared_ptr<arrow::RecordBatch> batch;
    PARQUET_THROW_NOT_OK(batches_->ReadNext(&batch));  // the caller turns it into ours, with the object's name
    if (batch == nullptr) return false;
    TG_ASSIGN_OR_RETURN(ArrowColumn made, ArrowColumn::Make(batch->column(0), batch->column_name(0), text_));
    column_.emplace(std::move(made));
    rows_ = batch->num_rows();
    first_ = 0;
    return true;
  }

  std::unique_ptr<arrow::RecordBatchReader> batches_;
  TextLeaves text_;
  std::optional<ArrowColumn> column_;
  int64_t rows_ = 0;   // of the batch
  int64_t first_ = 0;  // that is not prepared
  size_t ready_ = 0;
};

bool HasNoText(const ::parquet::LogicalType& type) {
  return type.is_interval() || type.is_variant() || type.is_geometry() || type.is_geography();
}

}  // namespace

Result<std::unique_ptr<FileColumn>> MakeNestedColumn(::parquet::arrow::FileReader& rows, int row_group,
                                                     const std::vector<int>& leaves) {
  const ::parquet::SchemaDescriptor& schema = *rows.parquet_reader()->metadata()->schema();
  TextLeaves text;
  for (const int leaf : leaves) {
    const ::parquet::ColumnDescriptor& column = *schema.Column(leaf);
    if (HasNoText(*column.logical_type())) return NoText(column);
    text.push_back(column.logical_type()->is_enum());
  }
  PARQUET_ASSIGN_OR_THROW(auto batches, rows.GetRecordBatchReader({row_group}, leaves));
  return std::unique_ptr<FileColumn>(std::make_unique<NestedColumn>(std::move(batches), std::move(text)));
}

}  // namespace tidegate::signature
