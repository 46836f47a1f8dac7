// Keys that a command of the user's prints (credential_process).
// Source: "Process credential provider" of the AWS SDKs and Tools reference guide.
#pragma once

#include <string>
#include <vector>

#include "tidegate/aws/key_source.h"
#include "tidegate/aws/surroundings.h"

namespace tidegate::aws {

class ProcessSource final : public KeySource {
 public:
  ProcessSource(std::string described, std::vector<std::string> argv, const Surroundings& surroundings);

  /// Errors: those of RunCommand; Corruption (what it prints is not keys in JSON, Version 1).
  Result<Credentials> Fetch() override;
  std::string Describe() const override { return described_; }

 private:
  std::string described_;
  std::vector<std::string> argv_;
  Surroundings surroundings_;
};

}  // namespace tidegate::aws
