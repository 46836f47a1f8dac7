#include "tidegate/parquet/writer_properties.h"

#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/type.h>
#include <arrow/util/config.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::parquet {
namespace {

Result<arrow::Compression::type> CodecOf(const std::string& compression) {
  if (compression == "snappy") return arrow::Compression::SNAPPY;
  if (compression == "zstd") return arrow::Compression::ZSTD;
  if (compression == "none") return arrow::Compression::UNCOMPRESSED;
  return InvalidArgument("write Parquet file: compression must be snappy, zstd or none, not " + Quoted(compression));
}

}  // namespace

std::string CreatedBy() {
  return "tidegate version " TIDEGATE_VERSION " (build parquet-cpp-arrow " ARROW_VERSION_STRING ")";
}

Result<std::shared_ptr<::parquet::WriterProperties>> MakeWriterProperties(const std::string& compression,
                                                                          int64_t row_group_rows) {
  TG_ASSIGN_OR_RETURN(const arrow::Compression::type codec, CodecOf(compression));
  ::parquet::WriterProperties::Builder builder;
  builder.compression(codec);
  if (codec == arrow::Compression::ZSTD) builder.compression_level(kZstdLevel);
  builder.created_by(CreatedBy())
      ->data_page_version(::parquet::ParquetDataPageVersion::V1)
      ->data_pagesize(static_cast<int64_t>(kPageBytes))
      ->max_rows_per_page(static_cast<int64_t>(kPageRows))
      ->max_row_group_length(row_group_rows)
      ->max_statistics_size(kMaxStatisticsBytes)
      ->enable_statistics()
      ->enable_store_decimal_as_integer()  // as Iceberg's Parquet mapping wants small decimals
      ->disable_write_page_index()
      ->set_size_statistics_level(::parquet::SizeStatisticsLevel::None);
  return builder.build();
}

std::unique_ptr<::parquet::arrow::FileWriter> OpenRowWriter(const std::shared_ptr<arrow::Schema>& schema,
                                                            std::shared_ptr<arrow::io::OutputStream> sink,
                                                            std::shared_ptr<::parquet::WriterProperties> properties) {
  auto arrow_properties = ::parquet::ArrowWriterProperties::Builder().enable_compliant_nested_types()->build();
  PARQUET_ASSIGN_OR_THROW(auto writer,
                          ::parquet::arrow::FileWriter::Open(*schema, arrow::default_memory_pool(), std::move(sink),
                                                             std::move(properties), std::move(arrow_properties)));
  return writer;
}

}  // namespace tidegate::parquet
