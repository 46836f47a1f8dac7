// Where S3 is and how to speak to it, as the tools of AWS settle it: flags, environment, profile.
// Source: "Service-specific endpoints" and "AWS Region" of the AWS SDKs and Tools reference guide. For people:
// docs/identities.md.
//
// Pure, but for FindRegion.
#pragma once

#include <string>

#include "tidegate/aws/config_files.h"
#include "tidegate/aws/credential_chain.h"
#include "tidegate/aws/surroundings.h"
#include "tidegate/base/status.h"

namespace tidegate::aws {

enum class AddressingStyle {
  kAuto,     // virtual at Amazon's own endpoint where the name allows it, else path
  kPath,     // https://host/bucket/key
  kVirtual,  // https://bucket.host/key
};

/// What the command line or the settings file say; "" is nothing.
struct S3Flags {
  std::string profile{};
  std::string region{};
  std::string endpoint_url{};
  std::string addressing_style{};  // "auto", "path", "virtual"
  std::string ca_bundle{};
};

struct S3Settings {
  std::string profile{};       // whose settings were read; "default" where none is named
  std::string region{};        // "": nobody says; Amazon's endpoint tells it for a bucket
  std::string endpoint_url{};  // "http(s)://host[:port][/path]" without a '/' at the end; "": Amazon's own
  AddressingStyle addressing_style = AddressingStyle::kAuto;
  std::string ca_bundle{};  // a file in PEM; "": the system's
};

/// Region: flag, AWS_REGION, AWS_DEFAULT_REGION, the profile's; with an endpoint of one's own "us-east-1".
/// Endpoint: flag, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, `s3` of the profile's `services`, the profile's endpoint_url;
/// all but the flag are passed over where AWS_IGNORE_CONFIGURED_ENDPOINT_URLS is true. Addressing: flag, the profile's
/// `s3 = addressing_style`. CA bundle: flag, AWS_CA_BUNDLE, the profile's. Errors: InvalidArgument (not a region, a URL
/// or a style), naming where it stands.
Result<S3Settings> ResolveS3Settings(const S3Flags& flags, const VariableLookup& variable, const ConfigFiles& files);

/// The region of the settings, or where they have none and the identity is the machine's own role, what the machine's
/// metadata say. "" where nobody knows. Never an error: the store finds the region of a bucket out by asking.
std::string FindRegion(const S3Settings& settings, const IdentityOptions& identity, const Surroundings& surroundings);

}  // namespace tidegate::aws
