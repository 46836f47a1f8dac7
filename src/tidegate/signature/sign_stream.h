// The content signature of the rows that DuckDB hands over as an Arrow stream: many times as fast as in its SQL.
#pragma once

#include <arrow/c/abi.h>

#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/signature/content_signature.h"
#include "tidegate/signature/signature_sql.h"

namespace tidegate::signature {

/// Takes all rows, and releases the stream. Errors: the stream's own, those of SignatureBuilder.
Result<ContentSignature> SignStream(ArrowArrayStream* stream);

/// Do values of these columns come through a stream as they are? Some become others on the way: a UUID is text there.
/// Errors: Unsupported (a type without a signature, naming the column).
Result<bool> ComeThroughStreams(const std::vector<SqlColumn>& columns);

}  // namespace tidegate::signature
