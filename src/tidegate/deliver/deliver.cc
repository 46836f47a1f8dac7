#include "tidegate/deliver/deliver.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tidegate/deliver/survey.h"
#include "tidegate/deliver/table_writer.h"

namespace tidegate::deliver {
namespace {

using contract::TableName;

// A progress callback after every batch of 2,048 rows would only cost time.
constexpr int64_t kProgressRows = 100'000;

class Run {
 public:
  Run(Source& source, store::ObjectStore& dest, const DeliverOptions& options, const DeliveryPlan& plan,
      const CancelFlag* cancel, const ProgressCallback& progress)
      : source_(source), dest_(dest), options_(options), plan_(plan), cancel_(cancel), progress_(progress) {}

  Result<DeliveryReport> All() {
    report_.delivery = plan_.delivery;
    report_.instant = plan_.instant;
    report_.notes = plan_.notes;
    report_.nothing_to_do = NothingToDo(plan_);
    TG_RETURN_IF_ERROR(DeleteLeftovers());
    for (const TablePlan& table : plan_.tables) TG_RETURN_IF_ERROR(One(table));
    TG_RETURN_IF_ERROR(Seal());
    TG_RETURN_IF_ERROR(WriteManifest());
    return std::move(report_);
  }

 private:
  Status CheckCancel() const { return cancel_ == nullptr ? Status::Ok() : cancel_->Check(); }

  Status DeleteLeftovers() {
    std::vector<std::string> keys;
    for (const TablePlan& table : plan_.tables) keys.insert(keys.end(), table.leftovers.begin(), table.leftovers.end());
    return keys.empty() ? Status::Ok() : dest_.Delete(keys);
  }

  Status One(const TablePlan& table) {
    TableReport report;
    report.folder = table.folder;
    report.action = table.action;
    report.reseed_from = table.reseed_from;
    report.reason = table.reason;
    report.detail = table.detail;
    if (table.writes()) TG_RETURN_IF_ERROR(Write(table, report));
    report_.tables.push_back(std::move(report));
    return Status::Ok();
  }

  Status Write(const TablePlan& table, TableReport& report) {
    TG_RETURN_IF_ERROR(CheckCancel());
    const auto begin = std::chrono::steady_clock::now();
    Tell(table, 0);
    const auto on_batch = [&, told = int64_t{0}](int64_t rows) mutable {
      report.rows += rows;
      return OnRows(table, report.rows, told);
    };
    const WriteRequest request{table.folder, table.query, options_.slices, options_.writer};
    WriteOutcome outcome = WriteTable(source_, dest_, request, on_batch);
    if (outcome.store_failed) return outcome.status.WithContext("delivering " + table.folder.Path());
    if (outcome.status.code() == Code::kCancelled) return outcome.status;
    if (!outcome.status.ok()) return Fail(table, outcome, report);
    Measure(outcome, report);
    TG_RETURN_IF_ERROR(CountUndated(table, report));
    report.window = table.window;
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    written_.emplace_back(&table, std::move(outcome.files));
    return Status::Ok();
  }

  Status OnRows(const TablePlan& table, int64_t rows, int64_t& told) const {
    TG_RETURN_IF_ERROR(CheckCancel());
    if (rows - told < kProgressRows) return Status::Ok();
    told = rows;
    Tell(table, rows);
    return Status::Ok();
  }

  void Tell(const TablePlan& table, int64_t rows) const {
    if (progress_) progress_({written_.size() + failed_.size(), plan_.writes(), table.folder.table, rows});
  }

  /// The table stays out of this delivery; its finished files would only lie about.
  Status Fail(const TablePlan& table, const WriteOutcome& outcome, TableReport& report) {
    report.action = Action::kMissing;
    report.rows = 0;
    report.reseed_from.reset();
    report.reason = "its rows cannot be read or written";
    report.detail = outcome.status.message();
    failed_[table.folder.table] = report.reason;
    std::vector<std::string> keys;
    for (const parquet::WrittenFile& file : outcome.files) keys.push_back(file.object.key);
    return keys.empty() ? Status::Ok() : dest_.Delete(keys);
  }

  static void Measure(const WriteOutcome& outcome, TableReport& report) {
    report.rows = 0;
    for (const parquet::WrittenFile& file : outcome.files) {
      report.rows += file.rows;
      report.bytes += file.object.size_bytes;
    }
    report.files = static_cast<int64_t>(outcome.files.size());
  }

