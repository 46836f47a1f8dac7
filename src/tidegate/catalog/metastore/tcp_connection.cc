#include "tidegate/catalog/metastore/tcp_connection.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "tidegate/base/text.h"

namespace tidegate::catalog {
namespace {

std::string ErrorText(int error) { return std::generic_category().message(error); }

std::string Seconds(std::chrono::milliseconds time) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(time).count()) + " s";
}

/// 0 or an errno; ETIMEDOUT when nothing happened in time, ECANCELED when the user asked to stop.
int Poll(int fd, short events, std::chrono::milliseconds within, const CancelFlag* cancel) {
  constexpr std::chrono::milliseconds kStep(100);  // between two looks at the flag
  const auto until = std::chrono::steady_clock::now() + within;
  while (true) {
    if (cancel != nullptr && cancel->cancelled()) return ECANCELED;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left <= left.zero()) return ETIMEDOUT;
    pollfd one{.fd = fd, .events = events, .revents = 0};
    const int ready = poll(&one, 1, static_cast<int>(std::min(left, kStep).count()));
    if (ready > 0) return 0;
    if (ready < 0 && errno != EINTR) return errno;
  }
}

/// A socket that is connected, or an errno below zero.
int Connect(const addrinfo& address, const TcpSettings& settings) {
  const int fd = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol);
  if (fd < 0) return -errno;
  int error = connect(fd, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS || error == EINTR) {
    error = Poll(fd, POLLOUT, settings.connect_within, settings.cancel);
    socklen_t size = sizeof(error);
    if (error == 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  }
  if (error == 0) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    return fd;
  }
  close(fd);
  return -error;
}

}  // namespace

Result<std::unique_ptr<TcpConnection>> TcpConnection::Open(const TcpSettings& settings) {
  const std::string where = Quoted(settings.host + ":" + std::to_string(settings.port));
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int unknown = getaddrinfo(settings.host.c_str(), std::to_string(settings.port).c_str(), &wanted, &found);
  if (unknown != 0) return Unavailable("cannot find " + where + ": " + gai_strerror(unknown));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);
  int error = 0;
  for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
    const int fd = Connect(*one, settings);
    if (fd >= 0) return std::unique_ptr<TcpConnection>(new TcpConnection(fd, settings));
    error = -fd;
    if (error == ECANCELED) return StoppedOnRequest();
  }
  return Unavailable("cannot connect to " + where + ": " + ErrorText(error) +
                     ": is the server up, and is it this port?");
}

TcpConnection::~TcpConnection() { close(fd_); }

bool TcpConnection::IsFresh() const {
  char byte = 0;
  return at_ == end_ && recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

Status TcpConnection::WaitFor(short events) const {
  const int error = Poll(fd_, events, silent_within_, cancel_);
  if (error == ECANCELED) return StoppedOnRequest();
  if (error == ETIMEDOUT) return Unavailable("the server was silent for " + Seconds(silent_within_));
  if (error != 0) return Unavailable("the connection was lost: " + ErrorText(error));
  return {};
}

Status TcpConnection::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      TG_RETURN_IF_ERROR(WaitFor(POLLOUT));
    } else if (errno != EINTR) {
      return Unavailable("the connection was lost: " + ErrorText(errno));
    }
  }
  return {};
}

Status TcpConnection::Fill() {
  while (true) {
    const ssize_t got = recv(fd_, buffer_.data(), buffer_.size(), 0);
    if (got > 0) {
      at_ = 0;
      end_ = static_cast<size_t>(got);
      has_read_ = true;
      return {};
    }
    if (got == 0) return Unavailable("the server closed the connection");
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      TG_RETURN_IF_ERROR(WaitFor(POLLIN));
    } else if (errno != EINTR) {
      return Unavailable("the connection was lost: " + ErrorText(errno));
    }
  }
}

Status TcpConnection::Read(char* to, size_t size) {
  while (size > 0) {
    if (at_ == end_) {
      TG_RETURN_IF_ERROR(Fill());
    }
    const size_t piece = std::min(size, end_ - at_);
    std::memcpy(to, buffer_.data() + at_, piece);
    at_ += piece;
    to += piece;
    size -= piece;
  }
  return {};
}

}  // namespace tidegate::catalog
