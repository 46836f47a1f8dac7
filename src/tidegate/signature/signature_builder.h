// SignatureBuilder: signs the rows of Arrow record batches. One a thread; they are merged at the end.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/signature/content_signature.h"
#include "tidegate/signature/row_sum.h"

namespace tidegate::signature {

class SignatureBuilder {
 public:
  /// Columns named in `leave_out` are not signed; a name that is no column leaves out none.
  /// Errors: Corruption (two columns of one name), InvalidArgument (no column is left).
  static Result<SignatureBuilder> Make(const arrow::Schema& schema, const std::vector<std::string>& leave_out = {});

  /// Requires: a batch of that schema. Errors: Unsupported (a type without a text, naming the column).
  Status Add(const arrow::RecordBatch& batch);
  /// Errors: InvalidArgument (the other one signs columns of other names).
  Status Merge(const SignatureBuilder& other);
  ContentSignature Finish() const { return sum_.Finish(columns_.digest()); }

 private:
  explicit SignatureBuilder(SignedColumns columns) : columns_(std::move(columns)) {}

  SignedColumns columns_;
  RowSum sum_;
};

}  // namespace tidegate::signature
