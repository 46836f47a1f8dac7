// What to send to a bucket's owner where only they may restore: the right that is missing, and the requests to run.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/store/object_store.h"
#include "tidegate/thaw/restore_plan.h"

namespace tidegate::thaw {

inline constexpr const char* kRestoreAction = "s3:RestoreObject";

/// The objects that the right has to cover: "arn:aws:s3:::vendor-bucket/prefix/*". Errors: Unsupported where the bucket
/// is not of S3.
Result<std::string> ResourceOf(const store::ObjectStore& bucket);

/// One `aws s3api restore-object …` line for each object to ask for, safe to paste into a shell. Errors: as ResourceOf.
Result<std::vector<std::string>> RestoreCommands(const store::ObjectStore& bucket, const RestorePlan& plan);

/// The same objects as a manifest of S3 Batch Operations: lines of `bucket,key`, the key URL-encoded. Errors: as
/// ResourceOf.
Result<std::string> BatchManifest(const store::ObjectStore& bucket, const RestorePlan& plan);

}  // namespace tidegate::thaw
