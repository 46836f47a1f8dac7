#include "tidegate/aws/role_sources.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tidegate/aws/command.h"
#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

constexpr size_t kMaxTokenBytes = 20'000;  // STS takes no longer one

/// A token without the line end behind it. Errors: Unauthenticated; the token is not shown.
Result<std::string> CheckedToken(std::string token, const std::string& from) {
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' ')) token.pop_back();
  const bool plain = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7F; });
  if (!token.empty() && plain && token.size() <= kMaxTokenBytes) return token;
  return Unauthenticated(from + (token.empty() ? " holds no token" : " holds something else than one token") +
                         "; it must be an OpenID token (JWT) and nothing else");
}

}  // namespace

AssumedRole::AssumedRole(std::string described, RoleRequest role, std::unique_ptr<CredentialsProvider> base, Sts sts)
    : described_(std::move(described)), role_(std::move(role)), base_(std::move(base)), sts_(std::move(sts)) {}

Result<Credentials> AssumedRole::Ask() {
  TG_ASSIGN_OR_RETURN(const std::optional<Credentials> signer, base_->Get());
  return sts_.AssumeRole(role_, *signer);
}

Result<Credentials> AssumedRole::Fetch() {
  Result<Credentials> out = Ask();
  if (!out.ok() && out.status().code() == Code::kUnauthenticated) {
    base_->Refresh();
    out = Ask();
  }
  return out.ok() ? std::move(out) : out.status().WithContext(described_);
}

TokenReader TokenFromFile(const Surroundings& surroundings, const std::string& path) {
  return [surroundings, path]() -> Result<std::string> {
    Result<std::string> text = surroundings.read_file(ExpandHome(surroundings.variable, path), kMaxTokenBytes + 2);
    if (!text.ok()) return text.status().WithContext("the web identity token");
    return CheckedToken(*std::move(text), "the token file " + Quoted(path));
  };
}

Result<TokenReader> TokenFromCommand(const Surroundings& surroundings, const std::string& command,
                                     const std::string& where) {
  Result<std::vector<std::string>> argv = SplitCommandLine(command);
  if (!argv.ok()) return argv.status().WithContext(where);
  return TokenReader([run = surroundings.run, argv = *std::move(argv)]() -> Result<std::string> {
    Result<std::string> text = run(argv);
    if (!text.ok()) return text.status().WithContext("the web identity token");
    return CheckedToken(*std::move(text), "what the command " + Quoted(argv[0]) + " printed");
  });
}

WebIdentityRole::WebIdentityRole(std::string described, RoleRequest role, TokenReader token, Sts sts)
    : described_(std::move(described)), role_(std::move(role)), token_(std::move(token)), sts_(std::move(sts)) {}

Result<Credentials> WebIdentityRole::Fetch() {
  const Result<std::string> token = token_();
  if (!token.ok()) return token.status().WithContext(described_);
  Result<Credentials> out = sts_.AssumeRoleWithWebIdentity(role_, *token);
  return out.ok() ? std::move(out) : out.status().WithContext(described_);
}

}  // namespace tidegate::aws
