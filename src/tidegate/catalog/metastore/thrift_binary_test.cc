#include "tidegate/catalog/metastore/thrift_binary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace tidegate::catalog {
namespace {

using ::testing::HasSubstr;

class TextInput final : public ThriftInput {
 public:
  explicit TextInput(std::string text) : text_(std::move(text)) {}
  Status Read(char* to, size_t size) override {
    if (size > text_.size() - at_) return Unavailable("the text ends");
    std::memcpy(to, text_.data() + at_, size);
    at_ += size;
    return {};
  }

 private:
  const std::string text_;
  size_t at_ = 0;
};

Result<ThriftMessage> Read(std::string bytes, const ThriftLimits& limits = {}) {
  TextInput input(std::move(bytes));
  return ReadThrift(input, limits);
}

std::string Bytes(std::initializer_list<int> bytes) {
  std::string out;
  for (const int byte : bytes) out += static_cast<char>(byte);
  return out;
}

/// A reply called "x" with number 7, and this struct.
std::string Reply(const std::string& fields) { return Bytes({0x80, 1, 0, 2, 0, 0, 0, 1, 'x', 0, 0, 0, 7}) + fields; }

ThriftValue OfAllTypes() {
  ThriftValue inner;
  inner.Set(1, ThriftValue::String("in"));
  ThriftValue list = ThriftValue::List(ThriftType::kStruct);
  list.items = {inner, inner};
  ThriftValue out;
  out.Set(1, ThriftValue::Bool(true));
  out.Set(2, {.type = ThriftType::kByte, .number = -3});
  out.Set(3, ThriftValue::I16(-300));
  out.Set(4, ThriftValue::I32(-70'000));
  out.Set(5, {.type = ThriftType::kI64, .number = INT64_MIN});
  out.Set(6, {.type = ThriftType::kDouble, .number = 0x3FF0000000000000});
  out.Set(7, ThriftValue::String(std::string("a\0b", 3)));
  out.Set(8, inner);
  out.Set(9, list);
  out.Set(10, ThriftValue::StringMap({{"k", "v"}, {"l", ""}}));
  ThriftValue set{.type = ThriftType::kSet, .element_type = ThriftType::kI32};
  set.items = {ThriftValue::I32(1), ThriftValue::I32(-2)};
  out.Set(11, set);
  return out;
}

TEST(ThriftBinaryTest, WritesWhatTheProtocolSays) {
  ThriftMessage message{.name = "get", .number = 258};
  message.body.Set(1, ThriftValue::String("ab"));
  message.body.Set(2, ThriftValue::I16(-1));
  EXPECT_EQ(WriteThrift(message), Bytes({0x80, 1, 0, 1,    0,    0, 0, 3,   'g', 'e', 't', 0, 0, 1, 2,  //
                                         11,   0, 1, 0,    0,    0, 2, 'a', 'b',                        //
                                         6,    0, 2, 0xFF, 0xFF, 0}));
}

TEST(ThriftBinaryTest, ReadsBackEveryType) {
  const ThriftMessage message{.kind = ThriftKind::kReply, .name = "x", .number = -1, .body = OfAllTypes()};
  const auto back = Read(WriteThrift(message));
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_EQ(back->body, message.body);
  EXPECT_EQ(back->name, "x");
  EXPECT_EQ(back->number, -1);
}

TEST(ThriftBinaryTest, EveryCutIsAnErrorAndNoByteMakesItFail) {
  const std::string whole = WriteThrift({.kind = ThriftKind::kReply, .name = "x", .body = OfAllTypes()});
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(Read(whole.substr(0, size)).ok()) << size;
  int refused = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int byte : {0x00, 0x01, 0x0C, 0x0F, 0x10, 0x7F, 0x80, 0xFF}) {
      std::string other = whole;
      other[at] = static_cast<char>(byte);
      refused += Read(other, {.bytes = 1 << 20, .values = 1000}).ok() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(ThriftBinaryTest, SizesAreBoundedBeforeMemoryIsAskedFor) {
  const auto refused = [](const std::string& fields) { return Read(Reply(fields)).status().message(); };
  EXPECT_THAT(refused(Bytes({11, 0, 1, 0x7F, 0xFF, 0xFF, 0xFF})), HasSubstr("a text of 2147483647 bytes"));
  EXPECT_THAT(refused(Bytes({11, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF})), HasSubstr("a text of -1 bytes"));
  EXPECT_THAT(refused(Bytes({15, 0, 1, 2, 0x7F, 0xFF, 0xFF, 0xFF})), HasSubstr("a container of 2147483647"));
  EXPECT_THAT(refused(Bytes({15, 0, 1, 2, 0x80, 0, 0, 0})), HasSubstr("a container of -2147483648"));
  EXPECT_THAT(refused(Bytes({13, 0, 1, 11, 11, 0x7F, 0, 0, 0})), HasSubstr("a container of"));
  EXPECT_THAT(refused(Bytes({15, 0, 1, 0, 0, 0, 0, 1})), HasSubstr("of no type"));
  EXPECT_THAT(refused(Bytes({16, 0, 1})), HasSubstr("there is no type 16"));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += Bytes({12, 0, 1});
  EXPECT_THAT(refused(deep), HasSubstr("nested deeper than 32"));
  const ThriftMessage long_one{.kind = ThriftKind::kReply, .name = std::string(100, 'n')};
  EXPECT_EQ(Read(WriteThrift(long_one), {.bytes = 50}).status().code(), Code::kCorruption);
  EXPECT_EQ(Read(WriteThrift(long_one), {.bytes = 113}).ok(), true);
  EXPECT_EQ(Read(WriteThrift(long_one), {.bytes = 112}).status().code(), Code::kCorruption);
}

TEST(ThriftBinaryTest, ManySmallListsCountTogether) {
  ThriftValue outer = ThriftValue::List(ThriftType::kList);
  ThriftValue inner = ThriftValue::List(ThriftType::kBool);
  inner.items.assign(10, ThriftValue::Bool(true));
  outer.items.assign(10, inner);
  ThriftMessage message{.kind = ThriftKind::kReply, .name = "x"};
  message.body.Set(1, outer);
  EXPECT_TRUE(Read(WriteThrift(message), {.values = 112}).ok());
  EXPECT_THAT(Read(WriteThrift(message), {.values = 111}).status().message(), HasSubstr("more than"));
}

TEST(ThriftBinaryTest, OtherProtocolsAreNamed) {
  const auto said = [](const std::string& bytes) {
    const Status status = Read(bytes).status();
    EXPECT_EQ(status.code(), Code::kUnsupported);
    return status.message();
  };
  EXPECT_THAT(said(Bytes({0x15, 3, 3, 0, 2, 2, 70})), HasSubstr("TLS"));
  EXPECT_THAT(said("HTTP/1.1 400 Bad Request"), HasSubstr("HTTP"));
  EXPECT_THAT(said(Bytes({4, 0, 0, 0, 5}) + "wrong"), HasSubstr("SASL, as with Kerberos"));
  EXPECT_THAT(said(Bytes({0, 0, 0, 40, 0x80, 1, 0, 2})), HasSubstr("framed transport"));
  EXPECT_EQ(Read(Bytes({0x80, 1, 0, 9})).status().code(), Code::kCorruption);
}

}  // namespace
}  // namespace tidegate::catalog
