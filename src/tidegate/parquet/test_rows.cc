#include "tidegate/parquet/test_rows.h"

#include <arrow/array/array_nested.h>
#include <arrow/chunked_array.h>
#include <arrow/result.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "tidegate/base/text.h"
#include "tidegate/parquet/test_objects.h"

namespace tidegate::parquet {
namespace {

std::string Cell(const arrow::Table& table, const std::string& column, int64_t row) {
  const auto values = table.GetColumnByName(column);
  if (!values) return "null";
  const auto cell = values->GetScalar(row).ValueOrDie();
  return cell->is_valid ? cell->ToString() : "null";
}

}  // namespace

std::string MakeRows(const ColumnTypes& columns, const std::string& rows) {
  arrow::FieldVector fields;
  for (const auto& [name, type] : columns) fields.push_back(arrow::field(name, type));
  const auto structs = std::static_pointer_cast<arrow::StructArray>(FromJson(arrow::struct_(fields), rows));
  return MakeFile(*arrow::Table::Make(arrow::schema(fields), structs->fields()));
}

std::vector<std::string> RowsAsText(const std::string& bytes, const std::vector<std::string>& columns) {
  const auto table = ReadBack(bytes);
  std::vector<std::string> out;
  for (int64_t row = 0; row < table->num_rows(); ++row) {
    std::vector<std::string> cells;
    cells.reserve(columns.size());
    for (const std::string& column : columns) cells.push_back(Cell(*table, column, row));
    out.push_back(Join(cells, "|"));
  }
  return out;
}

}  // namespace tidegate::parquet
