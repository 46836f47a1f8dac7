// For tests: an S3 server in memory behind the port of HTTP, with one bucket named "bucket" at any path-style endpoint.
// It keeps to what AWS documents for the requests that S3Client makes, and fails where a test asks for it.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tidegate/aws/sigv4.h"
#include "tidegate/base/hash.h"
#include "tidegate/base/text.h"
#include "tidegate/net/http.h"
#include "tidegate/store/s3/crc32c.h"
#include "tidegate/store/s3/s3_object_store.h"

namespace tidegate::store {

class FakeS3 final : public net::HttpClient {
 public:
  struct Object {
    std::string bytes{};
    std::string etag{};
    std::string put_id{};
    std::string storage_class = "STANDARD";
    std::string restore{};  // the header x-amz-restore
  };

  /// What happens to a request; `reply` instead of the server's where it is set.
  struct Fate {
    bool reaches_server = true;
    bool reply_lost = false;
    std::optional<net::HttpReply> reply = {};
  };

  std::function<Fate(const net::HttpRequest&)> fate = {};  // asked for each request
  size_t page_size = 1000;
  bool lists_backwards = false;  // out of byte order, and starts and ends its pages in that order
  std::string server_name = {};  // what it calls itself in listings
  bool tells_restores_in_lists = true;

  net::HttpOutcome Send(const net::HttpRequest& request) override {
    const std::lock_guard lock(mutex_);
    log_.push_back(request.method + " " + request.path + (request.query.empty() ? "" : "?" + request.query));
    const Fate what = fate ? fate(request) : Fate{};
    if (what.reply) return {.reply = what.reply};
    if (!what.reaches_server) return Lost(false);
    net::HttpReply reply = Answer(request);
    if (what.reply_lost) return Lost(true);
    if (reply.ok() && request.out.data() != nullptr) {
      if (reply.body.size() > request.out.size()) return {.failure = {Corruption("too large"), true}};
      reply.body.copy(request.out.data(), reply.body.size());
      reply.body.clear();
    } else if (reply.ok() && reply.body.size() > request.max_body_bytes) {
      return {.failure = {Corruption("too large"), true}};
    }
    return {.reply = std::move(reply)};
  }

  std::map<std::string, Object>& objects() { return objects_; }
  size_t open_uploads() const { return uploads_.size(); }
  int generations() const { return generations_; }
  const std::vector<std::string>& log() const { return log_; }
  size_t Count(std::string_view part) const {
    return static_cast<size_t>(std::count_if(
        log_.begin(), log_.end(), [&](const std::string& line) { return line.find(part) != std::string::npos; }));
  }

  static net::HttpReply Error(int status, const std::string& code, const std::string& region = "") {
    net::HttpReply reply{.status = status};
    if (!region.empty()) reply.headers.push_back({"x-amz-bucket-region", region});
    reply.body = "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>said by the test</Message></Error>";
    return reply;
  }

 private:
  struct Upload {
    std::string key, put_id;
    std::map<int, std::string> parts;
  };
  using Query = std::map<std::string, std::string>;

  static net::HttpOutcome Lost(bool may_have_arrived) {
    return {.failure = {Unavailable("no answer from the test's server"), may_have_arrived}};
  }

  static std::string HeaderOf(const net::HttpRequest& request, std::string_view name) {
    for (const net::HttpHeader& header : request.headers) {
      if (header.name == name) return header.value;
    }
    return "";
  }

