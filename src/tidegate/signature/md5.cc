#include "tidegate/signature/md5.h"

#include <algorithm>

#include "tidegate/signature/md5_lanes.h"

namespace tidegate::signature {
namespace {

/// Of one call: as many texts as fit on the stack.
class Batch {
 public:
  static constexpr size_t kMost =
      120;  // so few that their tails stay in the nearest cache, and as many as fill all lanes

  Batch(std::span<const Md5Text> texts, Md5* out, Machine machine)
      : machine_(machine),
        count_(texts.size()),
        lengths_((machine == Machine::kAvx2 ? PadAvx2 : PadAny)(texts.data(), count_, tails_, jobs_, out)) {}

  void Hash() {
    const Md5Job* jobs = jobs_;
    if (lengths_.most > kSortedLengths) {
      std::sort(jobs_, jobs_ + count_, [](const Md5Job& a, const Md5Job& b) { return a.blocks < b.blocks; });
    } else if (lengths_.least < lengths_.most) {
      SortByLength();
      jobs = sorted_;
    }
    (machine_ == Machine::kAvx2 ? Md5sAvx2 : Md5sAny)(jobs, count_);
  }

 private:
  static constexpr size_t kSortedLengths = 64;  // texts of more blocks are few, and each is much work

  void SortByLength() {
    uint16_t begins[kSortedLengths + 1] = {};  // of the texts of each length, in blocks
    for (size_t i = 0; i < count_; ++i) ++begins[jobs_[i].blocks];
    for (size_t length = 0; length < kSortedLengths; ++length) begins[length + 1] += begins[length];
    for (size_t i = 0; i < count_; ++i) sorted_[begins[jobs_[i].blocks - 1]++] = jobs_[i];
  }

  Machine machine_;
  size_t count_;
  Md5Tail tails_[kMost];
  Md5Job jobs_[kMost];
  Md5Lengths lengths_;
  Md5Job sorted_[kMost];
};

}  // namespace

void Md5s(std::span<const Md5Text> texts, Md5* out, Machine machine) {
  for (size_t first = 0; first < texts.size(); first += Batch::kMost) {
    Batch(texts.subspan(first, std::min(Batch::kMost, texts.size() - first)), out + first, machine).Hash();
  }
}

Md5 Md5Of(std::string_view text) {
  const Md5Text one[] = {{text.data(), text.size()}};
  Md5 hash;
  Md5s(one, &hash, Machine::kAny);
  return hash;
}

std::string Md5Hex(std::string_view text) {
  const Md5 hash = Md5Of(text);
  std::string hex;
  for (const uint64_t half : {hash.upper, hash.lower}) {
    for (int shift = 60; shift >= 0; shift -= 4) hex += "0123456789abcdef"[half >> shift & 15];
  }
  return hex;
}

}  // namespace tidegate::signature
