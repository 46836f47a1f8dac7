// RowTerms: for some rows, the sums of what their columns add, and from these what a row adds to a signature
// (docs/formats/signature.md).
//
// Sums are kept unreduced as long as they cannot overflow: terms that were multiplied already in a word, products in
// 128 bits.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tidegate/signature/element.h"
#include "tidegate/signature/md5.h"

namespace tidegate::signature {

/// Rows whose sums are kept at once: so few that they and a column's values stay in the processor's nearest cache, and
/// as many as fill the lanes of MD5 (md5_lanes.h) on each machine.
inline constexpr size_t kRowsAtOnce = 120;

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
  /// Requires: RoomForTerms was called for these rows' terms, one each.
  void Add(size_t row, const Element& term) {
    words_[row].p += term.p;
    words_[row].q += term.q;
  }

  /// Before terms are added, at most one to each row.
  void RoomForTerms() {
    if (++terms_ > kMostTerms) Spill();
  }

  void Finish(ProductSums& sums);

 private:
  struct Sum {
    Int128 p;
    Int128 q;
  };
  struct Factor {
    const int64_t* values;
    Element key;
  };
  static constexpr size_t kTogether = 4;  // factors
  // A product of a value of 64 bits and a key is below 2^124, of a hash's half below 2^125. So many of the first kind
  // fit in 127 bits beside all that columns add in one word.
  static constexpr int kMostWeight = 6;
  static constexpr int kMostTerms = 7;  // of 2^61, in a word

  template <size_t kCount>
  struct Factors;

  void Weigh(int weight);
  void NeedSums();
  void Spill();
  /// Call `what` with the factors that wait.
  template <typename What>
  void WithFactors(const What& what);
  template <bool kHasSums, typename SomeFactors>
  void FinishWith(const SomeFactors& factors, ProductSums& sums) const;
  void AddTogether();
  void Fold();

  size_t rows_ = 0;
  int weight_ = 0;
  int terms_ = 0;
  bool has_sums_ = false;  // else all are in words, and in the factors
  Element all_;
  size_t waiting_ = 0;
  Factor factors_[kTogether] = {};
  Element words_[kRowsAtOnce];
  Sum sums_[kRowsAtOnce];
};

}  // namespace tidegate::signature
