// RowSum: the texts of many rows, written column by column into one buffer, hashed and added up.
//
// Guarantees
// - Bounded memory: a few megabytes, or one row's text where that is larger.
//
// Threads: one at a time; each thread has its own, and they are merged.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/signature/content_signature.h"
#include "tidegate/signature/md5.h"

namespace tidegate::signature {

/// A column that can write the texts of some rows ahead of it, counted from where it stands.
class ColumnText {
 public:
  virtual ~ColumnText() = default;
  /// Bytes that the text of any row may need.
  virtual size_t FixedRoom() const = 0;
  /// Does a row need more than that?
  virtual bool Varies() const = 0;
  /// Add to room[i] what row i may need besides.
  virtual void AddRoom(std::span<uint64_t> room) const = 0;
  /// Write the texts of rows first, first + 1, … at ends[0], ends[1], … and move these.
  virtual void Write(size_t first, std::span<char*> ends) const = 0;
};

/// The columns' names and which are signed, in the order of a row's text.
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
  explicit RowSum(Machine machine = ThisMachine()) : machine_(machine) {}

  /// Add the next `rows` rows of all columns. Errors: Unsupported (the text of a row above 1 GB).
  Status Add(std::span<ColumnText* const> columns, size_t rows);
  void Merge(const RowSum& other);
  ContentSignature Finish(const std::string& names_digest) const;

 private:
  using Columns = std::span<ColumnText* const>;
  Status AddUneven(Columns columns, size_t rows, uint64_t fixed);
  void AddEven(Columns columns, size_t rows, uint64_t stride);
  void Reserve(uint64_t bytes);
  void Hash(Columns columns, size_t first);

  Machine machine_;
  int64_t rows_ = 0;
  Md5Sums sums_;
  std::unique_ptr<char[]> buffer_;
  uint64_t buffer_bytes_ = 0;
  std::vector<uint64_t> room_;
  std::vector<char*> ends_;
  std::vector<Md5Text> texts_;
};

}  // namespace tidegate::signature
