#include "tidegate/status/cold_status.h"

#include <algorithm>
#include <array>

#include "tidegate/ingest/hold_back.h"

namespace tidegate::status {
namespace {

constexpr std::array<int, 4> kAges = {0, 180, 365, 730};  // days
constexpr std::chrono::days kOverdue{7};

ColdAge& ClassOf(std::array<ColdAge, kAges.size()>& ages, UtcTime::duration age) {
  size_t at = ages.size() - 1;
  while (at > 0 && age < std::chrono::days(kAges[at])) --at;
  return ages[at];
}

void Count(const bucket::FolderMap& folders, UtcTime now, std::array<ColdAge, kAges.size()>& ages) {
  for (const auto& [delivery, state] : folders) {
    if (!state.sealed()) continue;
    for (const store::ObjectInfo& file : state.files) {
      if (store::CanBeRead(file.archive)) continue;
      ColdAge& age = ClassOf(ages, now - file.modified);
      ++age.objects;
      age.bytes += static_cast<int64_t>(file.size_bytes);
    }
  }
}

}  // namespace

std::vector<ColdAge> ColdByAge(const bucket::TableFolders& folders, UtcTime now) {
  std::array<ColdAge, kAges.size()> ages{};
  for (size_t i = 0; i < ages.size(); ++i) ages[i].from_days = kAges[i];
  Count(folders.full, now, ages);
  Count(folders.parts, now, ages);
  std::vector<ColdAge> out;
  for (const ColdAge& age : ages) {
    if (age.objects > 0) out.push_back(age);
  }
  return out;
}

std::optional<FreezesSoon> WhatFreezesSoon(const std::vector<bucket::FolderState>& not_applied, UtcTime now,
                                           std::chrono::milliseconds freezes_after) {
  FreezesSoon out;
  for (const bucket::FolderState& state : not_applied) {
    for (const store::ObjectInfo& file : state.files) {
      const UtcTime when = file.modified + freezes_after;
      const bool soon = when <= now + kFreezeNotice && when + kOverdue >= now;
      if (file.archive != store::ArchiveState::kReadable || !soon) continue;
      out.first = out.objects == 0 ? when : std::min(out.first, when);
      ++out.objects;
      out.bytes += static_cast<int64_t>(file.size_bytes);
    }
  }
  return out.objects == 0 ? std::nullopt : std::optional(out);
}

}  // namespace tidegate::status
