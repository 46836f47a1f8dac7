#include "tidegate/signature/sign_stream.h"

#include <algorithm>

#include "tidegate/base/text.h"
#include "tidegate/parquet/arrow_stream.h"
#include "tidegate/signature/duckdb_type.h"
#include "tidegate/signature/signature_builder.h"

namespace tidegate::signature {
namespace {

bool ComesThrough(const DuckDbType& type) {
  constexpr int kWidestInteger = 64;
  switch (type.kind) {
    case SqlKind::kUuid:
    case SqlKind::kTimeNanos:
    case SqlKind::kTimeWithOffset:
      return false;
    case SqlKind::kInteger:
      return type.width <= kWidestInteger;
    default:
      return std::all_of(type.children.begin(), type.children.end(), ComesThrough);
  }
}

}  // namespace

Result<ContentSignature> SignStream(ArrowArrayStream* stream) {
  parquet::ArrowStream rows(stream);
  TG_RETURN_IF_ERROR(rows.Open());
  TG_ASSIGN_OR_RETURN(SignatureBuilder builder, SignatureBuilder::Make(*rows.schema()));
  while (true) {
    TG_ASSIGN_OR_RETURN(const auto batch, rows.Next());
    if (batch == nullptr) return builder.Finish();
    TG_RETURN_IF_ERROR(builder.Add(*batch));
  }
}

Result<bool> ComeThroughStreams(const std::vector<SqlColumn>& columns) {
  bool all = true;
  for (const SqlColumn& column : columns) {
    const Result<DuckDbType> type = DuckDbType::Parse(column.type);
    if (!type.ok()) return type.status().WithContext("sign rows: column " + Quoted(column.name));
    all &= ComesThrough(*type);
  }
  return all;
}

}  // namespace tidegate::signature
