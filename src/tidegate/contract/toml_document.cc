#define TOML_IMPLEMENTATION
#include "tidegate/contract/toml_document.h"

#include <algorithm>
#include <string>

#include "tidegate/base/text.h"

namespace tidegate::contract {
namespace {

// A table at each dot of a key: toml++ frees nested tables by recursion, and 100,000 of them end the stack. No
// document of ours needs more than a few.
constexpr size_t kMaxKeyDots = 1000;
constexpr size_t kMaxMessageBytes = 300;

/// Skip a TOML string that begins at `at`; gives the place after it.
size_t AfterString(std::string_view toml, size_t at) {
  const char quote = toml[at];
  const bool multi_line = toml.substr(at, 3) == std::string(3, quote);
  const std::string end(multi_line ? 3 : 1, quote);
  for (at += end.size(); at < toml.size(); ++at) {
    if (quote == '"' && toml[at] == '\\') {
      ++at;
    } else if (!multi_line && toml[at] == '\n') {
      return at;  // not closed: the parser will say so
    } else if (toml.substr(at, end.size()) == end) {
      at += end.size();
      for (int extra = 0; multi_line && extra < 2 && at < toml.size() && toml[at] == quote; ++extra) ++at;
      return at;
    }
  }
  return toml.size();
}

/// Count the dots outside of strings and comments: an upper bound of how deep keys nest.
size_t KeyDots(std::string_view toml) {
  size_t dots = 0;
  for (size_t at = 0; at < toml.size();) {
    if (toml[at] == '"' || toml[at] == '\'') {
      at = AfterString(toml, at);
    } else if (toml[at] == '#') {
      at = std::min(toml.find('\n', at), toml.size());
    } else {
      if (toml[at] == '.') ++dots;
      ++at;
    }
  }
  return dots;
}

/// The parser's own message, with foreign letters made harmless.
std::string Printable(std::string_view text) {
  std::string out(text.substr(0, kMaxMessageBytes));
  for (char& c : out) {
    if (c < 0x20 || c > 0x7E) c = '?';
  }
  return out;
}

}  // namespace

Result<toml::table> ParseToml(std::string_view text, std::string_view source) {
  if (text.size() > kMaxTomlBytes) {
    return InvalidArgument(std::string(source) + ": larger than " + HumanBytes(kMaxTomlBytes) +
                           ", which no catalog or settings file is: " + HumanBytes(text.size()));
  }
  if (KeyDots(text) > kMaxKeyDots) {
    return InvalidArgument(std::string(source) + ": more than " + std::to_string(kMaxKeyDots) +
                           " dots outside of texts: tables nested that deep are refused");
  }
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return TomlError(source, error.source(), "not TOML: " + Printable(error.description()));
  }
  return std::move(parsed).table();
}

Status TomlError(std::string_view source, const toml::source_region& place, std::string_view what) {
  return InvalidArgument(std::string(source) + ":" + std::to_string(place.begin.line) + ": " + std::string(what));
}

}  // namespace tidegate::contract
