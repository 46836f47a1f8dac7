#include "tidegate/parquet/footer.h"

#include <arrow/memory_pool.h>
#include <parquet/arrow/reader.h>
#include <parquet/encryption/encryption.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/parquet/arrow_status.h"
#include "tidegate/parquet/footer_bytes.h"

namespace tidegate::parquet {
namespace {

constexpr std::string_view kMagic = "PAR1";
constexpr std::string_view kEncryptedMagic = "PARE";
constexpr uint64_t kTailBytes = 64 * 1024;
constexpr uint64_t kTrailerBytes = 8;   // footer length and magic
constexpr uint64_t kSmallestFile = 12;  // magic, footer length, magic
constexpr size_t kShownBytes = 24;

Status Broken(const StoreSource& source, const std::string& cause) {
  return Corruption("read Parquet footer: " + Quoted(source.key()) + ": " + cause);
}

Status Foreign(const StoreSource& source, const std::string& cause) {
  return Unsupported("read Parquet footer: " + Quoted(source.key()) + ": " + cause);
}

Result<std::string> ReadRange(StoreSource& source, uint64_t offset, uint64_t length) {
  std::string bytes(static_cast<size_t>(length), '\0');
  TG_RETURN_IF_ERROR(source.ReadExactly(offset, bytes));
  return bytes;
}

/// The end is not that of a Parquet file: say what the object looks like instead.
Status ExplainBadMagic(StoreSource& source) {
  TG_ASSIGN_OR_RETURN(const std::string head,
                      ReadRange(source, 0, std::min<uint64_t>(kShownBytes, source.size_bytes())));
  if (head.starts_with(kMagic)) {
    return Broken(source, "truncated: it begins as a Parquet file, but its end is missing; size in bytes: " +
                              std::to_string(source.size_bytes()));
  }
  return Broken(source, "not a Parquet file: begins with " + Quoted(head));
}

/// The footer's bytes, without length and magic.
Result<std::string> ReadFooterBytes(StoreSource& source) {
  const uint64_t size = source.size_bytes();
  if (size == 0) return Broken(source, "the object is empty");
  if (size < kSmallestFile) return ExplainBadMagic(source);
  const uint64_t tail_length = std::min(size, kTailBytes);
  TG_ASSIGN_OR_RETURN(std::string tail, ReadRange(source, size - tail_length, tail_length));
  if (tail.ends_with(kEncryptedMagic)) return Foreign(source, "the file is encrypted");
  if (!tail.ends_with(kMagic)) return ExplainBadMagic(source);
  uint64_t length = 0;
  for (size_t i = 0; i < 4; ++i) {
    length |= uint64_t{static_cast<unsigned char>(tail[tail.size() - kTrailerBytes + i])} << (8 * i);
  }
  if (length > size - kSmallestFile) {
    return Broken(source,
                  "the footer claims " + std::to_string(length) + " bytes in a file of " + std::to_string(size));
  }
  if (length > kMaxFooterBytes) {
    return Foreign(source, "the footer is larger than " + HumanBytes(kMaxFooterBytes) + ": " + std::to_string(length));
  }
  if (length + kTrailerBytes > tail.size()) return ReadRange(source, size - kTrailerBytes - length, length);
  return tail.substr(tail.size() - kTrailerBytes - static_cast<size_t>(length), static_cast<size_t>(length));
}

/// Checks every number of the footer that a reader would trust.
class FooterCheck {
 public:
  FooterCheck(const StoreSource& source, const ::parquet::FileMetaData& metadata, uint64_t footer_bytes)
      : source_(source), metadata_(metadata), data_end_(source.size_bytes() - kTrailerBytes - footer_bytes) {}

  Status Run() const {
    if (metadata_.is_encryption_algorithm_set()) return Foreign(source_, "the file is encrypted");
    if (metadata_.num_rows() < 0) return Broken(source_, "negative row count");
    int64_t rows_left = metadata_.num_rows();
    for (int i = 0; i < metadata_.num_row_groups(); ++i) {
      const auto group = metadata_.RowGroup(i);
      if (group->num_rows() < 0 || group->num_rows() > rows_left) return RowsDiffer();
      rows_left -= group->num_rows();
      TG_RETURN_IF_ERROR(CheckGroup(*group, i));
    }
    return rows_left == 0 ? Status() : RowsDiffer();
  }

 private:
  Status RowsDiffer() const {
    return Broken(source_, "its row groups do not add up to its row count; rows claimed: " +
                               std::to_string(metadata_.num_rows()));
  }

