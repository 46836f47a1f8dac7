#include "tidegate/store/s3/s3_client.h"

#include <algorithm>
#include <charconv>

#include "tidegate/base/hash.h"
#include "tidegate/base/text.h"
#include "tidegate/store/s3/crc32c.h"
#include "tidegate/store/s3/s3_error.h"
#include "tidegate/store/s3/s3_xml.h"

namespace tidegate::store {
namespace {

constexpr const char* kPutIdHeader = "x-amz-meta-tidegate-put";
constexpr uint64_t kMostXmlBytes =
    16 << 20;  // a page of 1,000 keys of 1,024 bytes, each byte encoded as three, and more

std::string QuotedEtag(std::string_view etag) {
  return etag.starts_with("W/") ? std::string(etag) : "\"" + std::string(etag) + "\"";
}

std::string ByteRange(uint64_t offset, uint64_t bytes) {
  return "bytes=" + std::to_string(offset) + "-" + std::to_string(offset + bytes - 1);
}

void AddCondition(const S3Condition& condition, aws::Call& call) {
  if (condition.absent) call.request.headers.push_back({"if-none-match", "*"});
  if (!condition.etag.empty()) call.request.headers.push_back({"if-match", QuotedEtag(condition.etag)});
}

uint64_t SizeOf(const net::HttpReply& reply) {
  const std::string_view text = reply.Header("content-length");
  uint64_t size = 0;
  std::from_chars(text.data(), text.data() + text.size(), size);
  return size;
}

ObjectInfo InfoOfReply(std::string_view key, const net::HttpReply& reply) {
  ObjectInfo info;
  info.key = key;
  info.size_bytes = SizeOf(reply);
  info.etag = BareEtag(reply.Header("etag"));
  info.modified = net::ParseHttpDate(reply.Header("last-modified")).value_or(UtcTime());
  const std::string_view storage_class = reply.Header("x-amz-storage-class");
  if (storage_class != "STANDARD") info.storage_class = storage_class;
  info.archive =
      ArchiveStateOf(info.storage_class, reply.Header("x-amz-restore"), reply.Header("x-amz-archive-status"));
  return info;
}

/// The size of the whole object, from "bytes 0-9/1234"; nothing where the server does not say.
std::optional<uint64_t> WholeSizeOf(std::string_view content_range) {
  const size_t slash = content_range.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view text = content_range.substr(slash + 1);
  uint64_t size = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return size;
}

/// The server's clock: near to when the object was written.
UtcTime TimeOfReply(const net::HttpReply& reply) {
  return net::ParseHttpDate(reply.Header("date")).value_or(UtcTime());
}

bool IsAmazonHost(std::string_view host) {
  return host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn");
}

/// The origin of a URL, if it may be followed: the same scheme, and a host of AWS's or the same as before.
std::string OriginToFollow(std::string_view location, std::string_view origin) {
  const auto split = [](std::string_view url) {
    const size_t scheme = url.find("://");
    if (scheme == std::string_view::npos) return std::pair<std::string_view, std::string_view>();
    return std::pair(url.substr(0, scheme), url.substr(scheme + 3, url.find('/', scheme + 3) - scheme - 3));
  };
  const auto host_of = [](std::string_view authority) { return authority.substr(0, authority.find(':')); };
  const auto [scheme, authority] = split(location);
  const auto [our_scheme, our_authority] = split(origin);
  const bool may = scheme == our_scheme && !authority.empty() &&
                   (host_of(authority) == host_of(our_authority) ||
                    (IsAmazonHost(host_of(authority)) && IsAmazonHost(host_of(our_authority))));
  return may ? std::string(scheme) + "://" + std::string(authority) : "";
}

}  // namespace

S3Client::S3Client(S3Settings settings, std::shared_ptr<CountingHttpClient> http)
    : settings_(std::move(settings)),
      region_(settings_.region),
      http_(std::move(http)),
      client_({.http = http_,
               .credentials = settings_.credentials,
               .clock = std::make_shared<SystemClock>(),
               .sleeper = std::make_shared<aws::SystemSleeper>(settings_.cancel),
               .retry = settings_.retry}) {}

Result<std::unique_ptr<S3Client>> S3Client::Make(S3Settings settings, std::shared_ptr<net::HttpClient> http) {
  TG_ASSIGN_OR_RETURN(S3Address address, AddressOf(settings));
  if (!http) {
    TG_ASSIGN_OR_RETURN(
        http, net::MakeHttpClient(
                  {.stall_limit = settings.stall_limit, .ca_bundle = settings.ca_bundle, .cancel = settings.cancel}));
  }
  std::unique_ptr<S3Client> client(
      new S3Client(std::move(settings), std::make_shared<CountingHttpClient>(std::move(http))));
  client->address_ = std::move(address);
  return client;
}

bool S3Client::SameServer(const S3Client& other) const { return settings_.endpoint == other.settings_.endpoint; }

S3Settings S3Client::CurrentSettings() const {
  const std::lock_guard lock(mutex_);
  S3Settings out = settings_;
  out.region = region_;
  return out;
}

std::string S3Client::UrlOf(std::string_view key) const {
  return "s3://" + settings_.bucket + (key.empty() ? "" : "/") + std::string(key);
}

aws::Call S3Client::NewCall(std::string method, std::string_view key) const {
  aws::Call call;
  const std::lock_guard lock(mutex_);
  call.request.method = std::move(method);
  call.request.origin = address_.origin;
  call.request.path = address_.path_head + aws::UriEncode(key, true);
  call.request.max_body_bytes = kMostXmlBytes;
  call.scope = {region_, "s3"};
  if (settings_.requester_pays) call.request.headers.push_back({"x-amz-request-payer", "requester"});
  return call;
}

std::string S3Client::AddBody(aws::Call& call, std::string_view bytes) {
  std::string checksum = Crc32cBase64(bytes);
  call.request.body = bytes;
  call.hash_body = call.request.origin.starts_with("http://");  // TLS keeps the body whole by itself
  call.request.headers.push_back({"content-type", "application/octet-stream"});
  call.request.headers.push_back({"x-amz-checksum-crc32c", checksum});
  return checksum;
}

/// The bucket is in another region, or for now at another address: aim the call there, and all later ones.
bool S3Client::Follow(const net::HttpReply& reply, aws::Call& call) {
  if (reply.status != 301 && reply.status != 302 && reply.status != 307 && reply.status != 308 && reply.status != 400) {
    return false;
  }
  const aws::ServiceError error = aws::ReadServiceError(reply);
  const std::lock_guard lock(mutex_);
  if (!error.region.empty() && error.region != call.scope.region) {
    S3Settings there = settings_;
    there.region = error.region;
    const auto address = AddressOf(there);
    if (!address.ok()) return false;
    region_ = error.region;
    address_ = *address;
    call.scope.region = region_;
    call.request.origin = address_.origin;
    return true;
  }
  if (reply.status != 307) return false;
  const std::string origin = OriginToFollow(reply.Header("location"), call.request.origin);
  if (origin.empty() || origin == call.request.origin) return false;
  call.request.origin = origin;  // of this one alone
  return true;
}

Result<aws::Answer> S3Client::Send(aws::Call call, std::string_view key) {
  constexpr int kMostRedirects = 3;
  for (int redirects = 0;; ++redirects) {
    auto answer = client_.Send(call);
    if (!answer.ok()) return answer.status().WithContext(Quoted(UrlOf(key), 1200));
    if (redirects == kMostRedirects || !Follow(answer->reply, call)) return answer;
  }
}

Status S3Client::ErrorOf(const net::HttpReply& reply, std::string_view key, std::string_view what) const {
  return StatusOfS3Error(aws::ReadServiceError(reply), what, UrlOf(key), settings_.bucket);
}

Result<aws::Answer> S3Client::Must(aws::Call call, std::string_view key, std::string_view what) {
  TG_ASSIGN_OR_RETURN(aws::Answer answer, Send(std::move(call), key));
  if (!answer.reply.ok()) return ErrorOf(answer.reply, key, what);
  return answer;
}

Result<S3ListPage> S3Client::ListPage(const S3ListRequest& request) {
  aws::Call call = NewCall("GET", "");
  std::vector<std::pair<std::string, std::string>> query = {
      {"list-type", "2"}, {"encoding-type", "url"}, {"max-keys", std::to_string(request.max_keys)}};
  if (!request.prefix.empty()) query.emplace_back("prefix", request.prefix);
  if (request.delimited) query.emplace_back("delimiter", "/");
  if (!request.start_after.empty()) query.emplace_back("start-after", request.start_after);
  if (!request.continuation.empty()) query.emplace_back("continuation-token", request.continuation);
  call.request.query = aws::EncodeQuery(std::move(query));
  call.request.headers.push_back({"x-amz-optional-object-attributes", "RestoreStatus"});
  TG_ASSIGN_OR_RETURN(const aws::Answer answer, Must(std::move(call), request.prefix, "cannot list"));
  auto page = ReadListPage(answer.reply.body);
  if (!page.ok()) return page.status().WithContext("cannot list " + Quoted(UrlOf(request.prefix), 1200));
  page->in_byte_order = answer.reply.Header("server").find("SeaweedFS") == std::string_view::npos;
  return page;
}

/// A refused HEAD has no body that says why: one byte is asked for, which has.
Status S3Client::WhyHeadFailed(std::string_view key) {
  aws::Call call = NewCall("GET", key);
  call.request.headers.push_back({"range", "bytes=0-0"});
  TG_ASSIGN_OR_RETURN(const aws::Answer answer, Send(std::move(call), key));
  const int status = answer.reply.status;
  if (answer.reply.ok() || status == 404 || status == 416) return {};  // mended on the way: a HEAD will tell by now
  return ErrorOf(answer.reply, key, "cannot look at object");
}

Result<ObjectInfo> S3Client::Head(std::string_view key) {
  for (bool asked_why = false;; asked_why = true) {
    TG_ASSIGN_OR_RETURN(const aws::Answer answer, Send(NewCall("HEAD", key), key));
    if (answer.reply.ok()) return InfoOfReply(key, answer.reply);
    const bool unclear = answer.reply.status == 400 || answer.reply.status == 403;
    if (!unclear || asked_why) return ErrorOf(answer.reply, key, "cannot look at object");
    const Status why = WhyHeadFailed(key);
    const bool frozen = why.code() == Code::kFrozen;
    if (!why.ok() && !frozen) return why;
  }
}

Status S3Client::GetRange(const ObjectInfo& object, uint64_t offset, std::span<char> out) {
  aws::Call call = NewCall("GET", object.key);
  call.request.headers.push_back({"range", ByteRange(offset, out.size())});
  if (!object.etag.empty()) call.request.headers.push_back({"if-match", QuotedEtag(object.etag)});
  call.request.out = out;
  TG_ASSIGN_OR_RETURN(const aws::Answer answer, Send(std::move(call), object.key));
  const net::HttpReply& reply = answer.reply;
  constexpr std::string_view kWhat = "cannot read object";
  if (reply.status == 416 || reply.status == 412) return ReplacedError(UrlOf(object.key));
  if (!reply.ok()) return ErrorOf(reply, object.key, kWhat);
  const std::string etag = BareEtag(reply.Header("etag"));
  if (!object.etag.empty() && !etag.empty() && etag != object.etag) return ReplacedError(UrlOf(object.key));
  // A server that looks at a file more than once may have mixed the size of one generation with the ETag of the next.
  const uint64_t size_bytes = WholeSizeOf(reply.Header("content-range")).value_or(object.size_bytes);
  if (size_bytes != object.size_bytes) return ReplacedError(UrlOf(object.key));
  const bool whole = reply.status == 200 && offset == 0 && out.size() == object.size_bytes;
  const bool asked =
      reply.status == 206 && reply.Header("content-range").starts_with("bytes " + std::to_string(offset) + "-");
  if (reply.body_bytes == out.size() && (whole || asked)) return {};
  return Corruption(std::string(kWhat) + ": " + Quoted(UrlOf(object.key), 1200) + ": asked for " +
                    std::to_string(out.size()) + " bytes from " + std::to_string(offset) + ", the server sent " +
                    std::to_string(reply.body_bytes) + " of " + Quoted(reply.Header("content-range")));
}

Result<FetchedObject> S3Client::Get(std::string_view key, uint64_t max_bytes) {
  aws::Call call = NewCall("GET", key);
  call.request.max_body_bytes = max_bytes;
  auto answer = Send(std::move(call), key);
  if (!answer.ok() && answer.status().code() == Code::kCorruption) {
    return Corruption("cannot read object: " + Quoted(UrlOf(key), 1200) + ": it is larger than expected: at most " +
                      HumanBytes(max_bytes));
  }
  if (!answer.ok()) return answer.status();
  if (!answer->reply.ok()) return ErrorOf(answer->reply, key, "cannot read object");
  ObjectInfo info = InfoOfReply(key, answer->reply);
  info.size_bytes = answer->reply.body.size();
  return FetchedObject{std::move(answer->reply.body), std::move(info)};
}

Result<ObjectInfo> S3Client::ResolvePut(std::string_view key, std::string_view put_id, const S3Condition& condition,
                                        uint64_t size_bytes, const Status& error) {
  TG_ASSIGN_OR_RETURN(const aws::Answer answer, Send(NewCall("HEAD", key), key));
  const bool ours = answer.reply.ok() && answer.reply.Header(kPutIdHeader) == put_id;
  if (ours) return InfoOfReply(key, answer.reply);
  const bool lost = error.code() == Code::kUnavailable;
  if (lost) {  // it may still be on its way
    return UnknownOutcome("cannot tell whether an object was written: " + Quoted(UrlOf(key), 1200) + ", " +
                          HumanBytes(size_bytes) + ": " + error.message());
  }
  if (condition.absent && answer.reply.ok()) return TakenError(UrlOf(key));
  if (!condition.etag.empty() && answer.reply.status == 404) return ErrorOf(answer.reply, key, "cannot replace object");
  return error;
}

Result<ObjectInfo> S3Client::Put(std::string_view key, std::string_view bytes, const S3Condition& condition) {
  aws::Call call = NewCall("PUT", key);
  AddBody(call, bytes);
  AddCondition(condition, call);
  const std::string put_id = condition.any() ? NewUuid() : "";
  if (condition.any()) call.request.headers.push_back({kPutIdHeader, put_id});
  const auto answer = Must(std::move(call), key, "cannot write object");
  if (answer.ok()) {
    return ObjectInfo{.key = std::string(key),
                      .size_bytes = bytes.size(),
                      .etag = BareEtag(answer->reply.Header("etag")),
                      .modified = TimeOfReply(answer->reply)};
  }
  const Code code = answer.status().code();
  const bool open = code == Code::kPreconditionFailed || code == Code::kUnavailable;
  if (!condition.any() || !open) return answer.status();
  return ResolvePut(key, put_id, condition, bytes.size(), answer.status());
}

Result<std::string> S3Client::CreateUpload(std::string_view key, std::string_view put_id) {
  aws::Call call = NewCall("POST", key);
  call.request.query = "uploads=";
  call.request.headers.push_back({"content-type", "application/octet-stream"});
  call.request.headers.push_back({"x-amz-checksum-algorithm", "CRC32C"});
  call.request.headers.push_back({kPutIdHeader, std::string(put_id)});
  TG_ASSIGN_OR_RETURN(const aws::Answer answer, Must(std::move(call), key, "cannot begin to write object"));
  return ReadElement(answer.reply.body, "UploadId");
}

Result<S3Part> S3Client::UploadPart(std::string_view key, const std::string& upload, int number,
                                    std::string_view bytes) {
  aws::Call call = NewCall("PUT", key);
  call.request.query = aws::EncodeQuery({{"partNumber", std::to_string(number)}, {"uploadId", upload}});
  std::string checksum = AddBody(call, bytes);
  TG_ASSIGN_OR_RETURN(const aws::Answer answer, Must(std::move(call), key, "cannot write a part of object"));
  return S3Part{number, BareEtag(answer.reply.Header("etag")), std::move(checksum)};
}

Result<ObjectInfo> S3Client::CompleteUpload(std::string_view key, const std::string& upload,
                                            const std::vector<S3Part>& parts, const S3Condition& condition,
                                            std::string_view put_id, uint64_t size_bytes) {
  const std::string body = WriteComplete(parts);
  aws::Call call = NewCall("POST", key);
  call.request.query = aws::EncodeQuery({{"uploadId", upload}});
  call.request.body = body;
  call.request.headers.push_back({"content-type", "application/xml"});
  AddCondition(condition, call);
  auto answer = Must(std::move(call), key, "cannot finish writing object");
  if (answer.ok() && IsErrorDocument(answer->reply.body))
    answer = ErrorOf(answer->reply, key, "cannot finish writing object");
  if (answer.ok()) {
    TG_ASSIGN_OR_RETURN(const std::string etag, ReadElement(answer->reply.body, "ETag"));
    return ObjectInfo{.key = std::string(key),
                      .size_bytes = size_bytes,
                      .etag = BareEtag(etag),
                      .modified = TimeOfReply(answer->reply)};
  }
  // An upload that is gone was finished by an earlier attempt, or by nobody: the object says which.
  return ResolvePut(key, put_id, condition, size_bytes, answer.status());
}

void S3Client::AbortUpload(std::string_view key, const std::string& upload) {
  aws::Call call = NewCall("DELETE", key);
  call.request.query = aws::EncodeQuery({{"uploadId", upload}});
  static_cast<void>(
      Send(std::move(call), key));  // what is left of it costs money, not correctness: docs/permissions.md
}

Result<aws::Answer> S3Client::SendCopy(aws::Call call, const S3Client& from, const ObjectInfo& source,
                                       std::string_view key, std::string_view what) {
  const std::string path = "/" + from.settings_.bucket + "/" + source.key;
  call.request.headers.push_back({"x-amz-copy-source", aws::UriEncode(path, true)});
  if (!source.etag.empty()) call.request.headers.push_back({"x-amz-copy-source-if-match", QuotedEtag(source.etag)});
  TG_ASSIGN_OR_RETURN(aws::Answer answer, Send(std::move(call), key));
  if (answer.reply.status == 412) return ReplacedError(from.UrlOf(source.key));
  if (!answer.reply.ok() || IsErrorDocument(answer.reply.body)) return from.ErrorOf(answer.reply, source.key, what);
  return answer;
}

Result<ObjectInfo> S3Client::Copy(const S3Client& from, const ObjectInfo& source, std::string_view key) {
  TG_ASSIGN_OR_RETURN(const aws::Answer answer, SendCopy(NewCall("PUT", key), from, source, key, "cannot copy object"));
  TG_ASSIGN_OR_RETURN(const std::string etag, ReadElement(answer.reply.body, "ETag"));
  return ObjectInfo{.key = std::string(key),
                    .size_bytes = source.size_bytes,
                    .etag = BareEtag(etag),
                    .modified = ReadTimeElement(answer.reply.body, "LastModified")};
}

Result<S3Part> S3Client::CopyPart(const S3Client& from, const ObjectInfo& source, uint64_t offset, uint64_t bytes,
                                  std::string_view key, const std::string& upload, int number) {
  aws::Call call = NewCall("PUT", key);
  call.request.query = aws::EncodeQuery({{"partNumber", std::to_string(number)}, {"uploadId", upload}});
  call.request.headers.push_back({"x-amz-copy-source-range", ByteRange(offset, bytes)});
  TG_ASSIGN_OR_RETURN(const aws::Answer answer,
                      SendCopy(std::move(call), from, source, key, "cannot copy a part of object"));
  TG_ASSIGN_OR_RETURN(const std::string etag, ReadElement(answer.reply.body, "ETag"));
  const auto checksum = ReadElement(answer.reply.body, "ChecksumCRC32C");
  return S3Part{number, BareEtag(etag), checksum.ok() ? *checksum : ""};
}

Status S3Client::DeleteBatch(std::span<const std::string> keys) {
  const std::string body = WriteDelete(keys);
  aws::Call call = NewCall("POST", "");
  call.request.query = "delete=";
  call.request.body = body;
  call.request.headers.push_back({"content-type", "application/xml"});
  call.request.headers.push_back({"content-md5", aws::Md5Base64(body)});
  TG_ASSIGN_OR_RETURN(const aws::Answer answer, Must(std::move(call), "", "cannot delete objects of"));
  TG_ASSIGN_OR_RETURN(auto errors, ReadDeleteErrors(answer.reply.body));
  std::erase_if(errors, [](const S3DeleteError& error) { return error.code == "NoSuchKey"; });
  if (errors.empty()) return {};
  const S3DeleteError& first = errors.front();
  aws::ServiceError error{.status = 200, .code = first.code, .message = first.message};
  const std::string more = errors.size() == 1 ? "" : " (and " + std::to_string(errors.size() - 1) + " more)";
  return StatusOfS3Error(error, "cannot delete object", UrlOf(first.key) + more, settings_.bucket);
}

Result<std::string> S3Client::BucketSetting(const std::string& name) {
  aws::Call call = NewCall("GET", "");
  call.request.query = aws::EncodeQuery({{name, ""}});
  TG_ASSIGN_OR_RETURN(aws::Answer answer, Must(std::move(call), "", "cannot look at the " + name + " of"));
  return std::move(answer.reply.body);
}

Status S3Client::Restore(std::string_view key, const RestoreRequest& request) {
  const std::string body = WriteRestore(request);
  aws::Call call = NewCall("POST", key);
  call.request.query = "restore=";
  call.request.body = body;
  call.request.headers.push_back({"content-type", "application/xml"});
  call.request.headers.push_back({"content-md5", aws::Md5Base64(body)});
  TG_ASSIGN_OR_RETURN(const aws::Answer answer, Send(std::move(call), key));
  if (answer.reply.ok() || aws::ReadServiceError(answer.reply).code == "RestoreAlreadyInProgress") return {};
  return ErrorOf(answer.reply, key, "cannot ask for the restore of object");
}

}  // namespace tidegate::store
