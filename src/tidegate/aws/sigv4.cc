#include "tidegate/aws/sigv4.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>

#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string HmacSha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), out.data(), &size);
  return {reinterpret_cast<const char*>(out.data()), size};
}

/// "20261103T030405Z"
std::string AmzDate(UtcTime now) {
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(now - day));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d%02u%02uT%02d%02d%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  return text.data();
}

std::string HostOf(std::string_view origin) {
  const size_t scheme = origin.find("://");
  const bool tls = origin.starts_with("https://");
  std::string host(scheme == std::string_view::npos ? origin : origin.substr(scheme + 3));
  const std::string_view usual = tls ? ":443" : ":80";  // left out of the Host header by every client
  if (host.ends_with(usual)) host.resize(host.size() - usual.size());
  return host;
}

/// A header's value as it is signed: without space around it, runs of spaces as one.
std::string CanonicalValue(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const bool space = c == ' ' || c == '\t';
    if (space && (out.empty() || out.back() == ' ')) continue;
    out += space ? ' ' : c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

struct CanonicalHeaders {
  std::string lines;  // "name:value\n" …
  std::string names;  // "host;x-amz-date"
};

CanonicalHeaders Canonical(const std::vector<net::HttpHeader>& headers) {
  std::map<std::string, std::string> sorted;
  for (const net::HttpHeader& header : headers) {
    auto [it, fresh] = sorted.try_emplace(ToLower(header.name), CanonicalValue(header.value));
    if (!fresh) it->second += "," + CanonicalValue(header.value);
  }
  CanonicalHeaders out;
  for (const auto& [name, value] : sorted) {
    out.lines += name + ":" + value + "\n";
    out.names += (out.names.empty() ? "" : ";") + name;
  }
  return out;
}

}  // namespace

std::string UriEncode(std::string_view text, bool keep_slash) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~' || (keep_slash && c == '/');
    if (plain) {
      out += c;
      continue;
    }
    const auto value = static_cast<unsigned char>(c);
    out += {'%', kDigits[value >> 4], kDigits[value & 15]};
  }
  return out;
}

std::string EncodeQuery(std::vector<std::pair<std::string, std::string>> parameters) {
  for (auto& [name, value] : parameters) {
    name = UriEncode(name, false);
    value = UriEncode(value, false);
  }
  std::sort(parameters.begin(), parameters.end());
  std::string out;
  for (const auto& [name, value] : parameters) out += (out.empty() ? "" : "&") + name + "=" + value;
  return out;
}

void SignRequest(const Credentials& credentials, const SigningScope& scope, UtcTime now, std::string_view payload_hash,
                 net::HttpRequest& request) {
  const std::string date = AmzDate(now);
  const std::string day = date.substr(0, 8);
  request.headers.push_back({"host", HostOf(request.origin)});
  request.headers.push_back({"x-amz-date", date});
  request.headers.push_back({"x-amz-content-sha256", std::string(payload_hash)});
  if (!credentials.session_token.empty()) {
    request.headers.push_back({"x-amz-security-token", credentials.session_token});
  }
  const CanonicalHeaders headers = Canonical(request.headers);
  const std::string canonical = request.method + "\n" + request.path + "\n" + request.query + "\n" + headers.lines +
                                "\n" + headers.names + "\n" + std::string(payload_hash);
  const std::string credential_scope = day + "/" + scope.region + "/" + scope.service + "/aws4_request";
  const std::string to_sign =
      std::string(kAlgorithm) + "\n" + date + "\n" + credential_scope + "\n" + Sha256Hex(canonical);
  std::string key = "AWS4" + credentials.secret_access_key;
  for (const std::string_view part : {std::string_view(day), std::string_view(scope.region),
                                      std::string_view(scope.service), std::string_view("aws4_request")}) {
    key = HmacSha256(key, part);
  }
  request.headers.push_back({"authorization", std::string(kAlgorithm) + " Credential=" + credentials.access_key_id +
                                                  "/" + credential_scope + ", SignedHeaders=" + headers.names +
                                                  ", Signature=" + Hex(HmacSha256(key, to_sign))});
}

}  // namespace tidegate::aws
