// A DuckDB handle that is destroyed with its own function when it goes out of scope.
#pragma once

#include <duckdb.h>

#include <utility>

namespace tidegate::engine {

template <typename T, void (*Destroy)(T*)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T value) : value_(value) {}
  Owned(Owned&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      Reset();
      value_ = std::exchange(other.value_, T{});
    }
    return *this;
  }
  ~Owned() { Reset(); }

  const T& get() const { return value_; }
  T& get() { return value_; }
  /// Where a C function puts a new handle; the earlier one is destroyed first.
  T* Out() {
    Reset();
    return &value_;
  }
  void Reset() {
    Destroy(&value_);  // DuckDB's destroy functions accept empty handles
    value_ = T{};
  }

 private:
  T value_{};
};

using OwnedConfig = Owned<duckdb_config, duckdb_destroy_config>;
using OwnedDatabase = Owned<duckdb_database, duckdb_close>;
using OwnedConnection = Owned<duckdb_connection, duckdb_disconnect>;
using OwnedStatements = Owned<duckdb_extracted_statements, duckdb_destroy_extracted>;
using OwnedPrepared = Owned<duckdb_prepared_statement, duckdb_destroy_prepare>;
using OwnedPending = Owned<duckdb_pending_result, duckdb_destroy_pending>;
using OwnedResult = Owned<duckdb_result, duckdb_destroy_result>;
using OwnedChunk = Owned<duckdb_data_chunk, duckdb_destroy_data_chunk>;
using OwnedType = Owned<duckdb_logical_type, duckdb_destroy_logical_type>;
using OwnedValue = Owned<duckdb_value, duckdb_destroy_value>;
using OwnedErrorData = Owned<duckdb_error_data, duckdb_destroy_error_data>;
using OwnedArrowOptions = Owned<duckdb_arrow_options, duckdb_destroy_arrow_options>;

inline void FreeText(char** text) { duckdb_free(*text); }
using OwnedText = Owned<char*, FreeText>;

}  // namespace tidegate::engine
