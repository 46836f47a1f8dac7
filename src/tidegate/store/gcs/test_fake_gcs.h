// For tests: Google Cloud Storage on loopback, with one bucket named "bucket", as far as Arrow's file system asks it:
// listings in pages, metadata, and bytes of a generation. Its objects are those of a store in memory.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidegate/base/json.h"
#include "tidegate/base/text.h"
#include "tidegate/net/test_http_server.h"
#include "tidegate/store/copy_object.h"
#include "tidegate/store/gcs/gcs_object_store.h"
#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::store {

class FakeGcs {
 public:
  explicit FakeGcs(size_t page_size = 1000) : page_size_(page_size) {}

  /// What happens to a request ("GET /storage/v1/…") instead of what the server would answer; nothing: that.
  using Fate = std::function<std::optional<net::CannedReply>(const std::string& line)>;

  void SetFate(Fate fate) {
    const std::lock_guard lock(mutex_);
    fate_ = std::move(fate);
  }

  MemoryObjectStore& objects() { return objects_; }

  GcsSettings Settings(const std::string& prefix = "") const {
    return {.bucket = "bucket", .prefix = prefix, .endpoint = server_.origin(), .retry_limit_seconds = 0.2};
  }

  std::vector<std::string> log() const {
    const std::lock_guard lock(mutex_);
    return log_;
  }

  /// Lays something under a key that the store's own rules do not allow.
  void LayOddKey(const std::string& key) {
    const std::lock_guard lock(mutex_);
    odd_keys_.push_back(key);
  }

  static net::CannedReply Error(int code, const std::string& message) {
    const OrderedJson error{{"error", {{"code", code}, {"message", message}, {"errors", OrderedJson::array()}}}};
    return net::PlainReply(error.dump(), std::to_string(code) + " Said by the test",
                           "Content-Type: application/json\r\n");
  }

 private:
  using Query = std::map<std::string, std::string>;

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

  static Query QueryOf(std::string_view text) {
    Query out;
    for (const std::string_view part : Split(text, '&')) {
      const size_t equals = part.find('=');
      if (equals != std::string_view::npos) out[Decode(part.substr(0, equals))] = Decode(part.substr(equals + 1));
    }
    return out;
  }

  static std::string At(const Query& query, const std::string& name) {
    const auto found = query.find(name);
    return found == query.end() ? "" : found->second;
  }

  net::CannedReply Answer(const std::string& request) {
    const std::string line = request.substr(0, request.find(" HTTP/1.1"));
    const std::lock_guard lock(mutex_);
    log_.push_back(line);
    if (fate_) {
      if (auto reply = fate_(line)) return *reply;
    }
    const size_t mark = line.find('?');
    const Query query = QueryOf(mark == std::string::npos ? "" : std::string_view(line).substr(mark + 1));
    const std::string_view path = std::string_view(line).substr(0, mark);
    constexpr std::string_view kBucket = "GET /storage/v1/b/bucket";
    if (path == kBucket) return Json({{"kind", "storage#bucket"}, {"name", "bucket"}, {"id", "bucket"}});
    if (path == std::string(kBucket) + "/o") return List(query);
    if (path.starts_with(std::string(kBucket) + "/o/"))
      return Get(Decode(path.substr(kBucket.size() + 3)), query, request);
    return Error(404, "Not Found");
  }

  static net::CannedReply Json(const OrderedJson& value) {
    return net::PlainReply(value.dump(), "200 OK", "Content-Type: application/json\r\n");
  }

  static std::string Generation(const ObjectInfo& info) { return info.etag.substr(1); }

  /// Of two generations the later one is a millisecond older: that is as much as Google tells.
  static OrderedJson Metadata(const ObjectInfo& info) {
    const UtcTime begin = *ParseRfc3339("2026-11-03T03:00:00Z");
    const std::string made = FormatRfc3339(begin + std::chrono::milliseconds(std::stoll(Generation(info))));
    return {{"kind", "storage#object"},
            {"name", info.key},
            {"bucket", "bucket"},
            {"generation", Generation(info)},
            {"size", std::to_string(info.size_bytes)},
            {"timeCreated", made},
            {"updated", made}};
  }

