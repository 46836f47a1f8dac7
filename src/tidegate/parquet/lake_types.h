// Arrow types as the lake has them, and batches cast to them: microseconds, signed integers, plain strings, no
// dictionaries.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/schema/schema.h"

namespace tidegate::parquet {

/// The lake's form of each column of a stream. Field metadata (and with it field ids) is left out.
/// Errors: InvalidArgument naming the column and the cast that helps (intervals, durations, columns without a type,
/// decimals of more than 38 digits), or two columns of one name.
Result<std::shared_ptr<arrow::Schema>> LakeSchema(const arrow::Schema& from);

/// Fields of the lake as Arrow types.
std::shared_ptr<arrow::Schema> ArrowSchema(const std::vector<schema::Field>& fields);

enum class CastCheck {
  kFits,        // no value overflows or loses digits
  kReversible,  // and cast back each is what it was: "007" is not the number 7
};

/// The batch with exactly these columns' types. Casts are exact.
/// Errors: InvalidArgument naming the column (a value that does not fit or would lose digits).
Result<std::shared_ptr<arrow::RecordBatch>> CastToLake(const arrow::RecordBatch& batch,
                                                       const std::shared_ptr<arrow::Schema>& to,
                                                       CastCheck check = CastCheck::kFits);

}  // namespace tidegate::parquet
