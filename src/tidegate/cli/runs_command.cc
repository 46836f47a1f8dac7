// tidegate runs TABLE [PARTITION…], tidegate clean TABLE [PARTITION…]: what there is, and what is removed.
#include <cstdio>

#include "tidegate/base/text.h"
#include "tidegate/catalog/partition_path.h"
#include "tidegate/cli/publish_setup.h"
#include "tidegate/publish/clean.h"
#include "tidegate/publish/layout.h"
#include "tidegate/publish/lease.h"
#include "tidegate/publish/partition_plan.h"

namespace tidegate::cli {
namespace {

struct Options {
  PartitionOptions what;
  bool plan = false;
};

struct Looked {
  std::string partition;
  publish::CleanReport report;
};

OrderedJson ToJson(const Looked& looked) {
  OrderedJson runs = OrderedJson::array();
  for (const auto& entry : looked.report.runs) {
    runs.push_back(OrderedJson{{"run", entry.run},
                               {"folder", entry.folder},
                               {"state", publish::FateName(entry.fate)},
                               {"objects", entry.objects},
                               {"bytes", entry.bytes}});
  }
  return OrderedJson{{"partition", looked.partition},
                     {"runs", std::move(runs)},
                     {"removed_objects", looked.report.removed_objects},
                     {"removed_bytes", looked.report.removed_bytes}};
}

/// "remove" is what a plan says; once it is done it was.
std::string_view StateOf(publish::Fate fate, bool removed) {
  if (fate != publish::Fate::kRemove) return publish::FateName(fate);
  return removed ? "removed" : "goes with the next clean-up";
}

void Print(const Looked& looked, bool removes) {
  std::printf("%s\n", looked.partition.c_str());
  if (looked.report.runs.empty()) std::printf("  no runs\n");
  for (const auto& entry : looked.report.runs) {
    std::printf("  %s  %5zu objects  %8s  %s\n", entry.run.c_str(), entry.objects, HumanBytes(entry.bytes).c_str(),
                std::string(StateOf(entry.fate, removes)).c_str());
  }
}

Result<Looked> LookAt(const PublishSetup& setup, const catalog::PartitionValues& values, bool removes,
                      publish::PointedFolders& pointed) {
  Looked out;
  TG_ASSIGN_OR_RETURN(out.partition, catalog::PartitionPath(setup.definition().partition_columns, values));
  const publish::Ports ports = setup.ports();
  std::unique_ptr<publish::Lease> lease;
  if (removes) {
    TG_ASSIGN_OR_RETURN(
        lease, publish::Lease::Take(ports.root, publish::LeaseKey(out.partition), ports.ClockOfLeases(), ports.who));
  }
  TG_ASSIGN_OR_RETURN(out.report,
                      publish::Clean(setup.definition(), values, std::nullopt, lease.get(), ports, pointed));
  return out;
}

int Run(const Options& options, bool removes) {
  ApplyVerbosity(options.what.common);
  const auto setup = PublishSetup::Open(options.what);
  if (!setup.ok()) return Fail(setup.status());
  const auto partitions = (*setup)->Partitions(options.what.partitions);
  if (!partitions.ok()) return Fail(partitions.status());
  const publish::Ports ports = (*setup)->ports();
  const auto table = ports.catalog.GetTable((*setup)->definition().table);
  if (table.ok()) {
    const Status fits = publish::CheckTable((*setup)->definition(), *table, ports.root.url());
    if (!fits.ok()) return Fail(fits);
  }
  publish::PointedFolders pointed((*setup)->definition().table, ports);
  OrderedJson all = OrderedJson::array();
  int code = kDone;
  for (const auto& values : *partitions) {
    const auto looked = LookAt(**setup, values, removes, pointed);
    if (!looked.ok()) {
      code = FailOrConflict(looked.status());
      continue;
    }
    if (options.what.common.json) all.push_back(ToJson(*looked));
    if (!options.what.common.json) Print(*looked, removes);
  }
  if (options.what.common.json) PrintJson(OrderedJson{{"partitions", std::move(all)}});
  return code;
}

}  // namespace

void AddRuns(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("runs", "The runs of a published table's partitions, and which is current");
  AddPartitions(*command, options->what, /*required=*/false);
  command->footer("Examples:\n  tidegate runs sales.daily\n  tidegate runs sales.daily day=2026-11-01 --json");
  OnRun(*command, exit_code, [options] { return Run(*options, false); });
}

void AddClean(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("clean", "Remove runs of a published table that nobody needs any more");
  AddPartitions(*command, options->what, /*required=*/false);
  command->add_flag("--plan", options->plan, "Show what would be removed; remove nothing");
  command->footer(
      "Examples:\n  tidegate clean sales.daily --plan\n  tidegate clean sales.daily day=2026-11-01\n"
      "Kept are the current run, the ones before it (keep_runs), and what readers left less than min_age ago.");
  OnRun(*command, exit_code, [options] { return Run(*options, !options->plan); });
}

}  // namespace tidegate::cli
