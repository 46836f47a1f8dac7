#include "tidegate/signature/md5.h"

#include <algorithm>

#include "tidegate/signature/md5_lanes.h"

namespace tidegate::signature {
namespace {

/// Of one call: as many texts as fit on the stack.
class Batch {
 public:
  static constexpr size_t kMost = 512;

  Batch(std::span<const Md5Text> texts, Machine machine)
      : machine_(machine),
        count_(texts.size()),
        lengths_((machine == Machine::kAvx2 ? PadAvx2 : PadAny)(texts.data(), count_, jobs_)) {}

  void Add(Md5Sums& sums) {
    const Md5Job* jobs = jobs_;
    if (lengths_.most > kSortedLengths) {
      std::sort(jobs_, jobs_ + count_, [](const Md5Job& a, const Md5Job& b) { return a.blocks < b.blocks; });
    } else if (lengths_.least < lengths_.most) {
      SortByLength();
      jobs = sorted_;
    }
    (machine_ == Machine::kAvx2 ? AddMd5sAvx2 : AddMd5sAny)(jobs, count_, &sums);
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
  Md5Job jobs_[kMost];
  Md5Lengths lengths_;
  Md5Job sorted_[kMost];
};

}  // namespace

void AddMd5s(std::span<const Md5Text> texts, Md5Sums& sums, Machine machine) {
  for (size_t first = 0; first < texts.size(); first += Batch::kMost) {
    Batch(texts.subspan(first, std::min(Batch::kMost, texts.size() - first)), machine).Add(sums);
  }
}

std::string Md5Hex(std::string_view text) {
  std::string padded(text);
  padded.resize(text.size() + kMd5Slack);
  const Md5Text one[] = {{padded.data(), text.size()}};
  Md5Sums sums;
  AddMd5s(one, sums, Machine::kAny);
  std::string hex;
  for (const uint64_t half : {sums.upper, sums.lower}) {
    for (int shift = 60; shift >= 0; shift -= 4) hex += "0123456789abcdef"[half >> shift & 15];
  }
  return hex;
}

}  // namespace tidegate::signature
