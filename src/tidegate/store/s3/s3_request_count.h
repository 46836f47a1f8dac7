// How many requests were sent to S3, by what they cost: each attempt counts, as it does on the bill.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tidegate/net/http.h"

namespace tidegate::store {

struct S3RequestCount {
  uint64_t lists = 0;
  uint64_t heads = 0;
  uint64_t gets = 0;
  uint64_t puts = 0;  // PUT of objects and parts, POST of uploads and restores
  uint64_t copies = 0;
  uint64_t deletes = 0;
};

/// A decorator that counts what is sent. Threads: safe.
class CountingHttpClient final : public net::HttpClient {
 public:
  explicit CountingHttpClient(std::shared_ptr<net::HttpClient> inner) : inner_(std::move(inner)) {}
  net::HttpOutcome Send(const net::HttpRequest& request) override;
  S3RequestCount Snapshot() const;

 private:
  enum Kind : size_t { kList, kHead, kGet, kPut, kCopy, kDelete, kKinds };
  static Kind KindOf(const net::HttpRequest& request);

  const std::shared_ptr<net::HttpClient> inner_;
  std::array<std::atomic<uint64_t>, kKinds> counts_{};
};

}  // namespace tidegate::store
