#include "tidegate/store/s3/s3_request_count.h"

#include <algorithm>
#include <utility>

namespace tidegate::store {

CountingHttpClient::Kind CountingHttpClient::KindOf(const net::HttpRequest& request) {
  const auto has = [&](std::string_view header) {
    return std::any_of(request.headers.begin(), request.headers.end(),
                       [&](const net::HttpHeader& one) { return one.name == header; });
  };
  if (request.method == "HEAD") return kHead;
  if (request.method == "GET") return request.query.find("list-type=") == std::string::npos ? kGet : kList;
  if (request.method == "DELETE" || request.query == "delete=") return kDelete;
  return has("x-amz-copy-source") ? kCopy : kPut;
}

net::HttpOutcome CountingHttpClient::Send(const net::HttpRequest& request) {
  ++counts_[KindOf(request)];
  return inner_->Send(request);
}

S3RequestCount CountingHttpClient::Snapshot() const {
  return {counts_[kList], counts_[kHead], counts_[kGet], counts_[kPut], counts_[kCopy], counts_[kDelete]};
}

}  // namespace tidegate::store
