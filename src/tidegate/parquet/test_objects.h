// For the tests of this folder: objects in memory that can be told to fail, and small Parquet files made by Arrow.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"

namespace parquet {
class WriterProperties;
}

namespace tidegate::parquet {

class BytesReader final : public store::RandomReader {
 public:
  explicit BytesReader(std::string bytes, std::string key = "v2/shop/orders/part.parquet");
  const store::ObjectInfo& info() const override { return info_; }
  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) override;

  /// From the n-th read on (1 is the next) every read fails with `status`.
  void FailFrom(int nth_read, Status status);
  /// The object now ends here, though info() says otherwise.
  void EndEarly(uint64_t size) { bytes_.resize(size); }
  uint64_t bytes_read() const { return bytes_read_; }

 private:
  std::string bytes_;
  store::ObjectInfo info_;
  uint64_t bytes_read_ = 0;
  int reads_until_failure_ = 0;
  Status failure_;
};

/// What writers have finished, by key.
using Finished = std::map<std::string, std::string>;

class BytesWriter final : public store::ObjectWriter {
 public:
  BytesWriter(std::string key, Finished& finished) : key_(std::move(key)), finished_(finished) {}
  Status Append(std::string_view bytes) override;
  uint64_t size_bytes() const override { return bytes_.size(); }
  Result<store::ObjectInfo> Finish() override;

  /// Appends fail with `status` once more than this was written.
  void FailAfter(uint64_t bytes, Status status);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string key_;
  Finished& finished_;
  std::string bytes_;
  std::optional<uint64_t> fail_after_;
  Status failure_;
};

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type, const std::string& json);
std::shared_ptr<arrow::Array> DictionaryFromJson(const std::shared_ptr<arrow::DataType>& type,
                                                 const std::string& indices, const std::string& values);

using Columns = std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>>;
std::shared_ptr<arrow::Table> MakeTable(const Columns& columns);

struct FileOptions {
  int64_t row_group_rows = 1'000'000;
  bool int96 = false;
  bool store_schema = false;                                          // the ARROW:schema entry
  bool old_list_names = false;                                        // "item" instead of "element"
  std::shared_ptr<::parquet::WriterProperties> properties = nullptr;  // then Arrow's
};
/// The bytes of a Parquet file as Arrow writes it.
std::string MakeFile(const arrow::Table& table, const FileOptions& options = {});
std::string MakeFile(const Columns& columns, const FileOptions& options = {});

/// Read all rows back with Arrow. Requires: a good file.
std::shared_ptr<arrow::Table> ReadBack(const std::string& bytes);

}  // namespace tidegate::parquet
