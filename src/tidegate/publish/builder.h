// Builder: the port to what computes and writes the rows of one partition.
//
// Used in this order, once for each partition: Begin, Write, CountRows any number of times. An engine that can tell
// what it will write says so at Begin, and nothing is written where the same content is there already. One that
// computes rows only while it writes them says nothing, and the content is compared afterwards (C-57).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/publish/run_manifest.h"
#include "tidegate/store/object_store.h"

namespace tidegate::publish {

/// What an engine knows of the rows before it writes them.
struct Foresight {
  std::vector<std::string> columns{};
  std::string signature{};
};

class Builder {
 public:
  virtual ~Builder() = default;

  /// Takes the SELECT of a partition; what follows is about its rows. With foresight they do not change any more.
  /// Errors: the engine's, in its words.
  virtual Result<std::optional<Foresight>> Begin(const std::string& select) = 0;

  /// Writes them as Parquet files into a folder that holds none, and nothing else. Files come in order of names, none
  /// is overwritten. What a failure leaves there is removed by a later clean-up.
  virtual Result<std::vector<RunFile>> Write(store::ObjectStore& store, const std::string& folder) = 0;

  /// Of a query in which kBuildRelation stands for the rows that were written.
  virtual Result<int64_t> CountRows(const std::string& query) = 0;
};

}  // namespace tidegate::publish
