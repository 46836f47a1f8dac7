#include "tidegate/net/http.h"

namespace tidegate::net {

std::string_view HttpReply::Header(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (header.name == name) return header.value;
  }
  return {};
}

}  // namespace tidegate::net
