#include "tidegate/catalog/metastore/metastore_client.h"

#include <algorithm>

#include "tidegate/base/text.h"

namespace tidegate::catalog {
namespace {

constexpr int kTries = 3;
constexpr int kUnknownMethod = 1;  // TApplicationException

Status FaultStatus(MetastoreFault fault, const std::string& said) {
  switch (fault) {
    case MetastoreFault::kNoSuchObject:
      return NotFound("there is no such thing: " + said);
    case MetastoreFault::kAlreadyExists:
      return AlreadyExists("it is there already: " + said);
    case MetastoreFault::kInvalidObject:
    case MetastoreFault::kInvalidOperation:
      return InvalidArgument("it does not take this: " + said);
    case MetastoreFault::kMeta:
    case MetastoreFault::kNone:
      break;
  }
  return Unavailable("it failed: " + said + ": its log says more");
}

/// The struct that a call returns: field 0 is the value, the others are exceptions.
Result<ThriftValue> ReadResult(const MetastoreCall& call, const ThriftValue& body) {
  for (size_t i = 0; i < call.faults.size(); ++i) {
    const ThriftValue* fault = body.Find(static_cast<int16_t>(i + 1));
    if (fault != nullptr) return FaultStatus(call.faults[i], Quoted(fault->TextAt(1), 600));
  }
  const ThriftValue* value = body.Find(0);
  return value == nullptr ? ThriftValue{} : *value;
}

/// The server did not get as far as the call: a struct with a text and a number.
Status ApplicationError(const MetastoreCall& call, const ThriftValue& body) {
  const ThriftValue* kind = body.Find(2);
  if (kind != nullptr && kind->number == kUnknownMethod)
    return Unsupported("it does not know the call " + Quoted(call.name));
  return Unavailable("it failed: " + Quoted(body.TextAt(1), 600) + ": its log says more");
}

}  // namespace

Status MetastoreClient::Connect() {
  if (connection_ && connection_->IsFresh()) return {};
  connection_.reset();
  TG_ASSIGN_OR_RETURN(connection_, TcpConnection::Open(settings_));
  return {};
}

/// Sends, and reads the reply.
Result<ThriftMessage> MetastoreClient::Exchange(const MetastoreCall& call, const ThriftValue& arguments) {
  number_ = number_ == INT32_MAX ? 1 : number_ + 1;
  const ThriftMessage request{.name = std::string(call.name), .number = number_, .body = arguments};
  TG_RETURN_IF_ERROR(connection_->Write(WriteThrift(request)));
  auto reply = ReadThrift(*connection_);
  if (!reply.ok() && reply.status().code() == Code::kUnavailable && !connection_->has_read()) {
    return reply.status().WithContext(
        "no answer (a metastore that wants Kerberos or TLS ends a plain connection like this; neither is supported)");
  }
  if (!reply.ok()) return reply.status();
  if (reply->kind == ThriftKind::kCall || reply->name != call.name || reply->number != number_)
    return Corruption("the answer belongs to another call");
  return reply;
}

Result<ThriftValue> MetastoreClient::Call(const MetastoreCall& call, const ThriftValue& arguments,
                                          std::string_view about) {
  const std::string context = "the Hive Metastore, " + std::string(call.name) + " of " + std::string(about);
  for (int tries = 1;; ++tries) {
    const Status connected = Connect();
    if (!connected.ok()) return connected.WithContext(context);
    auto reply = Exchange(call, arguments);
    if (reply.ok()) {
      if (reply->kind == ThriftKind::kException) return ApplicationError(call, reply->body).WithContext(context);
      auto value = ReadResult(call, reply->body);
      if (value.ok()) return value;
      return value.status().WithContext(context);
    }
    const bool answered_before = connection_->has_read();
    connection_.reset();  // nobody knows where in the stream it is
    const Status& lost = reply.status();
    const bool unsupported = lost.code() == Code::kUnsupported;
    if (call.changes && !unsupported)
      return UnknownOutcome(context + ": whether it was done is not known: " + lost.message());
    // Who never answers is another server; who did may be back.
    if (tries == kTries || !answered_before || lost.code() != Code::kUnavailable) return lost.WithContext(context);
  }
}

}  // namespace tidegate::catalog