  net::CannedReply List(const Query& query) {
    const std::string prefix = At(query, "prefix"), after = At(query, "pageToken");
    std::vector<ObjectInfo> found = objects_.List({.prefix = prefix})->objects;
    for (const std::string& key : odd_keys_) {
      if (key.starts_with(prefix)) found.push_back({.key = key, .size_bytes = 1, .etag = "g0"});
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    OrderedJson reply{{"kind", "storage#objects"}, {"items", OrderedJson::array()}};
    for (const ObjectInfo& info : found) {
      if (!after.empty() && info.key <= after) continue;
      if (reply["items"].size() == page_size_) {
        reply["nextPageToken"] = reply["items"].back()["name"];
        break;
      }
      reply["items"].push_back(Metadata(info));
    }
    return Json(reply);
  }

  net::CannedReply Get(const std::string& key, const Query& query, const std::string& request) {
    const auto head = objects_.Head(key);
    if (!head.ok()) return Error(404, "Not Found");
    if (At(query, "alt") != "media") return Json(Metadata(*head));
    const auto reader = objects_.Open(*head);
    std::string bytes(head->size_bytes, '\0');
    const bool read = reader.ok() && (*reader)->ReadAt(0, bytes).ok();
    if (!read || At(query, "generation") != Generation(*head)) return Error(404, "Not Found");
    return Bytes(bytes, request);
  }

  static net::CannedReply Bytes(const std::string& bytes, const std::string& request) {
    constexpr std::string_view kRange = "\r\nrange: bytes=";
    const std::string head = ToLower(request);
    const size_t at = head.find(kRange);
    if (at == std::string::npos) return net::PlainReply(bytes);
    const std::string range = head.substr(at + kRange.size(), head.find("\r\n", at + 2) - at - kRange.size());
    const size_t dash = range.find('-');
    const size_t first = std::stoull(range.substr(0, dash));
    if (first >= bytes.size()) return Error(416, "Range Not Satisfiable");
    const size_t last = dash + 1 == range.size() ? bytes.size() - 1 : std::stoull(range.substr(dash + 1));
    const std::string part = bytes.substr(first, last - first + 1);
    return net::PlainReply(part, "206 Partial Content",
                           "Content-Range: bytes " + std::to_string(first) + "-" +
                               std::to_string(first + part.size() - 1) + "/" + std::to_string(bytes.size()) + "\r\n");
  }

  const size_t page_size_;
  MemoryObjectStore objects_;
  mutable std::mutex mutex_;
  Fate fate_;
  std::vector<std::string> odd_keys_;
  std::vector<std::string> log_;
  net::TestHttpServer server_{[this](const std::string& request) { return Answer(request); }};
};

/// Reads through GcsObjectStore what is written into the fake behind its back, so that the conformance suite can run.
class WritableFakeGcs final : public ObjectStore {
 public:
  WritableFakeGcs(std::shared_ptr<FakeGcs> server, std::unique_ptr<GcsObjectStore> reading)
      : server_(std::move(server)), reading_(std::move(reading)) {}

  std::string url() const override { return reading_->url(); }
  std::string Location(std::string_view key) const override { return reading_->Location(key); }
  Result<Listing> List(const ListRequest& request) override { return reading_->List(request); }
  Result<ObjectInfo> Head(std::string_view key) override { return reading_->Head(key); }
  Result<std::unique_ptr<RandomReader>> Open(const ObjectInfo& seen) override { return reading_->Open(seen); }
  Result<FetchedObject> Fetch(std::string_view key, uint64_t max_bytes) override {
    return reading_->Fetch(key, max_bytes);
  }

  Result<std::unique_ptr<ObjectWriter>> NewWriter(std::string_view key, PutMode mode) override {
    TG_RETURN_IF_ERROR(CheckKey(key));
    TG_ASSIGN_OR_RETURN(auto inner, server_->objects().NewWriter(Full(key), mode));
    return std::unique_ptr<ObjectWriter>(std::make_unique<Writer>(*this, std::string(key), std::move(inner)));
  }

  Result<ObjectInfo> Put(std::string_view key, std::string_view bytes, PutMode mode) override {
    TG_RETURN_IF_ERROR(CheckKey(key));
    TG_RETURN_IF_ERROR(server_->objects().Put(Full(key), bytes, mode).status());
    return Head(key);
  }

  Result<ObjectInfo> Replace(std::string_view key, std::string_view bytes, const std::string& etag) override {
    const std::lock_guard lock(mutex_);
    if (etag.empty()) return InvalidArgument("no ETag");
    TG_ASSIGN_OR_RETURN(const ObjectInfo now, Head(key));
    if (now.etag != etag) return PreconditionFailed("another ETag");
    return Put(key, bytes, PutMode::kOverwrite);
  }

  Status Delete(const std::vector<std::string>& keys) override {
    std::vector<std::string> full;
    for (const std::string& key : keys) {
      TG_RETURN_IF_ERROR(CheckKey(key));
      full.push_back(Full(key));
    }
    return server_->objects().Delete(full);
  }

  Status Sync() override { return {}; }

  Result<ObjectInfo> Adopt(ObjectStore& from, const ObjectInfo& source, std::string_view key,
                           AdoptMethod* method) override {
    *method = AdoptMethod::kCopy;
    return CopyObject(from, source, *this, key);
  }

 private:
  class Writer final : public ObjectWriter {
   public:
    Writer(WritableFakeGcs& store, std::string key, std::unique_ptr<ObjectWriter> inner)
        : store_(store), key_(std::move(key)), inner_(std::move(inner)) {}
    Status Append(std::string_view bytes) override { return inner_->Append(bytes); }
    uint64_t size_bytes() const override { return inner_->size_bytes(); }
    Result<ObjectInfo> Finish() override {
      TG_RETURN_IF_ERROR(inner_->Finish().status());
      return store_.Head(key_);
    }

   private:
    WritableFakeGcs& store_;
    const std::string key_;
    const std::unique_ptr<ObjectWriter> inner_;
  };

  static std::string Full(std::string_view key) { return std::string(kPrefix) + "/" + std::string(key); }

 public:
  static constexpr std::string_view kPrefix = "a/prefix=1";

 private:
  const std::shared_ptr<FakeGcs> server_;
  const std::unique_ptr<GcsObjectStore> reading_;
  std::mutex mutex_;
};

}  // namespace tidegate::store
