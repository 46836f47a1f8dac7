// Calls of the Hive Metastore's Thrift interface, over a plain TCP connection that is kept and made anew when it is
// lost.
//
// A call that only reads is sent again after the loss of a connection that had answered. For one that changes something
// nobody knows then what came of it: UnknownOutcome, and the caller finds out by reading. Neither Kerberos (SASL) nor
// TLS is spoken; such a server is told from one that is away as far as it lets itself be known.
//
// Source: hive_metastore.thrift of Apache Hive 4.0.1 (standalone-metastore), and of 2.3 and 3.1, which agree in what is
// used here. Threads: from one at a time.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"
#include "tidegate/catalog/metastore/tcp_connection.h"
#include "tidegate/catalog/metastore/thrift_binary.h"
#include "tidegate/catalog/metastore/thrift_value.h"

namespace tidegate::catalog {

/// The exceptions of the interface that its calls declare.
enum class MetastoreFault { kNone, kMeta, kNoSuchObject, kAlreadyExists, kInvalidObject, kInvalidOperation };

struct MetastoreCall {
  std::string_view name;
  bool changes = false;
  std::array<MetastoreFault, 4> faults{};  // of the result's fields 1 to 4
};

class MetastoreClient {
 public:
  explicit MetastoreClient(TcpSettings settings) : settings_(std::move(settings)) {}

  const TcpSettings& settings() const { return settings_; }
  /// After an error: did the server itself say no, so that another call may fare better?
  bool is_connected() const { return connection_ != nullptr; }

  /// The value that it returns, an empty struct where there is none. `arguments` is a struct with a field for each;
  /// `about` stands in messages: "table 'sales.daily'".
  /// Errors: NotFound, AlreadyExists, InvalidArgument (InvalidObject…, InvalidOperation…), Unavailable (MetaException,
  /// or no connection), Unsupported (the server does not know this call; Kerberos; TLS), UnknownOutcome, Corruption.
  Result<ThriftValue> Call(const MetastoreCall& call, const ThriftValue& arguments, std::string_view about);

 private:
  Status Connect();
  Result<ThriftMessage> Exchange(const MetastoreCall& call, const ThriftValue& arguments);

  const TcpSettings settings_;
  std::unique_ptr<TcpConnection> connection_;
  int32_t number_ = 0;
};

}  // namespace tidegate::catalog
