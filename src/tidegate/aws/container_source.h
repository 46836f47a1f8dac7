// Keys of a container's role, from the agent beside it: ECS, EKS Pod Identity, Greengrass.
// Source: "Container credential provider" of the AWS SDKs and Tools reference guide.
#pragma once

#include <memory>
#include <string>

#include "tidegate/aws/endpoints.h"
#include "tidegate/aws/key_source.h"
#include "tidegate/aws/surroundings.h"

namespace tidegate::aws {

/// Does the environment name an agent?
bool NamesContainer(const VariableLookup& variable);

class ContainerSource final : public KeySource {
 public:
  /// From AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI. Errors: InvalidArgument (no URL, or plain HTTP to a host
  /// that is neither loopback nor an agent's own address: whoever listens would get the token and choose the identity).
  static Result<std::unique_ptr<KeySource>> Make(const Surroundings& surroundings);

  Result<Credentials> Fetch() override;
  std::string Describe() const override;

 private:
  ContainerSource(const Surroundings& surroundings, Url url);
  Result<std::string> Token() const;

  Surroundings surroundings_;
  Url url_;
};

}  // namespace tidegate::aws
