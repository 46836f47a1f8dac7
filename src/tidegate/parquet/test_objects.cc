#include "tidegate/parquet/test_objects.h"

#include <arrow/array/array_base.h>
#include <arrow/io/memory.h>
#include <arrow/json/from_string.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include <algorithm>
#include <cstring>

namespace tidegate::parquet {

BytesReader::BytesReader(std::string bytes, std::string key) : bytes_(std::move(bytes)) {
  info_.key = std::move(key);
  info_.size_bytes = bytes_.size();
  info_.etag = "1";
}

Result<size_t> BytesReader::ReadAt(uint64_t offset, std::span<char> out) {
  if (reads_until_failure_ > 0 && --reads_until_failure_ == 0) {
    reads_until_failure_ = 1;
    return failure_;
  }
  if (offset >= bytes_.size()) return size_t{0};
  const size_t count = std::min(out.size(), bytes_.size() - static_cast<size_t>(offset));
  std::memcpy(out.data(), bytes_.data() + offset, count);
  bytes_read_ += count;
  return count;
}

void BytesReader::FailFrom(int nth_read, Status status) {
  reads_until_failure_ = nth_read;
  failure_ = std::move(status);
}

Status BytesWriter::Append(std::string_view bytes) {
  if (fail_after_ && bytes_.size() + bytes.size() > *fail_after_) return failure_;
  bytes_ += bytes;
  return {};
}

Result<store::ObjectInfo> BytesWriter::Finish() {
  finished_[key_] = bytes_;
  store::ObjectInfo info;
  info.key = key_;
  info.size_bytes = bytes_.size();
  return info;
}

void BytesWriter::FailAfter(uint64_t bytes, Status status) {
  fail_after_ = bytes;
  failure_ = std::move(status);
}

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type, const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

std::shared_ptr<arrow::Array> DictionaryFromJson(const std::shared_ptr<arrow::DataType>& type,
                                                 const std::string& indices, const std::string& values) {
  return arrow::json::DictArrayFromJSONString(type, indices, values).ValueOrDie();
}

std::shared_ptr<arrow::Table> MakeTable(const Columns& columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const auto& [name, array] : columns) {
    fields.push_back(arrow::field(name, array->type()));
    arrays.push_back(array);
  }
  return arrow::Table::Make(arrow::schema(fields), arrays);
}

std::string MakeFile(const arrow::Table& table, const FileOptions& options) {
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  ::parquet::ArrowWriterProperties::Builder arrow_properties;
  if (options.int96) arrow_properties.enable_deprecated_int96_timestamps();
  if (options.store_schema) arrow_properties.store_schema();
  if (options.old_list_names) arrow_properties.disable_compliant_nested_types();
  const auto properties = options.properties ? options.properties : ::parquet::default_writer_properties();
  PARQUET_THROW_NOT_OK(::parquet::arrow::WriteTable(table, arrow::default_memory_pool(), sink, options.row_group_rows,
                                                    properties, arrow_properties.build()));
  return sink->Finish().ValueOrDie()->ToString();
}

std::string MakeFile(const Columns& columns, const FileOptions& options) {
  return MakeFile(*MakeTable(columns), options);
}

std::shared_ptr<arrow::Table> ReadBack(const std::string& bytes) {
  const auto source = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
  auto reader = ::parquet::arrow::OpenFile(source, arrow::default_memory_pool()).ValueOrDie();
  return reader->ReadTable().ValueOrDie()->CombineChunks().ValueOrDie();
}

}  // namespace tidegate::parquet
