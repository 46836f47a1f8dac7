#include "tidegate/signature/row_sum.h"

#include <algorithm>

#include "tidegate/base/text.h"
#include "tidegate/signature/value_text.h"

namespace tidegate::signature {
namespace {

constexpr uint64_t kMaxRowBytes = uint64_t{1} << 30;
constexpr uint64_t kBufferBytes = uint64_t{1} << 20;

Status TooLong() {
  return Unsupported("the text of a row is larger than " + HumanBytes(kMaxRowBytes) +
                     "; leave out the column that is so large");
}

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

Status RowSum::Add(Columns columns, size_t rows) {
  uint64_t fixed = kMd5Slack;
  bool varies = false;
  for (const ColumnText* column : columns) {
    fixed += column->FixedRoom();
    varies |= column->Varies();
  }
  if (fixed > kMaxRowBytes) return TooLong();
  rows_ += static_cast<int64_t>(rows);
  if (varies) return AddUneven(columns, rows, fixed);
  AddEven(columns, rows, fixed);
  return {};
}

/// Rows that need the same room each.
void RowSum::AddEven(Columns columns, size_t rows, uint64_t stride) {
  const size_t at_once = std::max<uint64_t>(1, kBufferBytes / stride);
  Reserve(std::min(rows, at_once) * stride);
  for (size_t first = 0; first < rows; first += at_once) {
    texts_.resize(std::min(at_once, rows - first));
    ends_.resize(texts_.size());
    for (size_t i = 0; i < texts_.size(); ++i) texts_[i].data = ends_[i] = buffer_.get() + i * stride;
    Hash(columns, first);
  }
}

Status RowSum::AddUneven(Columns columns, size_t rows, uint64_t fixed) {
  room_.assign(rows, fixed);
  for (const ColumnText* column : columns) column->AddRoom(room_);
  for (size_t first = 0; first < rows;) {
    size_t last = first;
    uint64_t bytes = 0;
    do {
      if (room_[last] > kMaxRowBytes) return TooLong();
      bytes += room_[last++];
    } while (last < rows && bytes + room_[last] <= kBufferBytes);
    Reserve(bytes);
    texts_.resize(last - first);
    ends_.resize(texts_.size());
    char* begin = buffer_.get();
    for (size_t i = 0; i < texts_.size(); begin += room_[first + i++]) texts_[i].data = ends_[i] = begin;
    Hash(columns, first);
    first = last;
  }
  return {};
}

void RowSum::Reserve(uint64_t bytes) {
  if (bytes <= buffer_bytes_) return;
  buffer_bytes_ = std::max(bytes, kBufferBytes);
  buffer_.reset();  // before the new one is there
  buffer_ = std::make_unique_for_overwrite<char[]>(buffer_bytes_);
}

/// Rows from `first` on, as many as have a place.
void RowSum::Hash(Columns columns, size_t first) {
  for (const ColumnText* column : columns) column->Write(first, ends_);
  for (size_t i = 0; i < texts_.size(); ++i) texts_[i].bytes = static_cast<uint64_t>(ends_[i] - texts_[i].data);
  AddMd5s(texts_, sums_, machine_);
}

void RowSum::Merge(const RowSum& other) {
  rows_ += other.rows_;
  sums_.upper += other.sums_.upper;
  sums_.lower += other.sums_.lower;
}

ContentSignature RowSum::Finish(const std::string& names_digest) const {
  return {.known = true, .rows = rows_, .upper = sums_.upper, .lower = sums_.lower, .names = names_digest};
}

}  // namespace tidegate::signature
