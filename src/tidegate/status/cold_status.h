// What of a bucket lies in cold storage, and what will soon. Pure; from a listing.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "tidegate/base/time.h"
#include "tidegate/bucket/bucket_view.h"

namespace tidegate::status {

/// Objects that cannot be read now, by their age.
struct ColdAge {
  int from_days = 0;  // and older, up to the next
  int64_t objects = 0;
  int64_t bytes = 0;
  friend bool operator==(const ColdAge&, const ColdAge&) = default;
};

/// Of sealed folders, applied or not; the youngest first, without ages that have none.
std::vector<ColdAge> ColdByAge(const bucket::TableFolders& folders, UtcTime now);

/// How long before it happens a person is told.
inline constexpr std::chrono::days kFreezeNotice{30};

/// What can be read now, and cannot before long.
struct FreezesSoon {
  int64_t objects = 0;
  int64_t bytes = 0;
  UtcTime first;  // when the first of them freezes
};

/// Of folders that a lake has not applied, by the times of their files. One that should have frozen more than a week
/// ago does not count: it is kept out by the bucket's rules, as small objects are. Absent: none freezes within
/// kFreezeNotice.
std::optional<FreezesSoon> WhatFreezesSoon(const std::vector<bucket::FolderState>& not_applied, UtcTime now,
                                           std::chrono::milliseconds freezes_after);

}  // namespace tidegate::status
