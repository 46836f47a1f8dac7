#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidegate/signature/cells.h"
#include "tidegate/signature/file_column.h"
#include "tidegate/signature/hashed_terms.h"

namespace tidegate::signature {
namespace {

constexpr size_t kPreparedBytes = size_t{1} << 20;

/// The texts of some rows are made ahead: of about a megabyte, or one row.
class NestedColumn final : public FileColumn {
 public:
  NestedColumn(std::unique_ptr<arrow::RecordBatchReader> batches, TextLeaves text, const ColumnReading& how)
      : batches_(std::move(batches)), text_(std::move(text)), hashed_(Kind::kNested, how.key, how.machine) {}

  Result<size_t> Ready() override {
    if (at_ == ends_.size()) {
      while (first_ == rows_) {
        TG_ASSIGN_OR_RETURN(const bool more, NextBatch());
        if (!more) return size_t{0};
      }
      Prepare();
    }
    return ends_.size() - at_;
  }

  void Skip(size_t rows) override { at_ += rows; }

  void AddTerms(size_t rows, RowTerms& terms) override {
    hashed_.Add(
        rows, true, [&](size_t row) { return IsNull(at_ + row); }, [&](size_t row) { return TextAt(at_ + row); },
        terms);
  }

 private:
  Result<bool> NextBatch() {
    std::shared_ptr<arrow::RecordBatch> batch;
    PARQUET_THROW_NOT_OK(batches_->ReadNext(&batch));  // the caller turns it into ours, with the object's name
    if (batch == nullptr) return false;
    array_ = batch->column(0);
    TG_ASSIGN_OR_RETURN(cells_, MakeCells(*array_, batch->column_name(0), text_));
    rows_ = batch->num_rows();
    first_ = 0;
    return true;
  }

  void Prepare() {
    texts_.clear();
    ends_.clear();
    at_ = 0;
    while (first_ < rows_ && ends_.size() < kRowsAtOnce && texts_.size() < kPreparedBytes) {
      if (!cells_->IsNull(first_)) cells_->AppendText(first_, texts_);
      ends_.push_back(texts_.size());
      ++first_;
    }
  }

  std::string_view TextAt(size_t row) const {
    const size_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(texts_).substr(begin, ends_[row] - begin);
  }

  /// No text is empty but that of null.
  bool IsNull(size_t row) const { return TextAt(row).empty(); }

  std::unique_ptr<arrow::RecordBatchReader> batches_;
  TextLeaves text_;
  HashedTerms hashed_;
  std::shared_ptr<arrow::Array> array_;  // keeps alive what cells_ look at
  std::unique_ptr<Cells> cells_;
  int64_t rows_ = 0;   // of the batch
  int64_t first_ = 0;  // that has no text yet
  std::string texts_;
  std::vector<size_t> ends_;  // of the texts that are prepared
  size_t at_ = 0;
};

bool HasNoSignature(const ::parquet::LogicalType& type) {
  return type.is_interval() || type.is_variant() || type.is_geometry() || type.is_geography();
}

}  // namespace

Result<std::unique_ptr<FileColumn>> MakeNestedColumn(::parquet::arrow::FileReader& rows, int row_group,
                                                     const std::vector<int>& leaves, const ColumnReading& how) {
  const ::parquet::SchemaDescriptor& schema = *rows.parquet_reader()->metadata()->schema();
  TextLeaves text;
  for (const int leaf : leaves) {
    const ::parquet::ColumnDescriptor& column = *schema.Column(leaf);
    if (HasNoSignature(*column.logical_type())) return NoSignature(column);
    text.push_back(column.logical_type()->is_enum());
  }
  PARQUET_ASSIGN_OR_THROW(auto batches, rows.GetRecordBatchReader({row_group}, leaves));
  return std::unique_ptr<FileColumn>(std::make_unique<NestedColumn>(std::move(batches), std::move(text), how));
}

}  // namespace tidegate::signature