  Status CountUndated(const TablePlan& table, TableReport& report) {
    if (table.undated_query.empty()) return Status::Ok();
    const auto rows = source_.Count(table.undated_query);
    if (rows.ok()) {
      report.undated_rows = *rows;
    } else {
      report_.notes.push_back("rows without a change time could not be counted: " + table.folder.table.ToString() +
                              ": " + rows.status().message());
    }
    return Status::Ok();
  }

  Status Seal() {
    if (written_.empty()) return Status::Ok();
    TG_RETURN_IF_ERROR(CheckCancel());
    TG_RETURN_IF_ERROR(source_.VerifySnapshot());
    for (const auto& [table, files] : written_) TG_RETURN_IF_ERROR(CheckFolder(*table, files));
    for (const auto& [table, files] : written_) TG_RETURN_IF_ERROR(PutState(*table));
    TG_RETURN_IF_ERROR(dest_.Sync());
    for (const auto& [table, files] : written_) TG_RETURN_IF_ERROR(PutSeal(*table));
    return dest_.Sync();
  }

  /// Nobody else wrote into the folder meanwhile, nor sealed it.
  Status CheckFolder(const TablePlan& table, const std::vector<parquet::WrittenFile>& files) {
    std::set<std::pair<std::string, std::string>> ours;
    for (const parquet::WrittenFile& file : files) ours.emplace(file.object.key, file.object.etag);
    store::ListRequest request;
    request.prefix = table.folder.Path() + "/";
    TG_ASSIGN_OR_RETURN(const store::Listing listing, dest_.List(request));
    std::set<std::pair<std::string, std::string>> there;
    for (const store::ObjectInfo& object : listing.objects) {
      const auto kind = contract::ParseKey(object.key).kind;
      const bool counts = kind == contract::ParsedKey::Kind::kData || kind == contract::ParsedKey::Kind::kSuccess;
      if (counts) there.emplace(object.key, object.etag);
    }
    if (there == ours) return Status::Ok();
    return PreconditionFailed(
        "the folder does not hold the files that were just written: is another delivery at work? " +
        std::string("Run this one again when it is the only one: ") + table.folder.Path());
  }

  Status PutState(const TablePlan& table) {
    if (!table.state) return Status::Ok();
    const std::string key = contract::StateKey(table.folder.delivery.version, table.folder.table);
    return StatusOf(dest_.Put(key, WriteState(*table.state), store::PutMode::kOverwrite));
  }

  Status PutSeal(const TablePlan& table) {
    const std::string key = table.folder.Path() + "/" + std::string(contract::kSuccessName);
    return StatusOf(dest_.Put(key, "", store::PutMode::kCreateOnly));
  }

  Status WriteManifest() {
    if (!plan_.has_manifest()) return Status::Ok();
    const std::string text = contract::WriteManifest(ManifestOf(plan_, failed_));
    if (text == plan_.manifest_text) return Status::Ok();
    const std::string key = contract::ManifestKey(plan_.delivery);
    TG_RETURN_IF_ERROR(StatusOf(dest_.Put(key, text, store::PutMode::kOverwrite)));
    report_.manifest_written = true;
    return dest_.Sync();
  }

  static Status StatusOf(const Result<store::ObjectInfo>& put) { return put.ok() ? Status::Ok() : put.status(); }

  Source& source_;
  store::ObjectStore& dest_;
  const DeliverOptions& options_;
  const DeliveryPlan& plan_;
  const CancelFlag* cancel_;
  const ProgressCallback& progress_;
  std::vector<std::pair<const TablePlan*, std::vector<parquet::WrittenFile>>> written_;
  std::map<TableName, std::string> failed_;
  DeliveryReport report_;
};

}  // namespace

Result<DeliveryPlan> Plan(Source& source, store::ObjectStore& dest, const DeliverOptions& options,
                          const CancelFlag* cancel) {
  TG_ASSIGN_OR_RETURN(const DeliveryFacts facts, Survey(source, dest, options, cancel));
  return PlanDelivery(facts);
}

Result<DeliveryReport> Deliver(Source& source, store::ObjectStore& dest, const DeliverOptions& options,
                               const CancelFlag* cancel, const ProgressCallback& progress) {
  TG_ASSIGN_OR_RETURN(const DeliveryPlan plan, Plan(source, dest, options, cancel));
  return Run(source, dest, options, plan, cancel, progress).All();
}

}  // namespace tidegate::deliver
