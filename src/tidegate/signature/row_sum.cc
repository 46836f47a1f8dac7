#include "tidegate/signature/row_sum.h"

#include <algorithm>

#include "tidegate/base/text.h"
#include "tidegate/signature/value_text.h"

namespace tidegate::signature {
namespace {

constexpr uint64_t kMaxRowBytes = uint64_t{1} << 30;
constexpr uint64_t kBufferBytes = uint64_t{1} << 20;

std::string NamesText(const std::vector<std::string>& names, const std::vector<int>& order) {
  std::string text;
  for (const int column : order) {
    const std::string& name = names[static_cast<size_t>(column)];
    text += "s" + std::to_string(name.size()) + ":" + name;
  }
  return text;
}

}  // namespace

Result<SignedColumns> SignedColumns::Make(const std::vector<std::string>& names,
                                          const std::vector<std::string>& leave_out, const std::string& what) {
  const auto name_of = [&](int column) -> const std::string& { return names[static_cast<size_t>(column)]; };
  SignedColumns made;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool left_out = std::find(leave_out.begin(), leave_out.end(), names[i]) != leave_out.end();
    if (!left_out) made.order_.push_back(static_cast<int>(i));
  }
  std::sort(made.order_.begin(), made.order_.end(), [&](int a, int b) { return name_of(a) < name_of(b); });
  if (made.order_.empty()) return InvalidArgument(what + "no column is left to sign; leave out fewer");
  for (size_t i = 1; i < made.order_.size(); ++i) {
    if (name_of(made.order_[i]) == name_of(made.order_[i - 1])) {
      return Corruption(what +
                        "two columns have one name, so the rows have no signature: " + Quoted(name_of(made.order_[i])));
    }
  }
  made.digest_ = Md5Hex(NamesText(names, made.order_));
  return made;
}

Status RowSum::Add(std::span<ColumnText* const> columns, size_t rows) {
  uint64_t fixed = kMd5Slack;
  for (const ColumnText* column : columns) fixed += column->FixedRoom();
  room_.assign(rows, fixed);
  for (const ColumnText* column : columns) column->AddRoom(room_);
  for (size_t first = 0; first < rows;) {
    size_t last = first;
    uint64_t bytes = 0;
    do {
      if (room_[last] > kMaxRowBytes) {
        return Unsupported("the text of a row is larger than " + HumanBytes(kMaxRowBytes) +
                           "; leave out the column that is so large");
      }
      bytes += room_[last++];
    } while (last < rows && bytes + room_[last] <= kBufferBytes);
    AddRange(columns, first, std::span(room_).subspan(first, last - first));
    first = last;
  }
  return {};
}

void RowSum::AddRange(std::span<ColumnText* const> columns, size_t first, std::span<const uint64_t> room) {
  uint64_t bytes = 0;
  for (const uint64_t row : room) bytes += row;
  if (bytes > buffer_bytes_) {
    buffer_bytes_ = std::max(bytes, kBufferBytes);
    buffer_.reset();  // before the new one is there
    buffer_ = std::make_unique_for_overwrite<char[]>(buffer_bytes_);
  }
  texts_.resize(room.size());
  ends_.resize(room.size());
  char* begin = buffer_.get();
  for (size_t i = 0; i < room.size(); begin += room[i++]) texts_[i].data = ends_[i] = begin;
  for (const ColumnText* column : columns) column->Write(first, ends_);
  for (size_t i = 0; i < room.size(); ++i) texts_[i].bytes = static_cast<uint64_t>(ends_[i] - texts_[i].data);
  Hash();
}

void RowSum::Hash() {
  halves_.resize(texts_.size());
  Md5OfEach(texts_, halves_);
  for (const Md5Halves& row : halves_) {
    upper_ += row.upper;
    lower_ += row.lower;
  }
  rows_ += static_cast<int64_t>(texts_.size());
}

void RowSum::Merge(const RowSum& other) {
  rows_ += other.rows_;
  upper_ += other.upper_;
  lower_ += other.lower_;
}

ContentSignature RowSum::Finish(const std::string& names_digest) const {
  return {.known = true, .rows = rows_, .upper = upper_, .lower = lower_, .names = names_digest};
}

}  // namespace tidegate::signature
