// A Cursor as an Arrow C stream.
#pragma once

#include "tidegate/base/status.h"
#include "tidegate/engine/duckdb/cursor.h"

struct ArrowArrayStream;

namespace tidegate::engine {

/// Fill *out with a stream over the rows of `cursor`. An error in the middle comes out of get_next as EIO (ECANCELED
/// where the query was interrupted) with DuckDB's message in get_last_error.
void ExportStream(Cursor cursor, ArrowArrayStream* out);

}  // namespace tidegate::engine
