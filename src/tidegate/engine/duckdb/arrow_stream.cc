#include "tidegate/engine/duckdb/arrow_stream.h"

#include <arrow/c/abi.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "tidegate/engine/duckdb/duckdb_error.h"

namespace tidegate::engine {
namespace {

class StreamState {
 public:
  explicit StreamState(Cursor cursor)
      : cursor_(std::move(cursor)), options_(duckdb_result_get_arrow_options(&cursor_.result())) {}

  Status GetSchema(ArrowSchema* out) {
    const idx_t count = duckdb_column_count(&cursor_.result());
    std::vector<OwnedType> owned;
    std::vector<duckdb_logical_type> types;
    std::vector<const char*> names;
    for (idx_t i = 0; i < count; ++i) {
      owned.emplace_back(duckdb_column_logical_type(&cursor_.result(), i));
      types.push_back(owned.back().get());
      names.push_back(duckdb_column_name(&cursor_.result(), i));
    }
    const OwnedErrorData error(duckdb_to_arrow_schema(options_.get(), types.data(), names.data(), count, out));
    return DataError(error.get());
  }

  Status GetNext(ArrowArray* out) {
    out->release = nullptr;  // the mark of the end
    TG_ASSIGN_OR_RETURN(const OwnedChunk chunk, cursor_.Next());
    if (chunk.get() == nullptr) return Status::Ok();
    const OwnedErrorData error(duckdb_data_chunk_to_arrow(options_.get(), chunk.get(), out));
    return DataError(error.get());
  }

  /// Arrow's form of a Status: an errno, the message kept for get_last_error.
  int Report(const Status& status) {
    last_error_ = status.message();
    if (status.ok()) return 0;
    return status.code() == Code::kCancelled ? ECANCELED : EIO;
  }

  const char* last_error() const { return last_error_.empty() ? nullptr : last_error_.c_str(); }

 private:
  Cursor cursor_;
  OwnedArrowOptions options_;
  std::string last_error_;
};

StreamState& State(ArrowArrayStream* stream) { return *static_cast<StreamState*>(stream->private_data); }

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) { return State(stream).Report(State(stream).GetSchema(out)); }

int GetNext(ArrowArrayStream* stream, ArrowArray* out) { return State(stream).Report(State(stream).GetNext(out)); }

const char* GetLastError(ArrowArrayStream* stream) { return State(stream).last_error(); }

void Release(ArrowArrayStream* stream) {
  delete &State(stream);
  stream->private_data = nullptr;
  stream->release = nullptr;
}

}  // namespace

void ExportStream(Cursor cursor, ArrowArrayStream* out) {
  auto state = std::make_unique<StreamState>(std::move(cursor));
  out->get_schema = GetSchema;
  out->get_next = GetNext;
  out->get_last_error = GetLastError;
  out->release = Release;
  out->private_data = state.release();
}

}  // namespace tidegate::engine
