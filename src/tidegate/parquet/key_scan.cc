#include "tidegate/parquet/key_scan.h"

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <parquet/arrow/reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/parquet/arrow_status.h"
#include "tidegate/parquet/decode_pool.h"
#include "tidegate/parquet/footer.h"
#include "tidegate/parquet/key_cells.h"

namespace tidegate::parquet {
namespace {

constexpr char kOrderNull = '\0';
constexpr char kOrderValue = '\1';

std::string Subject(const StoreSource& source) { return "read keys: " + Quoted(source.key()) + ": "; }

/// Where the requested columns are: Parquet's leaf columns to read, and each one's place in a batch of these.
class ScanPlan {
 public:
  static Result<ScanPlan> Make(const OpenedFile& file, const KeyScanRequest& request) {
    ScanPlan plan;
    std::vector<int> keys;
    std::vector<std::optional<int>> orders;
    for (const std::string& name : request.key_columns) {
      TG_ASSIGN_OR_RETURN(const std::optional<int> leaf, FindLeaf(file, name));
      if (!leaf) return NotFound(Subject(*file.source) + "the file has no key column " + Quoted(name));
      keys.push_back(*leaf);
    }
    for (const std::string& name : request.order_columns) {
      TG_ASSIGN_OR_RETURN(const std::optional<int> leaf, FindLeaf(file, name));
      orders.push_back(leaf);
    }
    for (const int leaf : keys) plan.leaves_.push_back(leaf);
    for (const auto& leaf : orders) {
      if (leaf) plan.leaves_.push_back(*leaf);
    }
    std::sort(plan.leaves_.begin(), plan.leaves_.end());
    plan.leaves_.erase(std::unique(plan.leaves_.begin(), plan.leaves_.end()), plan.leaves_.end());
    for (const int leaf : keys) plan.keys_.push_back(plan.PlaceOf(leaf));
    for (const auto& leaf : orders) plan.orders_.push_back(leaf ? std::optional(plan.PlaceOf(*leaf)) : std::nullopt);
    return plan;
  }

  const std::vector<int>& leaves() const { return leaves_; }
  const std::vector<int>& keys() const { return keys_; }
  const std::vector<std::optional<int>>& orders() const { return orders_; }

 private:
  int PlaceOf(int leaf) const {
    return static_cast<int>(std::lower_bound(leaves_.begin(), leaves_.end(), leaf) - leaves_.begin());
  }

  /// The leaf of a top-level column of exactly this name.
  static Result<std::optional<int>> FindLeaf(const OpenedFile& file, const std::string& name) {
    const ::parquet::SchemaDescriptor& schema = *file.metadata->schema();
    std::optional<int> found;
    for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
      const ::parquet::schema::Node& root = *schema.GetColumnRoot(leaf);
      if (root.name() != name) continue;
      if (root.is_group() || root.is_repeated()) {
        return Unsupported(Subject(*file.source) + "a nested column cannot be a key or an order: " + Quoted(name));
      }
      if (found) return Corruption(Subject(*file.source) + "the file has the column twice: " + Quoted(name));
      found = leaf;
    }
    return found;
  }

  std::vector<int> leaves_;  // ascending: the order of columns in a batch
  std::vector<int> keys_;
  std::vector<std::optional<int>> orders_;
};

class KeyScanner {
 public:
  using Sink = std::function<Status(std::span<const KeyRow>)>;

  KeyScanner(const OpenedFile& file, ScanPlan plan, uint64_t seed, const Sink& sink)
      : file_(file), plan_(std::move(plan)), seed_(seed), sink_(sink) {}

  Status Run() {
    TG_ASSIGN_OR_RETURN(const auto rows, OpenRows(file_, {}, pool_.get()));
    for (int group = 0; group < file_.metadata->num_row_groups(); ++group) {
      const int64_t end = position_ + file_.metadata->RowGroup(group)->num_rows();
      TG_RETURN_IF_ERROR(ScanGroup(*rows, group));
      if (position_ != end) {
        return Corruption(Subject(*file_.source) + "a row group holds fewer rows than it claims; row group " +
                          std::to_string(group));
      }
    }
    return {};
  }

 private:
  Status ScanGroup(::parquet::arrow::FileReader& rows, int group) {
    if (file_.metadata->RowGroup(group)->num_rows() == 0) return {};
    auto batches = rows.GetRecordBatchReader({group}, plan_.leaves());
    if (!batches.ok()) return ReadError(batches.status(), *file_.source);
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch;
      const arrow::Status status = (*batches)->ReadNext(&batch);
      if (!status.ok()) return ReadError(status, *file_.source);
      if (batch == nullptr) return {};
      TG_RETURN_IF_ERROR(ScanBatch(*batch));
    }
  }

  Status ScanBatch(const arrow::RecordBatch& batch) {
    std::vector<std::unique_ptr<KeyCells>> cells;
    for (int column = 0; column < batch.num_columns(); ++column) {
      Result<std::unique_ptr<KeyCells>> made = MakeKeyCells(*batch.column(column), batch.column_name(column));
      if (!made.ok()) return Status(made.status().code(), Subject(*file_.source) + made.status().message());
      cells.push_back(std::move(made).value());
    }
    rows_.resize(static_cast<size_t>(batch.num_rows()));
    for (int64_t i = 0; i < batch.num_rows(); ++i) {
      KeyRow& row = rows_[static_cast<size_t>(i)];
      row.position = position_ + i;
      SetKey(cells, i, row);
      SetOrder(cells, i, row);
    }
    position_ += batch.num_rows();
    return sink_(rows_);
  }

  void SetKey(const std::vector<std::unique_ptr<KeyCells>>& cells, int64_t i, KeyRow& row) {
    scratch_.clear();
    row.null_key = false;
    for (const int place : plan_.keys()) {
      const KeyCells& cell = *cells[static_cast<size_t>(place)];
      if (cell.IsNull(i)) {
        row.null_key = true;
        AppendNullKey(scratch_);
      } else {
        cell.AppendKey(i, scratch_);
      }
    }
    row.key = HashBytes(scratch_, seed_);
  }

  void SetOrder(const std::vector<std::unique_ptr<KeyCells>>& cells, int64_t i, KeyRow& row) const {
    row.order.clear();
    for (const std::optional<int> place : plan_.orders()) {
      if (!place || cells[static_cast<size_t>(*place)]->IsNull(i)) {
        row.order += kOrderNull;
      } else {
        row.order += kOrderValue;
        cells[static_cast<size_t>(*place)]->AppendOrder(i, row.order);
      }
    }
  }

  const OpenedFile& file_;
  ScanPlan plan_;
  uint64_t seed_;
  const Sink& sink_;
  DecodePool pool_;
  int64_t position_ = 0;
  std::string scratch_;
  std::vector<KeyRow> rows_;  // kept from batch to batch for the capacity of its strings
};

}  // namespace

Status ScanKeys(store::RandomReader& reader, const KeyScanRequest& request,
                const std::function<Status(std::span<const KeyRow>)>& sink) {
  if (request.key_columns.empty()) return InvalidArgument("read keys: no key column was named");
  TG_ASSIGN_OR_RETURN(const OpenedFile file, OpenFooter(reader));
  return CatchWhileReading(*file.source, [&]() -> Status {
    TG_ASSIGN_OR_RETURN(ScanPlan plan, ScanPlan::Make(file, request));
    return KeyScanner(file, std::move(plan), request.seed, sink).Run();
  });
}

}  // namespace tidegate::parquet
