#include "tidegate/signature/signature_builder.h"

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tidegate/signature/cells.h"
#include "tidegate/signature/hashed_terms.h"

namespace tidegate::signature {
namespace {

/// A column of a batch.
class ArrowColumn final : public ColumnTerms {
 public:
  /// Errors: as MakeCells.
  static Result<ArrowColumn> Make(std::shared_ptr<arrow::Array> array, const std::string& name) {
    TG_ASSIGN_OR_RETURN(auto cells, MakeCells(*array, name));
    return ArrowColumn(std::move(array), std::move(cells), ColumnKey(name));
  }

  void AddTerms(size_t rows, RowTerms& terms) override {
    const int64_t first = std::exchange(at_, at_ + static_cast<int64_t>(rows));
    const auto row_of = [first](size_t row) { return first + static_cast<int64_t>(row); };
    if (hashed_) {
      hashed_->Add(
          rows, array_->null_count() > 0, [&](size_t row) { return array_->IsNull(row_of(row)); },
          [&](size_t row) { return cells_->BytesAt(row_of(row)); }, terms);
    } else {
      terms.RoomForTerms();
      for (size_t row = 0; row < rows; ++row) terms.Add(row, key_ * cells_->ElementAt(row_of(row)));
    }
  }

 private:
  ArrowColumn(std::shared_ptr<arrow::Array> array, std::unique_ptr<Cells> cells, const Element& key)
      : array_(std::move(array)), cells_(std::move(cells)), key_(key) {
    if (const auto kind = cells_->HashedKind()) hashed_.emplace(*kind, key_, ThisMachine());
  }

  std::shared_ptr<arrow::Array> array_;
  std::unique_ptr<Cells> cells_;
  Element key_;
  std::optional<HashedTerms> hashed_;  // where its bytes are hashed
  int64_t at_ = 0;
};

}  // namespace

Result<SignatureBuilder> SignatureBuilder::Make(const arrow::Schema& schema,
                                                const std::vector<std::string>& leave_out) {
  TG_ASSIGN_OR_RETURN(SignedColumns columns, SignedColumns::Make(schema.field_names(), leave_out, "sign rows: "));
  return SignatureBuilder(std::move(columns));
}

Status SignatureBuilder::Add(const arrow::RecordBatch& batch) {
  std::vector<ArrowColumn> columns;
  for (const int column : columns_.order()) {
    TG_ASSIGN_OR_RETURN(ArrowColumn made, ArrowColumn::Make(batch.column(column), batch.column_name(column)));
    columns.push_back(std::move(made));
  }
  std::vector<ColumnTerms*> terms;
  terms.reserve(columns.size());
  for (ArrowColumn& column : columns) terms.push_back(&column);
  for (auto left = static_cast<size_t>(batch.num_rows()); left > 0;) {
    const size_t rows = std::min(left, kRowsAtOnce);
    sum_.Add(terms, rows);
    left -= rows;
  }
  return {};
}

Status SignatureBuilder::Merge(const SignatureBuilder& other) {
  if (columns_.digest() != other.columns_.digest()) {
    return InvalidArgument("merge signatures: they are of columns with different names");
  }
  sum_.Merge(other.sum_);
  return {};
}

}  // namespace tidegate::signature
