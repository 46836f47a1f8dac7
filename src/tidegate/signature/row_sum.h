// RowSum: rows, some of all columns at a time, added up to a signature.
//
// Threads: one at a time; each thread has its own, and they are merged.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/signature/content_signature.h"
#include "tidegate/signature/element.h"
#include "tidegate/signature/row_terms.h"

namespace tidegate::signature {

/// A column with some rows ahead of it.
class ColumnTerms {
 public:
  virtual ~ColumnTerms() = default;
  /// Add the terms of the next rows. Until terms.Finish, the column stays where it is.
  virtual void AddTerms(size_t rows, RowTerms& terms) = 0;
};

/// The columns' names and which are signed, in the order of their names.
class SignedColumns {
 public:
  /// `what` names the rows in messages. Errors: Corruption (a name twice), InvalidArgument (no column is left).
  static Result<SignedColumns> Make(const std::vector<std::string>& names, const std::vector<std::string>& leave_out,
                                    const std::string& what);

  /// Positions in `names`, in the order of the names' bytes.
  const std::vector<int>& order() const { return order_; }
  /// MD5 of the names, in hex.
  const std::string& digest() const { return digest_; }

 private:
  std::vector<int> order_;
  std::string digest_;
};

class RowSum {
 public:
  /// Add the next rows of all columns. Requires: at most kRowsAtOnce.
  void Add(std::span<ColumnTerms* const> columns, size_t rows);
  void Merge(const RowSum& other);
  ContentSignature Finish(const std::string& names_digest) const;

 private:
  int64_t rows_ = 0;
  ProductSums sums_;
  RowTerms terms_;
};

}  // namespace tidegate::signature
