// The content signature of Parquet files in a store.
//
// Guarantees
// - Bounded memory: each thread holds the compressed bytes of one row group, a page of each column, and a few
// megabytes.
// - Files are foreign: footers and pages are checked, and a broken file costs a message that names it.
#pragma once

#include <string>
#include <vector>

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/signature/content_signature.h"
#include "tidegate/signature/machine.h"
#include "tidegate/store/object_store.h"

namespace tidegate::signature {

struct SignOptions {
  std::vector<std::string> leave_out = {};  // names of columns; one that no file has leaves out none
  size_t threads = 1;
  const CancelFlag* cancel = nullptr;
  Machine machine = ThisMachine();
};

/// Sign the rows of all files together. Their columns must have the same names.
/// Errors: InvalidArgument (no files, columns of other names, no column is left), Unsupported (a type without a text,
/// naming the column), Corruption (broken file), Cancelled, those of the store. The first one ends all threads.
Result<ContentSignature> SignParquet(store::ObjectStore& store, const std::vector<store::ObjectInfo>& files,
                                     const SignOptions& options);

}  // namespace tidegate::signature
