#include "tidegate/store/s3/crc32c.h"

#include <array>
#include <cstring>

namespace tidegate::store {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;  // reflected

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    table[byte] = value;
  }
  return table;
}

uint32_t UpdateByTable(uint32_t state, std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = MakeTable();
  for (const char c : bytes) state = kTable[(state ^ static_cast<unsigned char>(c)) & 0xFF] ^ (state >> 8);
  return state;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t UpdateByInstruction(uint32_t state, std::string_view bytes) {
  uint64_t wide = state;
  while (bytes.size() >= sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof(word));
    wide = __builtin_ia32_crc32di(wide, word);
    bytes.remove_prefix(sizeof(word));
  }
  return UpdateByTable(static_cast<uint32_t>(wide), bytes);
}
bool HasInstruction() { return __builtin_cpu_supports("sse4.2") != 0; }
#else
uint32_t UpdateByInstruction(uint32_t state, std::string_view bytes) { return UpdateByTable(state, bytes); }
bool HasInstruction() { return false; }
#endif

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  static const bool fast = HasInstruction();
  return ~(fast ? UpdateByInstruction(~0U, bytes) : UpdateByTable(~0U, bytes));
}

std::string Crc32cBase64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const uint64_t bits = static_cast<uint64_t>(Crc32c(bytes)) << 4;  // 36 bits: six digits
  std::string out;
  for (int shift = 30; shift >= 0; shift -= 6) out += kDigits[(bits >> shift) & 63];
  return out + "==";
}

}  // namespace tidegate::store
