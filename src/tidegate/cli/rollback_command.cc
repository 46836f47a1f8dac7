// tidegate rollback TABLE PARTITION [--to RUN]: point a partition to an earlier run.
#include <cstdio>
#include <optional>

#include "tidegate/base/text.h"
#include "tidegate/cli/publish_setup.h"
#include "tidegate/publish/rollback.h"

namespace tidegate::cli {
namespace {

struct Options {
  PartitionOptions what;
  std::string to;
  bool plan = false;
};

OrderedJson ToJson(const publish::RollbackPlan& plan, bool plan_only) {
  return OrderedJson{{"partition", plan.partition},  {"from_run", plan.from},   {"to_run", plan.to},
                     {"location", plan.to_location}, {"rows", plan.run.rows()}, {"plan_only", plan_only}};
}

void Print(const publish::RollbackPlan& plan, bool plan_only) {
  std::printf("%s: %s run %s (%s, built %s), from run %s\n", plan.partition.c_str(),
              plan_only ? "would point back to" : "points back to", plan.to.c_str(),
              Plural(plan.run.rows(), "row", "rows").c_str(), FormatRfc3339(plan.run.created).c_str(),
              plan.from.c_str());
  if (plan_only) std::printf("plan only: nothing was changed\n");
}

int RollBack(const Options& options) {
  ApplyVerbosity(options.what.common);
  std::optional<publish::RunId> to;
  if (!options.to.empty()) to = options.to;
  if (to && !publish::IsRunId(*to)) {
    return Fail(InvalidArgument("--to: not the id of a run, which `tidegate runs` shows: " + Quoted(*to)));
  }
  const auto setup = PublishSetup::Open(options.what);
  if (!setup.ok()) return Fail(setup.status());
  const auto partitions = (*setup)->Partitions(options.what.partitions);
  if (!partitions.ok()) return Fail(partitions.status());
  int code = kDone;
  for (const auto& values : *partitions) {
    const auto done = options.plan ? publish::PlanRollback((*setup)->definition(), values, to, (*setup)->ports())
                                   : publish::Rollback((*setup)->definition(), values, to, (*setup)->ports());
    if (!done.ok()) {
      code = FailOrConflict(done.status());
      continue;
    }
    if (options.what.common.json) PrintJson(ToJson(*done, options.plan));
    if (!options.what.common.json) Print(*done, options.plan);
  }
  return code;
}

}  // namespace

void AddRollback(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("rollback", "Point a partition of a published table to an earlier run");
  AddPartitions(*command, options->what, /*required=*/true);
  command->add_option("--to", options->to, "The run (default: the newest one before the current)")->type_name("RUN");
  command->add_flag("--plan", options->plan, "Show what would be done; change nothing");
  command->footer(
      "Examples:\n  tidegate rollback sales.daily day=2026-11-01\n"
      "  tidegate rollback sales.daily day=2026-11-01 --to 20261102T140501Z-1a2b3c\n"
      "The content that was turned away is not published again without --force.");
  OnRun(*command, exit_code, [options] { return RollBack(*options); });
}

}  // namespace tidegate::cli
