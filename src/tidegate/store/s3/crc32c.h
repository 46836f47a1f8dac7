// CRC32C (Castagnoli, RFC 3720 appendix B.4), as S3 takes it for checksums of objects and parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidegate::store {

uint32_t Crc32c(std::string_view bytes);

/// As x-amz-checksum-crc32c wants it: base64 of the four bytes, the highest first.
std::string Crc32cBase64(std::string_view bytes);

}  // namespace tidegate::store
