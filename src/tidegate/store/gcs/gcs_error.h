// What an error of Google Cloud Storage, as Arrow hands it over, means for the caller: a Status whose message says what
// to do next. Pure.
#pragma once

#include <string>
#include <string_view>

#include "tidegate/base/status.h"

namespace arrow {
class Status;
}

namespace tidegate::store {

/// `what` failed on `url` ("cannot read object", "gs://bucket/key").
Status StatusOfGcsError(const arrow::Status& error, std::string_view what, const std::string& url);

/// Does it come from the server or from Google's library? Else it is Arrow's own.
bool IsOfServer(const arrow::Status& error);

/// Did the server itself say that the thing is not there? Arrow's own "No such file or directory" is not that.
bool ServerSaysNotFound(const arrow::Status& error);

/// The server does not let this identity do it, whatever it is.
bool ServerSaysForbidden(const arrow::Status& error);

Status NoSuchGcsObject(const std::string& url);
Status NoSuchGcsBucket(const std::string& bucket);

/// The object is not the one that was seen: PreconditionFailed.
Status ReplacedInGcs(const std::string& url);

/// Unsupported: nothing is written to gs://.
Status GcsIsReadOnly(const std::string& url);

}  // namespace tidegate::store
