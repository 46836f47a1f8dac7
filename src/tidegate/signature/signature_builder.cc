#include "tidegate/signature/signature_builder.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "tidegate/signature/cell_text.h"

namespace tidegate::signature {
namespace {

constexpr int64_t kRowsAtOnce = 1'024;

/// Prepare each column's next rows; as many as all of them have.
size_t PrepareAll(std::vector<ArrowColumn>& columns, int64_t first, int64_t rows) {
  auto ready = static_cast<size_t>(std::min(rows - first, kRowsAtOnce));
  for (ArrowColumn& column : columns) ready = column.Prepare(first, ready);
  return ready;
}

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
  std::vector<ColumnText*> texts;
  texts.reserve(columns.size());
  for (ArrowColumn& column : columns) texts.push_back(&column);
  for (int64_t first = 0; first < batch.num_rows();) {
    const size_t rows = PrepareAll(columns, first, batch.num_rows());
    TG_RETURN_IF_ERROR(sum_.Add(texts, rows).WithContext("sign rows"));
    first += static_cast<int64_t>(rows);
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
