// RowTerms: for some rows, the sums of what their columns add, and from these what a row adds to a signature
// (docs/formats/signature.md).
//
// Sums are kept in 128 bits, unreduced, as long as they cannot overflow.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tidegate/signature/element.h"
#include "tidegate/signature/md5.h"

namespace tidegate::signature {

/// Rows whose sums are kept at once: so few that they and a column's values stay in the processor's nearest cache.
inline constexpr size_t kRowsAtOnce = 256;

/// Sums over rows, modulo 2^64, of the words of their products.
struct ProductSums {
  uint64_t upper = 0;
  uint64_t lower = 0;
};

class RowTerms {
 public:
  /// Requires: at most kRowsAtOnce.
  void Start(size_t rows);

  /// To each row its value times the key. The values stay as they are until Finish.
  void AddProducts(const int64_t* values, const Element& key);
  /// To the row rows[i], or to row i where there are none, the halves of an MD5, each times its part of the key.
  void AddHashes(std::span<const Md5> hashes, const uint16_t* rows, const Element& key);
  void AddToAll(const Element& term) { all_ = all_ + term; }
  void Add(size_t row, const Element& term) {
    p_[row] += term.p;
    q_[row] += term.q;
  }

  void Finish(ProductSums& sums);

 private:
  struct Factor {
    const int64_t* values;
    Element key;
  };
  static constexpr size_t kTogether = 4;  // factors
  // A product of a value of 64 bits and a key is below 2^124, of a hash's half below 2^125. So many of the first kind
  // fit in 127 bits beside all that columns add in one word.
  static constexpr int kMostWeight = 6;

  void Weigh(int weight);
  void AddTogether();
  template <size_t kCount>
  void AddEach();
  void Fold();

  size_t rows_ = 0;
  int weight_ = 0;
  Element all_;
  size_t waiting_ = 0;
  Factor factors_[kTogether] = {};
  Int128 p_[kRowsAtOnce];
  Int128 q_[kRowsAtOnce];
};

}  // namespace tidegate::signature
