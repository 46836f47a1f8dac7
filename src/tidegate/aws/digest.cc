#include "tidegate/aws/digest.h"

#include <openssl/evp.h>

#include <array>

namespace tidegate::aws {
namespace {

std::string Digest(const EVP_MD* kind, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, kind, nullptr);
  return {reinterpret_cast<const char*>(out.data()), size};
}

}  // namespace

std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    out += kDigits[value >> 4];
    out += kDigits[value & 15];
  }
  return out;
}

std::string Sha256Hex(std::string_view bytes) { return Hex(Digest(EVP_sha256(), bytes)); }

std::string Sha1Hex(std::string_view bytes) { return Hex(Digest(EVP_sha1(), bytes)); }

std::string Md5Base64(std::string_view bytes) {
  const std::string digest = Digest(EVP_md5(), bytes);
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> text{};
  const int length = EVP_EncodeBlock(text.data(), reinterpret_cast<const unsigned char*>(digest.data()),
                                     static_cast<int>(digest.size()));
  return {reinterpret_cast<const char*>(text.data()), static_cast<size_t>(length)};
}

}  // namespace tidegate::aws
