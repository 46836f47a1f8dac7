// Full refresh: a table that is built anew must not lose rows that the bucket no longer holds. Pure.
#pragma once

#include "tidegate/bucket/bucket_view.h"
#include "tidegate/ingest/plan.h"

namespace tidegate::ingest {

/// Turn the plan of a refresh into a refusal (problem `loss`, nothing is done) where applied folders are not in the
/// bucket any more, or there is nothing to build from. With `accept_loss` the former is a warning (`rows_gone`).
void RefuseLoss(const bucket::BucketView& view, bool accept_loss, TablePlan& plan);

}  // namespace tidegate::ingest
