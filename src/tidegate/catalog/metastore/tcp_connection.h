// A TCP connection with bounds on time, for requests and replies by turns. Reads are buffered.
//
// Threads: from one at a time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/catalog/metastore/thrift_binary.h"

namespace tidegate::catalog {

struct TcpSettings {
  std::string host{};
  int port = 0;
  std::chrono::milliseconds connect_within{10'000};  // each address of the host
  std::chrono::milliseconds silent_within{300'000};  // no byte came or went for so long
  const CancelFlag* cancel = nullptr;                // ends a wait; may be null
};

class TcpConnection final : public ThriftInput {
 public:
  /// Errors: Unavailable (no such host, nobody listens there, it takes too long); Cancelled.
  static Result<std::unique_ptr<TcpConnection>> Open(const TcpSettings& settings);
  ~TcpConnection() override;
  TcpConnection(const TcpConnection&) = delete;
  TcpConnection& operator=(const TcpConnection&) = delete;

  /// Before a request: has the other side closed it, or sent what nobody asked for?
  bool IsFresh() const;
  /// Errors: Unavailable, Cancelled.
  Status Write(std::string_view bytes);
  Status Read(char* to, size_t size) override;
  /// Did a byte come since the connection was opened?
  bool has_read() const { return has_read_; }

 private:
  TcpConnection(int fd, const TcpSettings& settings)
      : fd_(fd), silent_within_(settings.silent_within), cancel_(settings.cancel) {}
  Status WaitFor(short events) const;
  Status Fill();

  const int fd_;
  const std::chrono::milliseconds silent_within_;
  const CancelFlag* cancel_;  // may be null
  std::vector<char> buffer_ = std::vector<char>(64 << 10);
  size_t at_ = 0, end_ = 0;
  bool has_read_ = false;
};

}  // namespace tidegate::catalog
