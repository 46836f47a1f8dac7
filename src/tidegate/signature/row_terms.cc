#include "tidegate/signature/row_terms.h"

#include <algorithm>
#include <utility>

namespace tidegate::signature {

/// Some columns' values and keys, as local variables: what is written to the sums might be part of the members for all
/// that the compiler knows.
template <size_t kCount>
struct RowTerms::Factors {
  const int64_t* values[kCount + 1];
  int64_t p[kCount + 1];
  int64_t q[kCount + 1];

  explicit Factors(const Factor* factors) {
    for (size_t f = 0; f < kCount; ++f) {
      values[f] = factors[f].values;
      p[f] = static_cast<int64_t>(factors[f].key.p);
      q[f] = static_cast<int64_t>(factors[f].key.q);
    }
  }

  [[gnu::always_inline]] Int128 AddP(Int128 sum, size_t row) const {
    for (size_t f = 0; f < kCount; ++f) sum += Int128{values[f][row]} * p[f];
    return sum;
  }
  [[gnu::always_inline]] Int128 AddQ(Int128 sum, size_t row) const {
    for (size_t f = 0; f < kCount; ++f) sum += Int128{values[f][row]} * q[f];
    return sum;
  }
};

void RowTerms::Start(size_t rows) {
  rows_ = rows;
  weight_ = 0;
  terms_ = 0;
  has_sums_ = false;
  waiting_ = 0;
  all_ = RowStart();
  std::fill_n(words_, rows, Element{});
}

void RowTerms::NeedSums() {
  if (has_sums_) return;
  std::fill_n(sums_, rows_, Sum{});
  has_sums_ = true;
}

void RowTerms::Spill() {
  NeedSums();
  for (size_t row = 0; row < rows_; ++row) {
    sums_[row].p += words_[row].p;
    sums_[row].q += words_[row].q;
    words_[row] = {};
  }
  terms_ = 1;
}

void RowTerms::AddProducts(const int64_t* values, const Element& key) {
  if (waiting_ == kTogether) AddTogether();
  factors_[waiting_++] = {values, key};
}

void RowTerms::AddHashes(std::span<const Md5> hashes, const uint16_t* rows, const Element& key) {
  NeedSums();
  Weigh(2);
  for (size_t i = 0; i < hashes.size(); ++i) {
    Sum& sum = sums_[rows == nullptr ? i : rows[i]];
    sum.p += static_cast<Int128>(Uint128{hashes[i].upper} * key.p);
    sum.q += static_cast<Int128>(Uint128{hashes[i].lower} * key.q);
  }
}

void RowTerms::Weigh(int weight) {
  if (weight_ + weight > kMostWeight) Fold();
  weight_ += weight;
}

template <typename What>
void RowTerms::WithFactors(const What& what) {
  Weigh(static_cast<int>(waiting_));
  switch (std::exchange(waiting_, 0)) {
    case 0:
      return what(Factors<0>(factors_));
    case 1:
      return what(Factors<1>(factors_));
    case 2:
      return what(Factors<2>(factors_));
    case 3:
      return what(Factors<3>(factors_));
    default:
      return what(Factors<kTogether>(factors_));
  }
}

void RowTerms::AddTogether() {
  NeedSums();
  WithFactors([this](const auto& factors) {
    for (size_t row = 0; row < rows_; ++row) sums_[row].p = factors.AddP(sums_[row].p, row);
    for (size_t row = 0; row < rows_; ++row) sums_[row].q = factors.AddQ(sums_[row].q, row);
  });
}

void RowTerms::Fold() {
  weight_ = 0;
  if (!has_sums_) return;
  for (size_t row = 0; row < rows_; ++row) {
    sums_[row].p = FieldP::OfSigned(sums_[row].p);
    sums_[row].q = FieldQ::OfSigned(sums_[row].q);
  }
}

template <bool kHasSums, typename SomeFactors>
void RowTerms::FinishWith(const SomeFactors& factors, ProductSums& sums) const {
  const Uint128 all_p = FieldP::kMultiple + all_.p;
  const Uint128 all_q = FieldQ::kMultiple + all_.q;
  ProductSums added;
  uint64_t squares[kRowsAtOnce];
  for (size_t row = 0; row < rows_; ++row) {
    Int128 sum = words_[row].p;
    if constexpr (kHasSums) sum += sums_[row].p;
    squares[row] = FieldP::Square(FieldP::Near(FieldP::Folded(static_cast<Uint128>(factors.AddP(sum, row)) + all_p)));
  }
  for (size_t row = 0; row < rows_; ++row) {
    Int128 sum = words_[row].q;
    if constexpr (kHasSums) sum += sums_[row].q;
    const Uint128 product = Uint128{squares[row]} * FieldQ::Of(static_cast<Uint128>(factors.AddQ(sum, row)) + all_q);
    added.upper += static_cast<uint64_t>(product >> 64);
    added.lower += static_cast<uint64_t>(product);
  }
  sums.upper += added.upper;
  sums.lower += added.lower;
}

void RowTerms::Finish(ProductSums& sums) {
  WithFactors([&](const auto& factors) {
    if (has_sums_) {
      FinishWith<true>(factors, sums);
    } else {
      FinishWith<false>(factors, sums);
    }
  });
}

}  // namespace tidegate::signature
