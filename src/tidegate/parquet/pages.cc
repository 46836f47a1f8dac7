#include "tidegate/parquet/pages.h"

#include <arrow/buffer.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tidegate/parquet/snappy.h"

namespace tidegate::parquet {
namespace {

using ::parquet::DataPageV1;
using ::parquet::DataPageV2;
using ::parquet::DictionaryPage;
using ::parquet::Page;
using ::parquet::PageReader;
using ::parquet::PageType;
using BufferPtr = std::shared_ptr<arrow::Buffer>;

/// Some writers counted a chunk's size without the header of its dictionary page; no such header is longer.
constexpr int64_t kDictionaryHeaderBytes = 100;

/// Hands on the pages of another reader, which takes them for plain bytes, decompressed.
class SnappyPages final : public PageReader {
 public:
  SnappyPages(std::unique_ptr<PageReader> raw, arrow::MemoryPool* pool) : raw_(std::move(raw)), pool_(pool) {}

  void set_max_page_header_size(uint32_t size) override { raw_->set_max_page_header_size(size); }

  std::shared_ptr<Page> NextPage() override {
    std::shared_ptr<Page> page = raw_->NextPage();
    if (page == nullptr) return nullptr;
    if (page->type() == PageType::DICTIONARY_PAGE) return Plain(static_cast<const DictionaryPage&>(*page));
    if (page->type() == PageType::DATA_PAGE) return Plain(static_cast<const DataPageV1&>(*page));
    if (page->type() != PageType::DATA_PAGE_V2) return page;
    const auto& v2 = static_cast<const DataPageV2&>(*page);
    return v2.is_compressed() ? Plain(v2) : page;
  }

 private:
  std::shared_ptr<Page> Plain(const DictionaryPage& page) {
    return std::make_shared<DictionaryPage>(Decompressed(page, 0), page.num_values(), page.encoding(),
                                            page.is_sorted());
  }

  std::shared_ptr<Page> Plain(const DataPageV1& page) {
    const BufferPtr bytes = Decompressed(page, 0);
    return std::make_shared<DataPageV1>(bytes, page.num_values(), page.encoding(), page.definition_level_encoding(),
                                        page.repetition_level_encoding(), bytes->size());
  }

  std::shared_ptr<Page> Plain(const DataPageV2& page) {
    const int64_t levels =
        int64_t{page.definition_levels_byte_length()} + int64_t{page.repetition_levels_byte_length()};
    if (levels < 0 || levels > page.size()) throw ::parquet::ParquetException("a page is shorter than its levels");
    const BufferPtr bytes = Decompressed(page, static_cast<size_t>(levels));
    return std::make_shared<DataPageV2>(bytes, page.num_values(), page.num_nulls(), page.num_rows(), page.encoding(),
                                        page.definition_levels_byte_length(), page.repetition_levels_byte_length(),
                                        bytes->size(), /*is_compressed=*/false);
  }

  /// The page's bytes; the first `plain` of them are not compressed, and where nothing follows them, nothing was.
  BufferPtr Decompressed(const Page& page, size_t plain) {
    const std::span<const uint8_t> all(page.data(), static_cast<size_t>(page.size()));
    const std::span<const uint8_t> block = all.subspan(plain);
    const std::optional<uint32_t> size = block.empty() ? 0 : SnappySize(block);
    if (!size || plain + *size > INT32_MAX) throw ::parquet::ParquetException("a page is no Snappy block");
    Reserve(plain + *size);
    uint8_t* const out = bytes_->mutable_data();
    std::memcpy(out, all.data(), plain);
    if (!block.empty() && !DecompressSnappy(block, out + plain, *size)) {
      throw ::parquet::ParquetException("a page is a broken Snappy block");
    }
    return arrow::SliceBuffer(bytes_, 0, static_cast<int64_t>(plain + *size));
  }

  void Reserve(size_t size) {
    const auto needed = static_cast<int64_t>(size + kSnappySlack);
    if (bytes_ != nullptr && bytes_->size() >= needed) return;
    bytes_.reset();  // before the new one is there
    PARQUET_ASSIGN_OR_THROW(auto bytes, arrow::AllocateBuffer(needed, pool_));
    bytes_ = std::move(bytes);
  }

  std::unique_ptr<PageReader> raw_;
  arrow::MemoryPool* pool_;
  std::shared_ptr<arrow::Buffer> bytes_;
};

/// All bytes of a chunk. It lies within the file: OpenFooter.
std::shared_ptr<::parquet::ArrowInputStream> ChunkBytes(const OpenedFile& file,
                                                        const ::parquet::ColumnChunkMetaData& chunk,
                                                        arrow::MemoryPool* pool) {
  int64_t begin = chunk.data_page_offset();
  if (chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0) {
    begin = std::min(begin, chunk.dictionary_page_offset());
  }
  const int64_t left = static_cast<int64_t>(file.source->size_bytes()) - begin;
  const int64_t length = std::min(chunk.total_compressed_size() + kDictionaryHeaderBytes, left);
  return ::parquet::ReaderProperties(pool).GetStream(file.source, begin, length);
}

}  // namespace

std::unique_ptr<PageReader> OpenPages(const OpenedFile& file, int row_group, int leaf, arrow::MemoryPool* pool) {
  const auto chunk = file.metadata->RowGroup(row_group)->ColumnChunk(leaf);
  const bool snappy = chunk->compression() == ::parquet::Compression::SNAPPY;
  // Early writers compressed each page of version 2 and did not say so.
  const bool always =
      file.metadata->writer_version().VersionLt(::parquet::ApplicationVersion::PARQUET_CPP_10353_FIXED_VERSION());
  auto pages = PageReader::Open(ChunkBytes(file, *chunk, pool), chunk->num_values(),
                                snappy ? ::parquet::Compression::UNCOMPRESSED : chunk->compression(),
                                ::parquet::ReaderProperties(pool), *file.metadata->schema()->Column(leaf), always);
  if (!snappy) return pages;
  return std::make_unique<SnappyPages>(std::move(pages), pool);
}

}  // namespace tidegate::parquet
