// Builder: the port to what computes and writes the rows of one partition.
//
// Used in this order, once for each partition: Begin, then any of the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/publish/run_manifest.h"
#include "tidegate/store/object_store.h"

namespace tidegate::publish {

class Builder {
 public:
  virtual ~Builder() = default;

  /// Evaluates the SELECT; what follows is about its rows, which do not change any more. Returns the names of its
  /// columns. Errors: the engine's, in its words.
  virtual Result<std::vector<std::string>> Begin(const std::string& select) = 0;

  /// Of the rows of Begin.
  virtual Result<std::string> Signature() = 0;
  virtual Result<int64_t> Rows() = 0;
  /// Of a query in which kBuildRelation stands for the rows.
  virtual Result<int64_t> CountRows(const std::string& query) = 0;

  /// Writes them as Parquet files into a folder that holds none. Files come in order of names; none is overwritten.
  virtual Result<std::vector<RunFile>> Write(store::ObjectStore& store, const std::string& folder) = 0;
};

}  // namespace tidegate::publish
