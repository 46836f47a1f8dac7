#include "tidegate/aws/static_sources.h"

#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

Status HalfAPair(const std::string& from, const std::string& there, const std::string& missing) {
  return Unauthenticated(from + ": " + there + " is set and " + missing + " is not; set both, or neither");
}

Result<Credentials> CheckedPair(Credentials keys, const std::string& from, const char* id, const char* secret) {
  if (keys.secret_access_key.empty()) return HalfAPair(from, id, secret);
  if (keys.access_key_id.empty()) return HalfAPair(from, secret, id);
  return CheckedKeys(std::move(keys), from);
}

}  // namespace

bool NamesKeys(const VariableLookup& variable) {
  return variable("AWS_ACCESS_KEY_ID") || variable("AWS_SECRET_ACCESS_KEY");
}

bool NamesKeys(const ConfigSection& profile) {
  return !profile.Value("aws_access_key_id").empty() || !profile.Value("aws_secret_access_key").empty();
}

Result<Credentials> EnvironmentKeys::Fetch() {
  const VariableLookup& variable = surroundings_.variable;
  Credentials out;
  out.access_key_id = variable("AWS_ACCESS_KEY_ID").value_or("");
  out.secret_access_key = variable("AWS_SECRET_ACCESS_KEY").value_or("");
  out.session_token = variable("AWS_SESSION_TOKEN").value_or("");
  if (const auto expires = variable("AWS_CREDENTIAL_EXPIRATION")) {
    TG_ASSIGN_OR_RETURN(out.expires, ReadExpiry(*expires, "AWS_CREDENTIAL_EXPIRATION"));
  }
  return CheckedPair(std::move(out), Describe(), "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY");
}

ProfileKeys::ProfileKeys(std::string profile, const Surroundings& surroundings)
    : profile_(std::move(profile)), surroundings_(surroundings) {}

std::string ProfileKeys::Describe() const { return "profile " + Quoted(profile_); }

Result<Credentials> ProfileKeys::Fetch() {
  TG_ASSIGN_OR_RETURN(const ConfigFiles files, LoadConfigFiles(surroundings_));
  const ConfigSection* profile = files.Profile(profile_);
  if (profile == nullptr) return NotFound(Describe() + " is gone from " + Quoted(files.credentials_path));
  Credentials out;
  out.access_key_id = profile->Value("aws_access_key_id");
  out.secret_access_key = profile->Value("aws_secret_access_key");
  out.session_token = profile->Value("aws_session_token");
  return CheckedPair(std::move(out), Describe(), "aws_access_key_id", "aws_secret_access_key");
}

}  // namespace tidegate::aws
