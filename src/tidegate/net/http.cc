#include "tidegate/net/http.h"

#include <ctime>
#include <iomanip>
#include <locale>
#include <sstream>

namespace tidegate::net {

std::string_view HttpReply::Header(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (header.name == name) return header.value;
  }
  return {};
}

std::optional<UtcTime> ParseHttpDate(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::tm parts{};
  in.imbue(std::locale::classic());
  in >> std::get_time(&parts, "%a, %d %b %Y %H:%M:%S");
  if (in.fail()) return std::nullopt;
  return UtcTime(std::chrono::seconds(timegm(&parts)));
}

}  // namespace tidegate::net
