// An identity for tests that never leaves them.
#pragma once

#include <optional>
#include <string>

#include "tidegate/aws/credentials.h"

namespace tidegate::aws {

class TestKeys final : public CredentialsProvider {
 public:
  Result<std::optional<Credentials>> Get() override {
    return std::optional(Credentials{.access_key_id = "test", .secret_access_key = "test"});
  }
  void Refresh() override {}
  std::string Describe() const override { return "the test's keys"; }
};

}  // namespace tidegate::aws
