#include "tidegate/signature/row_sum.h"

#include <algorithm>

#include "tidegate/base/text.h"
#include "tidegate/signature/md5.h"

namespace tidegate::signature {
namespace {

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

void RowSum::Add(std::span<ColumnTerms* const> columns, size_t rows) {
  terms_.Start(rows);
  for (ColumnTerms* column : columns) column->AddTerms(rows, terms_);
  terms_.Finish(sums_);
  rows_ += static_cast<int64_t>(rows);
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
