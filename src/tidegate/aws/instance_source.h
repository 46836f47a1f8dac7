// The metadata service of an EC2 instance, by its version 2 alone: each question carries a token that only a program on
// the machine can get. Version 1 is never asked. Source: "Use the Instance Metadata Service" of the Amazon EC2 user
// guide.
#pragma once

#include <memory>
#include <string>

#include "tidegate/aws/endpoints.h"
#include "tidegate/aws/key_source.h"
#include "tidegate/aws/surroundings.h"

namespace tidegate::aws {

/// The setting of a profile that says where the service is.
inline constexpr const char* kInstanceEndpoint = "ec2_metadata_service_endpoint";

/// AWS_EC2_METADATA_DISABLED is true?
bool InstanceMetadataDisabled(const VariableLookup& variable);

/// Threads: safe.
class InstanceMetadata {
 public:
  /// `profile_endpoint` stands in for AWS_EC2_METADATA_SERVICE_ENDPOINT where that is not set; "" is none.
  /// Errors: InvalidArgument (no URL).
  static Result<std::unique_ptr<InstanceMetadata>> Make(const Surroundings& surroundings,
                                                        const std::string& profile_endpoint);

  /// Errors: Unauthenticated (the machine has no role, or its role is not trusted), Unavailable (no answer within two
  /// tries of a second: most likely no EC2 instance).
  Result<Credentials> Keys() const;
  /// "eu-central-1". Errors: as Keys(); Corruption.
  Result<std::string> Region() const;
  const Url& endpoint() const { return endpoint_; }

 private:
  InstanceMetadata(const Surroundings& surroundings, Url endpoint);
  Result<std::string> Token() const;
  Result<std::string> Read(const std::string& token, const std::string& path) const;
  Result<net::HttpReply> Send(const net::HttpRequest& request) const;
  std::string Name() const;

  Surroundings surroundings_;
  Url endpoint_;
};

class InstanceSource final : public KeySource {
 public:
  static Result<std::unique_ptr<KeySource>> Make(const Surroundings& surroundings, const std::string& profile_endpoint);

  Result<Credentials> Fetch() override { return metadata_->Keys(); }
  std::string Describe() const override { return "role of this machine (instance metadata)"; }

 private:
  explicit InstanceSource(std::unique_ptr<InstanceMetadata> metadata);

  std::unique_ptr<InstanceMetadata> metadata_;
};

}  // namespace tidegate::aws
