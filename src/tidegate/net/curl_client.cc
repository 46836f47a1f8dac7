#include <curl/curl.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "tidegate/base/text.h"
#include "tidegate/net/http.h"

namespace tidegate::net {
namespace {

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListDeleter>;

constexpr uint64_t kMostErrorBytes = 1 << 20;  // of a reply that is no success

/// One exchange under way: what curl's callbacks read and fill.
struct Exchange {
  const HttpRequest& request;
  const CancelFlag* cancel;
  CURL* easy;
  HttpReply reply = {};
  size_t sent_bytes = 0;
  bool too_large = false;
};

size_t OnHeader(char* data, size_t size, size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const std::string_view line(data, size * count);
  if (line.starts_with("HTTP/")) exchange.reply.headers.clear();  // after "100 Continue" comes the real one
  constexpr size_t kMostHeaders = 200;
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || exchange.reply.headers.size() >= kMostHeaders) return line.size();
  exchange.reply.headers.push_back({ToLower(line.substr(0, colon)), std::string(Trim(line.substr(colon + 1)))});
  return line.size();
}

size_t OnBody(char* data, size_t size, size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const std::string_view bytes(data, size * count);
  HttpReply& reply = exchange.reply;
  if (reply.body_bytes == 0) {
    long status = 0;
    curl_easy_getinfo(exchange.easy, CURLINFO_RESPONSE_CODE, &status);
    reply.status = static_cast<int>(status);
  }
  const std::span<char> out = exchange.request.out;
  const bool to_caller = reply.ok() && out.data() != nullptr;
  const uint64_t most = to_caller ? out.size() : reply.ok() ? exchange.request.max_body_bytes : kMostErrorBytes;
  const uint64_t room = most - reply.body_bytes;
  if (bytes.size() > room) {
    exchange.too_large = true;
    return 0;
  }
  if (to_caller) {
    std::memcpy(out.data() + reply.body_bytes, bytes.data(), bytes.size());
  } else {
    reply.body.append(bytes);
  }
  reply.body_bytes += bytes.size();
  return bytes.size();
}

size_t OnSend(char* buffer, size_t size, size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const std::string_view left = exchange.request.body.substr(exchange.sent_bytes);
  const size_t step = std::min(left.size(), size * count);
  std::memcpy(buffer, left.data(), step);
  exchange.sent_bytes += step;
  return step;
}

int OnSeek(void* user, curl_off_t offset, int origin) {
  auto& exchange = *static_cast<Exchange*>(user);
  if (origin != SEEK_SET || offset < 0 || static_cast<size_t>(offset) > exchange.request.body.size()) {
    return CURL_SEEKFUNC_FAIL;
  }
  exchange.sent_bytes = static_cast<size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

int OnProgress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto& exchange = *static_cast<Exchange*>(user);
  return exchange.cancel != nullptr && exchange.cancel->cancelled() ? 1 : 0;
}

HeaderList MakeHeaders(const HttpRequest& request) {
  HeaderList list;
  const auto add = [&](const std::string& line) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    static_cast<void>(list.release());
    list.reset(longer);
  };
  for (const HttpHeader& header : request.headers) {
    // curl drops a header without a value unless it ends in ';'.
    add(header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
  }
  add("Expect:");  // no pause before a body is sent
  add("Accept:");
  return list;
}

void SetMethod(CURL* easy, const HttpRequest& request, Exchange& exchange) {
  if (request.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    return;
  }
  if (request.method != "GET") curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (request.method == "GET" || request.method == "DELETE") return;
  curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, OnSend);
  curl_easy_setopt(easy, CURLOPT_READDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, OnSeek);
  curl_easy_setopt(easy, CURLOPT_SEEKDATA, &exchange);
}

void SetLimits(CURL* easy, const HttpOptions& options, const HttpRequest& request) {
  const auto stall_seconds = std::chrono::ceil<std::chrono::seconds>(options.stall_limit).count();
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_limit.count()));
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(stall_seconds));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.time_limit.count()));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
}

