// The pages of a column chunk, read as Arrow reads them, but for Snappy: see snappy.h.
#pragma once

#include <memory>

#include "tidegate/parquet/footer.h"

namespace parquet {
class PageReader;
}

namespace tidegate::parquet {

/// Requires: the file's source and `pool` outlive the pages; a page is gone when the next one is read.
/// May throw what Parquet's readers throw, and so may the pages: of blocks that are no Snappy, too.
std::unique_ptr<::parquet::PageReader> OpenPages(const OpenedFile& file, int row_group, int leaf,
                                                 arrow::MemoryPool* pool);

}  // namespace tidegate::parquet
