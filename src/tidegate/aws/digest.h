// Digests as AWS and its tools write them. OpenSSL makes them.
#pragma once

#include <string>
#include <string_view>

namespace tidegate::aws {

/// Lower-case hex digits.
std::string Hex(std::string_view bytes);

/// Lower-case hex of the SHA-256, as signatures take it.
std::string Sha256Hex(std::string_view bytes);

/// Lower-case hex of the SHA-1: the names of cached logins.
std::string Sha1Hex(std::string_view bytes);

/// Base64 of the MD5, as the header content-md5 takes it.
std::string Md5Base64(std::string_view bytes);

}  // namespace tidegate::aws