void SetTransport(CURL* easy, const HttpOptions& options, Exchange& exchange) {
  constexpr long kBufferBytes = 256 << 10;
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, kBufferBytes);
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, kBufferBytes);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  if (!options.ca_bundle.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_bundle.c_str());
  if (!options.use_proxy) curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, OnHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, OnBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, OnProgress);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &exchange);
}

bool NeverLeft(CURL* easy, CURLcode code) {
  long request_bytes = 0;
  curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &request_bytes);
  return request_bytes == 0 || code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST;
}

Status StatusOf(CURLcode code, const Exchange& exchange, bool never_left, const std::string& detail) {
  const std::string what = "no answer from " + Quoted(exchange.request.origin) + ": ";
  switch (code) {
    case CURLE_ABORTED_BY_CALLBACK:
      return exchange.cancel->Check();
    case CURLE_WRITE_ERROR:
      if (!exchange.too_large) break;
      return Corruption("an answer from " + Quoted(exchange.request.origin) + " is larger than was asked for");
    case CURLE_COULDNT_RESOLVE_HOST:
      return Unavailable(what + "there is no such host (DNS): check the endpoint, the region and the network");
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Unavailable(what + "the proxy's name is not known (DNS): check HTTPS_PROXY and HTTP_PROXY");
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return {Code::kUnauthenticated,
              what + "its certificate is not trusted (" + detail +
                  "): where it has a private CA, name its file with --ca-bundle or AWS_CA_BUNDLE"};
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      if (!never_left) break;  // what came back is no HTTP
      return InvalidArgument("not the address of a server: " + Quoted(exchange.request.origin) +
                             ": write it as https://host or http://host:port");
    default:
      break;
  }
  return Unavailable(what + detail);
}

class CurlClient final : public HttpClient {
 public:
  explicit CurlClient(HttpOptions options) : options_(std::move(options)) {}

  HttpOutcome Send(const HttpRequest& request) override {
    Easy easy = Take();
    if (!easy) return Failed({Unavailable("cannot start a request: out of memory"), false});
    Exchange exchange{request, options_.cancel, easy.get()};
    const HeaderList headers = MakeHeaders(request);
    const std::string url = request.origin + request.path + (request.query.empty() ? "" : "?" + request.query);
    std::string detail(CURL_ERROR_SIZE, '\0');
    curl_easy_setopt(easy.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy.get(), CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, detail.data());
    SetLimits(easy.get(), options_, request);
    SetTransport(easy.get(), options_, exchange);
    SetMethod(easy.get(), request, exchange);
    const CURLcode code = curl_easy_perform(easy.get());
    if (code != CURLE_OK) {
      detail.resize(std::strlen(detail.c_str()));
      if (detail.empty()) detail = curl_easy_strerror(code);
      const bool never_left = NeverLeft(easy.get(), code);
      return Failed({StatusOf(code, exchange, never_left, detail), !never_left});  // its connection goes with it
    }
    long status = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    exchange.reply.status = static_cast<int>(status);
    curl_easy_reset(easy.get());  // keeps its connections
    Give(std::move(easy));
    return {.reply = std::move(exchange.reply)};
  }

 private:
  static HttpOutcome Failed(HttpFailure failure) { return {.reply = std::nullopt, .failure = std::move(failure)}; }

  /// The handle that was used last: its connection is the least likely to have been closed by the server.
  Easy Take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return Easy(curl_easy_init());
    Easy easy = std::move(idle_.back());
    idle_.pop_back();
    return easy;
  }

  void Give(Easy easy) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(easy));
  }

  const HttpOptions options_;
  std::mutex mutex_;
  std::vector<Easy> idle_;
};

}  // namespace

Result<std::unique_ptr<HttpClient>> MakeHttpClient(HttpOptions options) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) return Internal(std::string("cannot start libcurl: ") + curl_easy_strerror(started));
  std::error_code error;
  if (!options.ca_bundle.empty() && !std::filesystem::is_regular_file(options.ca_bundle, error)) {
    return NotFound("cannot read the file of CA certificates: " + Quoted(options.ca_bundle) +
                    ": check --ca-bundle and AWS_CA_BUNDLE");
  }
  return std::unique_ptr<HttpClient>(std::make_unique<CurlClient>(std::move(options)));
}

}  // namespace tidegate::net