  Status CheckGroup(const ::parquet::RowGroupMetaData& group, int index) const {
    if (group.num_columns() != metadata_.num_columns()) {
      return Broken(source_, "row group " + std::to_string(index) + " has " + std::to_string(group.num_columns()) +
                                 " columns where the schema has " + std::to_string(metadata_.num_columns()));
    }
    for (int column = 0; column < group.num_columns(); ++column) {
      const auto chunk = group.ColumnChunk(column);
      const Status status = CheckChunk(*chunk, *metadata_.schema()->Column(column), group.num_rows());
      if (!status.ok()) {
        return Status(status.code(), status.message() + "; row group " + std::to_string(index) + ", column " +
                                         Quoted(metadata_.schema()->Column(column)->path()->ToDotString()));
      }
    }
    return {};
  }

  Status CheckChunk(const ::parquet::ColumnChunkMetaData& chunk, const ::parquet::ColumnDescriptor& column,
                    int64_t rows) const {
    if (chunk.crypto_metadata()) return Foreign(source_, "a column is encrypted");
    if (!chunk.file_path().empty()) return Foreign(source_, "its data lies in another file");
    if (chunk.type() != column.physical_type())
      return Broken(source_, "a column chunk is of another type than its column");
    const bool flat = column.max_repetition_level() == 0;  // else a row has one value or more, an empty list too
    if (chunk.num_values() < rows || (flat && chunk.num_values() != rows)) {
      return Broken(source_, "a column chunk does not have a value for each row");
    }
    if (chunk.total_compressed_size() < 0 || chunk.total_uncompressed_size() < 0) {
      return Broken(source_, "a column chunk has a negative size");
    }
    return CheckPlace(chunk);
  }

  Status CheckPlace(const ::parquet::ColumnChunkMetaData& chunk) const {
    int64_t begin = chunk.data_page_offset();
    if (chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0) {
      begin = std::min(begin, chunk.dictionary_page_offset());
    }
    const auto length = static_cast<uint64_t>(chunk.total_compressed_size());
    if (chunk.num_values() == 0) return {};  // never read; writers put anything there
    const bool inside = begin >= static_cast<int64_t>(kMagic.size()) && static_cast<uint64_t>(begin) <= data_end_ &&
                        length <= data_end_ - static_cast<uint64_t>(begin);
    if (!inside || length == 0) return Broken(source_, "a column chunk lies outside the file's data");
    return {};
  }

  const StoreSource& source_;
  const ::parquet::FileMetaData& metadata_;
  uint64_t data_end_;
};

}  // namespace

Result<OpenedFile> OpenFooter(store::RandomReader& reader) {
  OpenedFile file;
  file.source = std::make_shared<StoreSource>(reader);
  TG_ASSIGN_OR_RETURN(const std::string footer, ReadFooterBytes(*file.source));
  const Result<std::string> plain = WithoutKeyValues(footer);
  if (!plain.ok()) return Broken(*file.source, plain.status().message());
  return CatchWhileReading(*file.source, [&]() -> Result<OpenedFile> {
    file.metadata = ::parquet::FileMetaData::Make(plain->data(), static_cast<int64_t>(plain->size()));
    TG_RETURN_IF_ERROR(FooterCheck(*file.source, *file.metadata, footer.size()).Run());
    return file;
  });
}

Result<std::unique_ptr<::parquet::arrow::FileReader>> OpenRows(const OpenedFile& file, const RowReading& how,
                                                               arrow::MemoryPool* pool) {
  using ReaderPtr = std::unique_ptr<::parquet::arrow::FileReader>;
  return CatchWhileReading(*file.source, [&]() -> Result<ReaderPtr> {
    ::parquet::ArrowReaderProperties properties(/*use_threads=*/false);
    properties.set_batch_size(how.batch_rows);
    properties.set_pre_buffer(false);  // would keep every chunk of the file until the reader is gone
    properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
    properties.set_arrow_extensions_enabled(how.keep_uuids);
    auto raw = ::parquet::ParquetFileReader::Open(file.source, ::parquet::ReaderProperties(pool), file.metadata);
    auto reader = ::parquet::arrow::FileReader::Make(pool, std::move(raw), properties);
    if (!reader.ok()) return ReadError(reader.status(), *file.source);
    return std::move(reader).ValueUnsafe();
  });
}

}  // namespace tidegate::parquet
