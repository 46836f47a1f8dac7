// For tests: a metastore on loopback with one table "d.t", partitioned by "day", that keeps partitions as they are
// sent, and does to any call what a test says: other bytes, no answer, an answer that gets lost.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tidegate/catalog/metastore/metastore_catalog.h"
#include "tidegate/catalog/metastore/metastore_records.h"
#include "tidegate/catalog/metastore/thrift_binary.h"

namespace tidegate::catalog {

/// What comes after a request: bytes, then the connection stays or is closed.
struct FakeAnswer {
  std::string bytes{};
  bool close = false;
  bool silent = false;  // until the client goes
};

class FakeMetastore {
 public:
  FakeMetastore() {
    table = NewMetastoreTable({.name = {"d", "t"},
                               .columns = {{"a", "int"}},
                               .partition_columns = {{"day", "string"}},
                               .location = "s3://w/t"});
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    const bool ready = bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       listen(listener_, 16) == 0 &&
                       getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    port_ = ready ? ntohs(address.sin_port) : 0;
    server_ = std::thread([this] { Serve(); });
  }
  ~FakeMetastore() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
      shutdown(listener_, SHUT_RDWR);
      if (open_ >= 0) shutdown(open_, SHUT_RDWR);
    }
    server_.join();
    close(listener_);
  }

  TcpSettings settings() const { return {.host = "127.0.0.1", .port = port_}; }

  /// The call is not done, and this is answered, once.
  void Instead(const std::string& call, FakeAnswer answer) {
    const std::lock_guard lock(mutex_);
    instead_[call].push_back(std::move(answer));
  }
  /// The call is done, and then the connection closed.
  void LoseAnswer(const std::string& call) {
    const std::lock_guard lock(mutex_);
    ++lose_[call];
  }
  /// Runs before a call is done, each time.
  void Before(const std::string& call, std::function<void()> what) {
    const std::lock_guard lock(mutex_);
    before_[call] = std::move(what);
  }
  void Forget(const std::string& call) {
    const std::lock_guard lock(mutex_);
    unknown_.push_back(call);
  }
  int calls(const std::string& call) {
    const std::lock_guard lock(mutex_);
    return calls_[call];
  }
  void WaitUntilClosed() {
    while (true) {
      const std::lock_guard lock(mutex_);
      if (open_ < 0) return;
    }
  }
  int connections() {
    const std::lock_guard lock(mutex_);
    return connections_;
  }

  static std::string Reply(const ThriftMessage& request, int16_t field, ThriftValue value) {
    ThriftMessage out{.kind = ThriftKind::kReply, .name = request.name, .number = request.number};
    out.body.Set(field, std::move(value));
    return WriteThrift(out);
  }
  static ThriftValue Exception(const std::string& message) {
    ThriftValue out;
    out.Set(1, ThriftValue::String(message));
    return out;
  }

  // What the metastore keeps. A test changes it between calls, or in Before.
  ThriftValue table;
  bool has_table = true;
  std::map<std::string, ThriftValue> partitions;  // by name
  std::string refused_day{};                      // a change with this one fails, whole
  std::string refusal = "no such day";

 private:
  struct Socket final : ThriftInput {
    explicit Socket(int socket) : fd(socket) {}
    Status Read(char* to, size_t size) override {
      while (size > 0) {
        const ssize_t got = recv(fd, to, size, 0);
        if (got <= 0) return Unavailable("the client is gone");
        to += got;
        size -= static_cast<size_t>(got);
      }
      return {};
    }
    const int fd;
  };

  void Serve() {
    while (true) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      {
        const std::lock_guard lock(mutex_);
        if (fd < 0 || closing_) {
          if (fd >= 0) close(fd);
          return;
        }
        open_ = fd;
        ++connections_;
      }
      Socket input(fd);
      while (true) {
        const auto request = ReadThrift(input);
        if (!request.ok()) break;
        const FakeAnswer answer = AnswerTo(*request);
        if (!answer.bytes.empty()) static_cast<void>(send(fd, answer.bytes.data(), answer.bytes.size(), MSG_NOSIGNAL));
        char byte = 0;
        if (answer.silent) static_cast<void>(recv(fd, &byte, 1, 0));
        if (answer.close || answer.silent) break;
      }
      const std::lock_guard lock(mutex_);
      open_ = -1;
      close(fd);
    }
  }

  FakeAnswer AnswerTo(const ThriftMessage& request) {
    const std::lock_guard lock(mutex_);
    ++calls_[request.name];
    if (auto& list = instead_[request.name]; !list.empty()) {
      FakeAnswer out = list.front();
      list.erase(list.begin());
      return out;
    }
    if (const auto what = before_.find(request.name); what != before_.end()) what->second();
    if (std::count(unknown_.begin(), unknown_.end(), request.name) > 0) {
      ThriftMessage out{.kind = ThriftKind::kException, .name = request.name, .number = request.number};
      out.body.Set(1, ThriftValue::String("Invalid method name"));
      out.body.Set(2, ThriftValue::I32(1));
      return {WriteThrift(out)};
    }
    FakeAnswer out{Do(request)};
    if (lose_[request.name] > 0) {
      --lose_[request.name];
      out = {.close = true};
    }
    return out;
  }

  std::string NameOf(const std::vector<std::string>& values) const { return "day=" + values.at(0); }

  std::string Do(const ThriftMessage& request) {
    const ThriftValue& in = request.body;
    const std::string& call = request.name;
    const auto void_reply = [&] {
      return WriteThrift({.kind = ThriftKind::kReply, .name = call, .number = request.number});
    };
    if (call == "get_table_req" || call == "get_table") {
      if (!has_table) return Reply(request, 2, Exception("no table"));
      if (call == "get_table") return Reply(request, 0, table);
      ThriftValue result;
      result.Set(1, table);
      return Reply(request, 0, result);
    }
    if (call == "create_table") {
      if (has_table) return Reply(request, 1, Exception("there"));
      table = in.StructAt(1);
      has_table = true;
      return void_reply();
    }
    if (call == "drop_table") {
      if (!has_table) return Reply(request, 1, Exception("no table"));
      if (in.Find(3)->number != 0) return Reply(request, 2, Exception("it was to delete files"));
      has_table = false;
      return void_reply();
    }
    if (call == "get_partition") {
      const auto found = partitions.find(NameOf(in.StringsAt(3)));
      return found == partitions.end() ? Reply(request, 2, Exception("no partition"))
                                       : Reply(request, 0, found->second);
    }
    if (call == "get_partition_names") {
      std::vector<std::string> names;
      for (const auto& [name, one] : partitions) names.push_back(name);
      return Reply(request, 0, ThriftValue::Strings(names));
    }
    if (call == "get_partitions_by_names") {
      ThriftValue out = ThriftValue::List(ThriftType::kStruct);
      for (const std::string& name : in.StringsAt(3)) {
        if (const auto found = partitions.find(name); found != partitions.end()) out.items.push_back(found->second);
      }
      return Reply(request, 0, out);
    }
    if (call == "add_partitions") return Write(request, in.ItemsAt(1), 2, true);
    if (call.starts_with("alter_partitions")) return Write(request, in.ItemsAt(3), 1, false);
    if (call == "drop_partition") {
      if (in.Find(4)->number != 0) return Reply(request, 2, Exception("it was to delete files"));
      if (partitions.erase(NameOf(in.StringsAt(3))) == 0) return Reply(request, 1, Exception("no partition"));
      return Reply(request, 0, ThriftValue::Bool(true));
    }
    return Reply(request, 1, Exception("the fake does not know " + call));
  }

  /// All of them, or none.
  std::string Write(const ThriftMessage& request, const std::vector<ThriftValue>& list, int16_t fault, bool add) {
    for (const ThriftValue& one : list) {
      const std::string day = one.StringsAt(1).at(0);
      if (day == refused_day) return Reply(request, add ? 3 : 2, Exception(refusal));
      if ((partitions.count(NameOf({day})) > 0) == add) return Reply(request, fault, Exception("not so"));
    }
    for (const ThriftValue& one : list) partitions[NameOf(one.StringsAt(1))] = one;
    if (add) return Reply(request, 0, ThriftValue::I32(static_cast<int32_t>(list.size())));
    return WriteThrift({.kind = ThriftKind::kReply, .name = request.name, .number = request.number});
  }

  int listener_ = -1;
  int port_ = 0;
  std::mutex mutex_;
  bool closing_ = false;
  int open_ = -1, connections_ = 0;
  std::map<std::string, std::vector<FakeAnswer>> instead_;
  std::map<std::string, int> lose_, calls_;
  std::map<std::string, std::function<void()>> before_;
  std::vector<std::string> unknown_;
  std::thread server_;
};

}  // namespace tidegate::catalog
