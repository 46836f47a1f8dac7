#include "tidegate/parquet/rewrite.h"

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tidegate/base/text.h"
#include "tidegate/parquet/arrow_status.h"
#include "tidegate/parquet/column_types.h"
#include "tidegate/parquet/decode_pool.h"
#include "tidegate/parquet/footer.h"
#include "tidegate/parquet/lake_types.h"
#include "tidegate/parquet/source.h"
#include "tidegate/parquet/writer_properties.h"

namespace tidegate::parquet {
namespace {

constexpr int64_t kMaxRowGroupRows = 1'048'576;
constexpr char kCompression[] = "zstd";

std::string Subject(const StoreSource& source) { return "rewrite Parquet file: " + Quoted(source.key()) + ": "; }

/// What is kept: Parquet's leaf columns, and the schema of the copy.
struct RewritePlan {
  std::vector<int> leaves;
  std::shared_ptr<arrow::Schema> schema;
  bool exact = false;  // a cast may change values where it should not: look
};

bool IsDropped(const RewriteRequest& request, const std::string& name) {
  return std::any_of(request.drop_columns.begin(), request.drop_columns.end(),
                     [&](const std::string& dropped) { return ToLower(dropped) == ToLower(name); });
}

Result<RewritePlan> PlanRewrite(const OpenedFile& file, const RewriteRequest& request) {
  const ColumnTypes types = MapColumns(*file.metadata->schema());
  RewritePlan plan;
  std::set<int> roots;
  std::vector<schema::Field> fields;
  for (size_t i = 0; i < types.columns.size(); ++i) {
    if (IsDropped(request, types.columns[i].name)) continue;
    roots.insert(types.roots[i]);
    const auto other = request.take_as.find(types.columns[i].name);
    plan.exact = plan.exact || other != request.take_as.end();
    fields.push_back(other == request.take_as.end() ? types.columns[i] : other->second);
  }
  if (fields.empty()) return Unsupported(Subject(*file.source) + "no column would be left");
  for (size_t i = 0; i < types.obstacles.size(); ++i) {
    const ColumnObstacle& obstacle = types.obstacles[i];
    if (obstacle.obstacle != Obstacle::kUnsupportedType || !roots.contains(types.obstacle_roots[i])) continue;
    return Unsupported(Subject(*file.source) + "column " + Quoted(obstacle.column) +
                       " has a type that a lake cannot hold: " + Quoted(obstacle.declared));
  }
  plan.schema = ArrowSchema(fields);
  for (size_t leaf = 0; leaf < types.leaves.size(); ++leaf) {
    if (roots.contains(types.leaves[leaf].root)) plan.leaves.push_back(static_cast<int>(leaf));
  }
  return plan;
}

class Rewriter {
 public:
  Rewriter(const OpenedFile& file, RewritePlan plan, StoreSink& sink)
      : file_(file), plan_(std::move(plan)), sink_(sink) {}

  Status CopyGroup(::parquet::arrow::FileReader& rows, ::parquet::arrow::FileWriter& writer, int group) {
    const int64_t expected = file_.metadata->RowGroup(group)->num_rows();
    if (expected == 0) return {};
    auto batches = rows.GetRecordBatchReader({group}, plan_.leaves);
    if (!batches.ok()) return ReadError(batches.status(), *file_.source);
    TG_RETURN_IF_ERROR(Written(writer.NewBufferedRowGroup()));
    int64_t copied = 0;
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch;
      const arrow::Status status = (*batches)->ReadNext(&batch);
      if (!status.ok()) return ReadError(status, *file_.source);
      if (batch == nullptr) break;
      TG_RETURN_IF_ERROR(CopyBatch(*batch, writer));
      copied += batch->num_rows();
    }
    if (copied == expected) return {};
    return Corruption(Subject(*file_.source) + "a row group holds fewer rows than it claims; row group " +
                      std::to_string(group));
  }

 private:
  Status CopyBatch(const arrow::RecordBatch& batch, ::parquet::arrow::FileWriter& writer) {
    const auto cast = CastToLake(batch, plan_.schema, plan_.exact ? CastCheck::kReversible : CastCheck::kFits);
    if (!cast.ok()) return Status(cast.status().code(), Subject(*file_.source) + cast.status().message());
    return Written(writer.WriteRecordBatch(**cast));
  }

  Status Written(const arrow::Status& status) const {
    return status.ok() ? Status() : WriteError(status, sink_.error());
  }

  const OpenedFile& file_;
  RewritePlan plan_;
  StoreSink& sink_;
};

Status CopyRows(const OpenedFile& file, RewritePlan plan, const std::shared_ptr<StoreSink>& sink) {
  DecodePool pool;
  TG_ASSIGN_OR_RETURN(const auto rows, OpenRows(file, {.keep_uuids = true}, pool.get()));
  TG_ASSIGN_OR_RETURN(auto properties, MakeWriterProperties(kCompression, kMaxRowGroupRows));
  const auto writer = OpenRowWriter(plan.schema, sink, std::move(properties));
  Rewriter rewriter(file, std::move(plan), *sink);
  for (int group = 0; group < file.metadata->num_row_groups(); ++group) {
    TG_RETURN_IF_ERROR(rewriter.CopyGroup(*rows, *writer, group));
  }
  const arrow::Status closed = writer->Close();
  return closed.ok() ? Status() : WriteError(closed, sink->error());
}

}  // namespace

Status RewriteFile(store::RandomReader& reader, const RewriteRequest& request, store::ObjectWriter& writer) {
  TG_ASSIGN_OR_RETURN(const OpenedFile file, OpenFooter(reader));
  const auto sink = std::make_shared<StoreSink>(writer);
  const Status status = CatchWhileReading(*file.source, [&]() -> Status {
    TG_ASSIGN_OR_RETURN(RewritePlan plan, PlanRewrite(file, request));
    return CopyRows(file, std::move(plan), sink);
  });
  return !status.ok() && !sink->error().ok() ? sink->error() : status;
}

}  // namespace tidegate::parquet
