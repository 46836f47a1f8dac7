// For tests: an HTTP server on loopback that answers each request with what a function says, well-formed or not.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tidegate::net {

/// What comes after a request: bytes, then the connection stays, is closed, or is silent until the client goes.
struct CannedReply {
  std::string bytes;
  enum class After { kKeep, kClose, kReset, kSilence } after = After::kKeep;
};

inline CannedReply PlainReply(const std::string& body, const std::string& status = "200 OK",
                              const std::string& headers = "") {
  return {"HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
          body};
}

class TestHttpServer {
 public:
  /// `answer` gets the whole request, head and body. It runs on the server's threads.
  explicit TestHttpServer(std::function<CannedReply(const std::string& request)> answer) : answer_(std::move(answer)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    const bool ready = bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       listen(listener_, 64) == 0 &&
                       getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    port_ = ready ? ntohs(address.sin_port) : 0;
    acceptor_ = std::thread([this] { Accept(); });
  }

  ~TestHttpServer() {
    closing_ = true;
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int fd : open_) shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    close(listener_);
  }

  std::string origin() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int connections() const { return connections_; }
  int requests() const { return requests_; }

 private:
  void Accept() {
    while (!closing_) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      ++connections_;
      const std::lock_guard lock(mutex_);
      open_.push_back(fd);
      threads_.emplace_back([this, fd] { Serve(fd); });
    }
  }

  void Serve(int fd) {
    std::string buffer, request;
    while (TakeRequest(fd, buffer, request)) {
      ++requests_;
      const CannedReply reply = answer_(request);
      size_t sent = 0;
      while (sent < reply.bytes.size()) {
        const ssize_t step = send(fd, reply.bytes.data() + sent, reply.bytes.size() - sent, MSG_NOSIGNAL);
        if (step <= 0) break;
        sent += static_cast<size_t>(step);
      }
      if (reply.after == CannedReply::After::kSilence) {
        char byte = 0;
        while (recv(fd, &byte, 1, 0) > 0) continue;
      }
      if (reply.after == CannedReply::After::kReset) {
        const linger now{1, 0};
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
      }
      if (reply.after != CannedReply::After::kKeep) break;
    }
    const std::lock_guard lock(mutex_);
    std::erase(open_, fd);
    close(fd);
  }

  static bool TakeRequest(int fd, std::string& buffer, std::string& request) {
    while (true) {
      const size_t head = buffer.find("\r\n\r\n");
      if (head != std::string::npos && buffer.size() >= head + 4 + BodySize(buffer.substr(0, head))) {
        const size_t whole = head + 4 + BodySize(buffer.substr(0, head));
        request = buffer.substr(0, whole);
        buffer.erase(0, whole);
        return true;
      }
      char chunk[65536];
      const ssize_t got = recv(fd, chunk, sizeof(chunk), 0);
      if (got <= 0) return false;
      buffer.append(chunk, static_cast<size_t>(got));
    }
  }

  static size_t BodySize(const std::string& head) {
    const size_t at = head.find("Content-Length: ");
    return at == std::string::npos ? 0 : std::stoul(head.substr(at + std::strlen("Content-Length: ")));
  }

  const std::function<CannedReply(const std::string&)> answer_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> closing_{false};
  std::atomic<int> connections_{0}, requests_{0};
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace tidegate::net
