// The XML that S3 answers with, read; and the XML it is sent. Pure. What comes from a server is hostile: sizes and
// numbers are checked, nothing is fetched, nothing is expanded.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/store/object_store.h"
#include "tidegate/store/s3/s3_client.h"

namespace tidegate::store {

/// Errors: Corruption.
Result<S3ListPage> ReadListPage(const std::string& xml);
/// The text of one element below the root: "UploadId", "ETag". Errors: Corruption where it is missing or empty.
Result<std::string> ReadElement(const std::string& xml, const char* name);
/// The time in an element below the root; the epoch where it has none.
UtcTime ReadTimeElement(const std::string& xml, const char* name);
/// Is this reply, sent with status 200, an error after all? CopyObject and CompleteMultipartUpload do that.
bool IsErrorDocument(const std::string& xml);

struct S3DeleteError {
  std::string key;
  std::string code;
  std::string message;
};
/// Errors: Corruption.
Result<std::vector<S3DeleteError>> ReadDeleteErrors(const std::string& xml);

std::string WriteDelete(std::span<const std::string> keys);
std::string WriteComplete(const std::vector<S3Part>& parts);
std::string WriteRestore(const RestoreRequest& request);

/// An ETag without the quotes that headers and XML put around it.
std::string BareEtag(std::string_view etag);

/// What the headers of an object come to.
ArchiveState ArchiveStateOf(std::string_view storage_class, std::string_view restore_header,
                            std::string_view archive_status);

}  // namespace tidegate::store
