// HashedTerms: the MD5s of some rows' bytes, many at once, as terms of these rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tidegate/signature/md5.h"
#include "tidegate/signature/row_terms.h"
#include "tidegate/signature/value_element.h"

namespace tidegate::signature {

class HashedTerms {
 public:
  HashedTerms(Kind kind, const Element& key, Machine machine)
      : key_(key), kind_term_(key * KindElement(kind)), null_term_(key * NullElement()), machine_(machine) {}

  /// What bytes_of(row) gives of each row that is not null.
  template <typename BytesOf, typename IsNull>
  void Add(size_t rows, bool has_nulls, const IsNull& is_null, const BytesOf& bytes_of, RowTerms& terms) {
    size_t count = 0;
    const auto take = [&](size_t row) {
      const std::string_view bytes = bytes_of(row);
      at_[count] = static_cast<uint16_t>(row);
      texts_[count++] = {bytes.data(), bytes.size()};
    };
    if (!has_nulls) {
      for (size_t row = 0; row < rows; ++row) take(row);
      terms.AddToAll(kind_term_);
    } else {
      terms.RoomForTerms();
      for (size_t row = 0; row < rows; ++row) {
        if (is_null(row)) {
          terms.Add(row, null_term_);
        } else {
          terms.Add(row, kind_term_);
          take(row);
        }
      }
    }
    Md5s({texts_, count}, hashes_, machine_);
    terms.AddHashes({hashes_, count}, has_nulls ? at_ : nullptr, key_);
  }

  /// The terms of values that are not null, whose bytes are what bytes_of(i) gives. Requires: at most kRowsAtOnce.
  template <typename BytesOf>
  void TermsOf(size_t count, const BytesOf& bytes_of, Element* out) {
    for (size_t i = 0; i < count; ++i) {
      const std::string_view bytes = bytes_of(i);
      texts_[i] = {bytes.data(), bytes.size()};
    }
    Md5s({texts_, count}, hashes_, machine_);
    for (size_t i = 0; i < count; ++i) out[i] = kind_term_ + key_ * ElementOf(hashes_[i]);
  }

 private:
  Element key_;
  Element kind_term_;
  Element null_term_;
  Machine machine_;
  uint16_t at_[kRowsAtOnce];
  Md5Text texts_[kRowsAtOnce];
  Md5 hashes_[kRowsAtOnce];
};

}  // namespace tidegate::signature
