// Settings of a bucket that matter to whoever keeps deliveries or a lake in it, read out of S3's XML. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tidegate/base/status.h"

namespace tidegate::store {

struct S3Lifecycle {
  std::optional<int> aborts_uploads_after_days = {};  // of multipart uploads that nobody finished
  std::optional<int> freezes_after_days = {};         // the soonest move to GLACIER or DEEP_ARCHIVE
  std::optional<int> expires_after_days = {};         // the soonest expiry of current objects
};

/// Of rules that are enabled. Errors: Corruption.
Result<S3Lifecycle> ReadLifecycle(const std::string& xml);
/// "Enabled", "Suspended", "" where it never was. Errors: Corruption.
Result<std::string> ReadVersioning(const std::string& xml);
/// How many multipart uploads are begun and not finished; at most a page of 1,000. Errors: Corruption.
Result<size_t> CountUploads(const std::string& xml);

}  // namespace tidegate::store
