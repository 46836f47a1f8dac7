// A column of one row group of a Parquet file, to be signed.
//
// Flat columns are decoded here, page by page: text and bytes stay where the page has them, and a value that the file
// has in a dictionary is looked at once. Nested columns come through Arrow.
//
// Threads: one at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/signature/machine.h"
#include "tidegate/signature/row_sum.h"

namespace arrow {
class MemoryPool;
}
namespace parquet {
class ColumnDescriptor;
class PageReader;
}  // namespace parquet
namespace parquet::arrow {
class FileReader;
}

namespace tidegate::signature {

class FileColumn : public ColumnTerms {
 public:
  /// How many rows are ready, at most kRowsAtOnce; where none is, the next ones are decoded. 0 at the end.
  /// May throw what Parquet's readers throw.
  virtual Result<size_t> Ready() = 0;
  /// Requires: so many are ready.
  virtual void Skip(size_t rows) = 0;
};

struct ColumnReading {
  Element key;
  arrow::MemoryPool* pool;
  Machine machine;
};

/// Requires: not nested. Errors: Unsupported (a type without a signature). `leaf` and the pool outlive the column.
Result<std::unique_ptr<FileColumn>> MakeLeafColumn(const ::parquet::ColumnDescriptor& leaf,
                                                   std::unique_ptr<::parquet::PageReader> pages,
                                                   const ColumnReading& how);

/// `leaves`: all of one top-level column. Errors: as above, the type's when the first rows are asked for.
Result<std::unique_ptr<FileColumn>> MakeNestedColumn(::parquet::arrow::FileReader& rows, int row_group,
                                                     const std::vector<int>& leaves, const ColumnReading& how);

/// The error for a column whose type has no signature.
Status NoSignature(const ::parquet::ColumnDescriptor& leaf);

}  // namespace tidegate::signature
