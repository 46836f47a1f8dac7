// What is known of the rows that a partition points to (C-57).
//
// The catalog's parameters say it, as they change with the location in one step. Where they belong to another run, as
// after a SET LOCATION by a statement, which cannot set parameters, the mark in the folder of the run says it, which is
// written after the flip. A crash between the two leaves nothing known: one needless build, never a wrong skip.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/publish/ports.h"
#include "tidegate/publish/runs.h"

namespace tidegate::publish {

struct KnownContent {
  std::string signature{};  // "": unknown
  std::string rejected{};   // the signature that a rollback turned away; "": none
};

/// `current`: the run that the partition points to, null where it is none of ours: then nothing is known.
KnownContent ContentOf(const catalog::HivePartition& partition, const Run* current, store::ObjectStore& root);

/// The folders of published runs with the content that is turned away while `current` is what readers have.
std::set<std::string> TurnedAway(const std::vector<Run>& runs, const KnownContent& current, store::ObjectStore& root);

/// Mark a run as one that readers were moved to.
Status MarkPublished(const std::string& folder, const KnownContent& content, const Ports& ports);

}  // namespace tidegate::publish
