// For tests of other folders, which see no Arrow: Parquet files from rows as text, and back.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tidegate::parquet {

using ColumnTypes = std::vector<std::pair<std::string, std::shared_ptr<arrow::DataType>>>;

/// The bytes of a file; a row is a JSON array of its cells: MakeRows({{"id", arrow::int64()}}, "[[1], [null]]").
std::string MakeRows(const ColumnTypes& columns, const std::string& rows);

/// All rows, in file order, each as "1|a|null"; a column that the file lacks is null. Requires: a good file.
std::vector<std::string> RowsAsText(const std::string& bytes, const std::vector<std::string>& columns);

}  // namespace tidegate::parquet
