#include "tidegate/parquet/reject_file.h"

#include <parquet/column_writer.h>
#include <parquet/exception.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <memory>

#include "tidegate/parquet/arrow_status.h"
#include "tidegate/parquet/source.h"
#include "tidegate/parquet/writer_properties.h"

namespace tidegate::parquet {
namespace {

using ::parquet::LogicalType;
using ::parquet::Repetition;
using ::parquet::schema::GroupNode;
using ::parquet::schema::PrimitiveNode;

std::shared_ptr<GroupNode> RejectSchema() {
  const auto text = [](const char* name) {
    return PrimitiveNode::Make(name, Repetition::REQUIRED, LogicalType::String(), ::parquet::Type::BYTE_ARRAY);
  };
  const auto row = PrimitiveNode::Make("row", Repetition::REQUIRED, LogicalType::None(), ::parquet::Type::INT64);
  return std::static_pointer_cast<GroupNode>(
      GroupNode::Make("rejects", Repetition::REQUIRED, {text("folder"), text("file"), row, text("reason")}));
}

void WriteTexts(::parquet::RowGroupWriter* group, const std::vector<RejectedRow>& rows,
                std::string RejectedRow::*field) {
  auto* writer = static_cast<::parquet::ByteArrayWriter*>(group->NextColumn());
  for (const RejectedRow& row : rows) {
    const ::parquet::ByteArray value(row.*field);
    writer->WriteBatch(1, nullptr, nullptr, &value);
  }
  writer->Close();
}

void WriteRows(const std::vector<RejectedRow>& rows, const std::shared_ptr<StoreSink>& sink) {
  ::parquet::WriterProperties::Builder builder;
  const auto properties = builder.compression(arrow::Compression::ZSTD)->created_by(CreatedBy())->build();
  const auto file = ::parquet::ParquetFileWriter::Open(sink, RejectSchema(), properties);
  ::parquet::RowGroupWriter* group = file->AppendRowGroup();
  WriteTexts(group, rows, &RejectedRow::folder);
  WriteTexts(group, rows, &RejectedRow::file);
  auto* positions = static_cast<::parquet::Int64Writer*>(group->NextColumn());
  for (const RejectedRow& row : rows) positions->WriteBatch(1, nullptr, nullptr, &row.row);
  positions->Close();
  WriteTexts(group, rows, &RejectedRow::reason);
  group->Close();
  file->Close();
}

}  // namespace

Status WriteRejects(const std::vector<RejectedRow>& rows, store::ObjectWriter& writer) {
  const auto sink = std::make_shared<StoreSink>(writer);
  return CatchWhileWriting(sink->error(), [&]() -> Status {
    WriteRows(rows, sink);
    return sink->error();
  });
}

}  // namespace tidegate::parquet