  static std::string Decode(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '%') {
        out += static_cast<char>(std::stoi(std::string(text.substr(at + 1, 2)), nullptr, 16));
        at += 2;
      } else {
        out += text[at];
      }
    }
    return out;
  }

  static Query QueryOf(const std::string& text) {
    Query out;
    for (const std::string_view part : Split(text, '&')) {
      const size_t equals = part.find('=');
      if (equals != std::string_view::npos) out[Decode(part.substr(0, equals))] = Decode(part.substr(equals + 1));
    }
    return out;
  }

  net::HttpReply Answer(const net::HttpRequest& request) {
    const std::string path = Decode(request.path);
    if (!path.starts_with("/bucket/")) return Error(404, "NoSuchBucket");
    const std::string key = path.substr(std::string_view("/bucket/").size());
    const Query query = QueryOf(request.query);
    const std::string checksum = HeaderOf(request, "x-amz-checksum-crc32c");
    if (!checksum.empty() && checksum != Crc32cBase64(request.body)) return Error(400, "BadDigest");
    if (query.count("list-type") != 0)
      return List(query, !HeaderOf(request, "x-amz-optional-object-attributes").empty());
    if (request.method == "GET" || request.method == "HEAD") return Get(request, key);
    if (request.method == "DELETE") return Abort(query);
    if (query.count("uploads") != 0) return Create(request, key);
    if (query.count("partNumber") != 0) return Part(request, query);
    if (query.count("uploadId") != 0) return Complete(request, key, query);
    if (query.count("delete") != 0) return Delete(request.body);
    if (query.count("restore") != 0) return Restore(key);
    if (!HeaderOf(request, "x-amz-copy-source").empty()) return Copy(request, key);
    return Put(request, key);
  }

  std::optional<net::HttpReply> Refusal(const net::HttpRequest& request, const std::string& key) const {
    const auto found = objects_.find(key);
    if (HeaderOf(request, "if-none-match") == "*" && found != objects_.end()) return Error(412, "PreconditionFailed");
    const std::string wanted = HeaderOf(request, "if-match");
    if (wanted.empty()) return std::nullopt;
    if (found == objects_.end()) return Error(404, "NoSuchKey");
    if (wanted != "\"" + found->second.etag + "\"") return Error(412, "PreconditionFailed");
    return std::nullopt;
  }

  net::HttpReply Store(const std::string& key, std::string bytes, const std::string& put_id) {
    const std::string etag = "g" + std::to_string(++generations_);
    objects_[key] = {.bytes = std::move(bytes), .etag = etag, .put_id = put_id};
    return {.status = 200, .headers = {{"etag", "\"" + etag + "\""}, {"date", kDate}}};
  }

  net::HttpReply Put(const net::HttpRequest& request, const std::string& key) {
    if (const auto refusal = Refusal(request, key)) return *refusal;
    return Store(key, std::string(request.body), HeaderOf(request, "x-amz-meta-tidegate-put"));
  }

  net::HttpReply Get(const net::HttpRequest& request, const std::string& key) {
    const auto found = objects_.find(key);
    if (found == objects_.end())
      return request.method == "HEAD" ? net::HttpReply{.status = 404} : Error(404, "NoSuchKey");
    if (const auto refusal = Refusal(request, key)) return *refusal;
    const Object& object = found->second;
    net::HttpReply reply{.status = 200};
    reply.headers = {{"etag", "\"" + object.etag + "\""},
                     {"last-modified", kDate},
                     {"x-amz-meta-tidegate-put", object.put_id},
                     {"x-amz-storage-class", object.storage_class}};
    if (!object.restore.empty()) reply.headers.push_back({"x-amz-restore", object.restore});
    if (request.method == "HEAD") {
      reply.headers.push_back({"content-length", std::to_string(object.bytes.size())});
      return reply;
    }
    const bool cold = object.storage_class == "GLACIER" || object.storage_class == "DEEP_ARCHIVE";
    if (cold && object.restore.find("ongoing-request=\"false\"") == std::string::npos)
      return Error(403, "InvalidObjectState");
    reply.body = object.bytes;
    if (const std::string range = HeaderOf(request, "range"); !range.empty()) CutTo(range, reply);
    reply.body_bytes = reply.body.size();
    return reply;
  }

  static void CutTo(const std::string& range, net::HttpReply& reply) {
    const size_t dash = range.find('-');
    const uint64_t first = std::stoull(range.substr(6, dash - 6)), last = std::stoull(range.substr(dash + 1));
    if (first >= reply.body.size()) {
      reply = Error(416, "InvalidRange");
      return;
    }
    const std::string size = std::to_string(reply.body.size());
    reply.body = reply.body.substr(first, last - first + 1);
    reply.status = 206;
    reply.headers.push_back({"content-range", "bytes " + std::to_string(first) + "-" +
                                                  std::to_string(first + reply.body.size() - 1) + "/" + size});
  }

  net::HttpReply Create(const net::HttpRequest& request, const std::string& key) {
    const std::string id = "upload-" + std::to_string(++upload_ids_);
    uploads_[id] = {key, HeaderOf(request, "x-amz-meta-tidegate-put"), {}};
    return {.status = 200, .body = "<R><UploadId>" + id + "</UploadId></R>"};
  }

  net::HttpReply Part(const net::HttpRequest& request, const Query& query) {
    const auto found = uploads_.find(query.at("uploadId"));
    if (found == uploads_.end()) return Error(404, "NoSuchUpload");
    std::string bytes(request.body);
    std::string body;
    if (!HeaderOf(request, "x-amz-copy-source").empty()) {
      net::HttpReply source = Source(request);
      if (!source.ok()) return source;
      CutTo(HeaderOf(request, "x-amz-copy-source-range"), source);
      bytes = source.body;
      body = "<CopyPartResult><ETag>&quot;p&quot;</ETag></CopyPartResult>";
    }
    found->second.parts[std::stoi(query.at("partNumber"))] = bytes;
    return {.status = 200, .headers = {{"etag", "\"p\""}}, .body = body};
  }

  net::HttpReply Complete(const net::HttpRequest& request, const std::string& key, const Query& query) {
    const auto found = uploads_.find(query.at("uploadId"));
    if (found == uploads_.end() || found->second.key != key) return Error(404, "NoSuchUpload");
    if (const auto refusal = Refusal(request, key)) return *refusal;
    std::string bytes;
    for (const auto& [number, part] : found->second.parts) bytes += part;
    net::HttpReply reply = Store(key, std::move(bytes), found->second.put_id);
    uploads_.erase(found);
    reply.body = "<R><ETag>&quot;" + objects_[key].etag + "&quot;</ETag></R>";
    return reply;
  }

  net::HttpReply Abort(const Query& query) {
    return uploads_.erase(query.at("uploadId")) == 1 ? net::HttpReply{.status = 204} : Error(404, "NoSuchUpload");
  }

  net::HttpReply Source(const net::HttpRequest& request) {
    const std::string path = Decode(HeaderOf(request, "x-amz-copy-source"));
    const auto found = objects_.find(path.substr(std::string_view("/bucket/").size()));
    if (found == objects_.end()) return Error(404, "NoSuchKey");
    const std::string wanted = HeaderOf(request, "x-amz-copy-source-if-match");
    if (!wanted.empty() && wanted != "\"" + found->second.etag + "\"") return Error(412, "PreconditionFailed");
    return {.status = 200, .body = found->second.bytes};
  }

  net::HttpReply Copy(const net::HttpRequest& request, const std::string& key) {
    net::HttpReply source = Source(request);
    if (!source.ok()) return source;
    Store(key, source.body, "");
    return {.status = 200,
            .body = "<R><ETag>&quot;" + objects_[key].etag + "&quot;</ETag><LastModified>" + kIsoDate +
                    "</LastModified></R>"};
  }

  net::HttpReply Restore(const std::string& key) {
    const auto found = objects_.find(key);
    if (found == objects_.end()) return Error(404, "NoSuchKey");
    if (found->second.storage_class != "GLACIER") return Error(403, "InvalidObjectState");
    if (!found->second.restore.empty()) return Error(409, "RestoreAlreadyInProgress");
    found->second.restore = "ongoing-request=\"true\"";
    return {.status = 202};
  }

  net::HttpReply Delete(std::string_view body) {
    constexpr std::string_view kBegin = "<Key>", kEnd = "</Key>";
    for (size_t at = body.find(kBegin); at != std::string_view::npos; at = body.find(kBegin, at + 1)) {
      const size_t begin = at + kBegin.size();
      objects_.erase(std::string(body.substr(begin, body.find(kEnd, begin) - begin)));
    }
    return {.status = 200, .body = "<DeleteResult></DeleteResult>"};
  }

  static std::string At(const Query& query, const std::string& name) {
    const auto found = query.find(name);
    return found == query.end() ? "" : found->second;
  }

  std::string Contents(const std::string& key, bool with_restores) const {
    const Object& object = objects_.at(key);
    std::string out = "<Contents><Key>" + aws::UriEncode(key, true) + "</Key><Size>" +
                      std::to_string(object.bytes.size()) + "</Size><ETag>&quot;" + object.etag +
                      "&quot;</ETag><LastModified>" + kIsoDate + "</LastModified><StorageClass>" +
                      object.storage_class + "</StorageClass>";
    const bool thawing = object.restore.find("\"true\"") != std::string::npos;
    if (with_restores && tells_restores_in_lists && !object.restore.empty()) {
      out += std::string("<RestoreStatus><IsRestoreInProgress>") + (thawing ? "true" : "false") +
             "</IsRestoreInProgress>" + (thawing ? "" : "<RestoreExpiryDate>2026-12-01T00:00:00Z</RestoreExpiryDate>") +
             "</RestoreStatus>";
    }
    return out + "</Contents>";
  }

  net::HttpReply List(const Query& query, bool with_restores) const {
    const std::string prefix = At(query, "prefix");
    const std::string after = std::max(At(query, "start-after"), At(query, "continuation-token"));
    std::vector<std::string> keys;
    for (const auto& [key, object] : objects_) keys.push_back(key);
    if (lists_backwards) std::reverse(keys.begin(), keys.end());
    const auto begin = lists_backwards ? std::find(keys.begin(), keys.end(), after) : keys.begin();
    const size_t most = std::min(page_size, std::stoul(At(query, "max-keys")));
    std::string xml, last_prefix, last;
    size_t found = 0;
    bool more = false;
    for (auto it = lists_backwards && begin == keys.end() ? keys.begin() : begin; it != keys.end(); ++it) {
      const std::string& key = *it;
      const bool before = lists_backwards ? key == after : key <= after;
      if (before || !key.starts_with(prefix)) continue;
      const size_t slash = key.find('/', prefix.size());
      const bool folded = At(query, "delimiter") == "/" && slash != std::string::npos;
      const std::string folder = folded ? key.substr(0, slash + 1) : "";
      if (folded && folder == last_prefix) {
        last = key;
        continue;
      }
      if (found == most) {
        more = true;
        break;
      }
      xml += folded ? "<CommonPrefixes><Prefix>" + aws::UriEncode(folder, true) + "</Prefix></CommonPrefixes>"
                    : Contents(key, with_restores);
      last_prefix = folder;
      last = key;
      ++found;
    }
    xml = "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>" + std::string(more ? "true" : "false") +
          "</IsTruncated>" + (more ? "<NextContinuationToken>" + last + "</NextContinuationToken>" : "") + xml +
          "</ListBucketResult>";
    return {.status = 200, .headers = {{"server", server_name}}, .body = xml};
  }

  static constexpr const char* kDate = "Tue, 03 Nov 2026 03:04:05 GMT";
  static constexpr const char* kIsoDate = "2026-11-03T03:04:05.000Z";

  std::mutex mutex_;
  std::map<std::string, Object> objects_;
  std::map<std::string, Upload> uploads_;
  std::vector<std::string> log_;
  int generations_ = 0, upload_ids_ = 0;
};

/// Keys made up for the test.
class KeysForTest final : public aws::CredentialsProvider {
 public:
  Result<std::optional<aws::Credentials>> Get() override {
    return std::optional(aws::Credentials{.access_key_id = "key-" + NewUuid(), .secret_access_key = NewUuid()});
  }
  void Refresh() override { ++refreshes; }
  std::string Describe() const override { return "the test's keys"; }
  int refreshes = 0;
};

/// Settings for a FakeS3, which nothing waits for.
inline S3Settings FakeS3Settings() {
  S3Settings settings;
  settings.bucket = "bucket";
  settings.endpoint = "http://s3.test";
  settings.credentials = std::make_shared<KeysForTest>();
  settings.retry = {.max_attempts = 4, .first_wait = std::chrono::milliseconds(0)};
  return settings;
}

}  // namespace tidegate::store
