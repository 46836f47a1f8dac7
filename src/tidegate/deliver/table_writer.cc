#include "tidegate/deliver/table_writer.h"

#include <arrow/c/abi.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "tidegate/deliver/fan_out.h"

namespace tidegate::deliver {
namespace {

using store::ObjectInfo;
using store::ObjectWriter;

/// Remembers what became of the objects written: which are finished, and whether the store itself failed. So a failure
/// of the query is told from one of the destination by where it arose, not by its code.
class StoreWatch {
 public:
  Status Note(Status status) {
    if (status.ok()) return status;
    const std::lock_guard lock(mutex_);
    if (failure_.ok()) failure_ = status;
    return status;
  }

  void Finished(const ObjectInfo& object) {
    const std::lock_guard lock(mutex_);
    finished_.push_back({object, 0});
  }

  const Status& failure() const { return failure_; }
  std::vector<parquet::WrittenFile>& finished() { return finished_; }

 private:
  std::mutex mutex_;
  Status failure_;
  std::vector<parquet::WrittenFile> finished_;
};

class WatchedWriter final : public ObjectWriter {
 public:
  WatchedWriter(std::unique_ptr<ObjectWriter> inner, StoreWatch& watch) : inner_(std::move(inner)), watch_(watch) {}
  Status Append(std::string_view bytes) override { return watch_.Note(inner_->Append(bytes)); }
  uint64_t size_bytes() const override { return inner_->size_bytes(); }
  Result<ObjectInfo> Finish() override {
    auto object = inner_->Finish();
    if (!object.ok()) return watch_.Note(object.status());
    watch_.Finished(*object);
    return object;
  }

 private:
  const std::unique_ptr<ObjectWriter> inner_;
  StoreWatch& watch_;
};

class FolderWriter {
 public:
  FolderWriter(store::ObjectStore& dest, const WriteRequest& request) : dest_(dest), request_(request) {}

  Status Consume(int slice, ArrowArrayStream* stream) {
    const auto next_file = [&](int split) { return NewFile(slice, split); };
    auto files = parquet::WriteCapped(stream, request_.writer, next_file);
    if (!files.ok()) return files.status();
    const std::lock_guard lock(mutex_);
    for (parquet::WrittenFile& file : *files) files_.push_back(std::move(file));
    return Status::Ok();
  }

  WriteOutcome Outcome(Status status) {
    if (!watch_.failure().ok()) status = watch_.failure();
    WriteOutcome outcome{status, !watch_.failure().ok(), {}};
    outcome.files = status.ok() ? std::move(files_) : std::move(watch_.finished());
    const auto by_key = [](const auto& a, const auto& b) { return a.object.key < b.object.key; };
    std::sort(outcome.files.begin(), outcome.files.end(), by_key);
    return outcome;
  }

 private:
  Result<std::unique_ptr<ObjectWriter>> NewFile(int slice, int split) {
    const std::string key = request_.folder.Path() + "/" + contract::DataFileName(slice, split);
    auto writer = dest_.NewWriter(key, store::PutMode::kCreateOnly);
    if (!writer.ok()) return watch_.Note(writer.status());
    return std::unique_ptr<ObjectWriter>(std::make_unique<WatchedWriter>(std::move(*writer), watch_));
  }

  store::ObjectStore& dest_;
  const WriteRequest& request_;
  StoreWatch watch_;
  std::mutex mutex_;
  std::vector<parquet::WrittenFile> files_;
};

}  // namespace

WriteOutcome WriteTable(Source& source, store::ObjectStore& dest, const WriteRequest& request,
                        const std::function<Status(int64_t rows)>& on_batch) {
  FolderWriter writer(dest, request);
  ArrowArrayStream stream{};
  if (Status status = source.Stream(request.query, &stream); !status.ok()) return writer.Outcome(std::move(status));
  const auto consume = [&](int slice, ArrowArrayStream* rows) { return writer.Consume(slice, rows); };
  return writer.Outcome(FanOut(&stream, request.slices, consume, on_batch));
}

}  // namespace tidegate::deliver
