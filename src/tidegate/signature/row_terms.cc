#include "tidegate/signature/row_terms.h"

#include <algorithm>

namespace tidegate::signature {

void RowTerms::Start(size_t rows) {
  rows_ = rows;
  weight_ = 0;
  waiting_ = 0;
  all_ = RowStart();
  std::fill_n(p_, rows, 0);
  std::fill_n(q_, rows, 0);
}

void RowTerms::AddProducts(const int64_t* values, const Element& key) {
  if (waiting_ == kTogether) AddTogether();
  factors_[waiting_++] = {values, key};
}

void RowTerms::AddHashes(std::span<const Md5> hashes, const uint16_t* rows, const Element& key) {
  Weigh(2);
  for (size_t i = 0; i < hashes.size(); ++i) {
    const size_t row = rows == nullptr ? i : rows[i];
    p_[row] += static_cast<Int128>(Uint128{hashes[i].upper} * key.p);
    q_[row] += static_cast<Int128>(Uint128{hashes[i].lower} * key.q);
  }
}

void RowTerms::Weigh(int weight) {
  if (weight_ + weight > kMostWeight) Fold();
  weight_ += weight;
}

void RowTerms::AddTogether() {
  Weigh(static_cast<int>(waiting_));
  switch (waiting_) {
    case 1:
      AddEach<1>();
      break;
    case 2:
      AddEach<2>();
      break;
    case 3:
      AddEach<3>();
      break;
    default:
      AddEach<kTogether>();
  }
  waiting_ = 0;
}

template <size_t kCount>
void RowTerms::AddEach() {
  const int64_t* values[kCount];
  int64_t keys_p[kCount];
  int64_t keys_q[kCount];
  for (size_t f = 0; f < kCount; ++f) {
    values[f] = factors_[f].values;
    keys_p[f] = static_cast<int64_t>(factors_[f].key.p);
    keys_q[f] = static_cast<int64_t>(factors_[f].key.q);
  }
  for (size_t row = 0; row < rows_; ++row) {
    Int128 sum = p_[row];
    for (size_t f = 0; f < kCount; ++f) sum += Int128{values[f][row]} * keys_p[f];
    p_[row] = sum;
  }
  for (size_t row = 0; row < rows_; ++row) {
    Int128 sum = q_[row];
    for (size_t f = 0; f < kCount; ++f) sum += Int128{values[f][row]} * keys_q[f];
    q_[row] = sum;
  }
}

void RowTerms::Fold() {
  for (size_t row = 0; row < rows_; ++row) {
    p_[row] = FieldP::OfSigned(p_[row]);
    q_[row] = FieldQ::OfSigned(q_[row]);
  }
  weight_ = 0;
}

void RowTerms::Finish(ProductSums& sums) {
  if (waiting_ > 0) AddTogether();
  ProductSums added;
  for (size_t row = 0; row < rows_; ++row) {
    const uint64_t a = FieldP::OfSigned(p_[row] + static_cast<Int128>(all_.p));
    const uint64_t b = FieldQ::OfSigned(q_[row] + static_cast<Int128>(all_.q));
    const Uint128 product = Uint128{FieldP::Times(a, a)} * b;
    added.upper += static_cast<uint64_t>(product >> 64);
    added.lower += static_cast<uint64_t>(product);
  }
  sums.upper += added.upper;
  sums.lower += added.lower;
}

}  // namespace tidegate::signature
