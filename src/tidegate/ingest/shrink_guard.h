// The shrink guard: a copy that is suddenly much smaller is more often a broken export than the truth (C-29). It is
// held: readers keep the old rows until a person accepts it, or a newer copy comes. Pure.
#pragma once

#include <cstdint>

namespace tidegate::ingest {

struct ShrinkGuard {
  int64_t zero_from_more_than = 1'000;  // a copy without rows is held where the table has more rows than this
  double share = 0.5;                   // a copy is held that loses more than this share of the rows …
  int64_t share_from = 1'000;           // … of a table that has at least so many

  bool Holds(int64_t rows_before, int64_t rows_now) const {
    if (rows_now == 0 && rows_before > zero_from_more_than) return true;
    const double kept = static_cast<double>(rows_before) * (1.0 - share);
    return rows_before >= share_from && static_cast<double>(rows_now) < kept;
  }
};

}  // namespace tidegate::ingest
