// What the embedded engine needs to read a lake's files where they lie.
#pragma once

#include "tidegate/base/status.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/store/object_store.h"

namespace tidegate::app {

/// Nothing for a lake on this machine. For one in a bucket: DuckDB's `httpfs` extension, which lies beside the program,
/// and a secret with the keys of now, for this bucket alone. Errors: NotFound (the extension), Unauthenticated.
Status LetEngineRead(engine::DuckDb& db, const store::ObjectStore& lake);

}  // namespace tidegate::app
