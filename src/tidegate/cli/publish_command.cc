// tidegate publish TABLE PARTITION…: build aside, audit, flip.
#include <algorithm>
#include <cstdio>

#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/partition_path.h"
#include "tidegate/cli/publish_engine.h"
#include "tidegate/cli/publish_setup.h"
#include "tidegate/cli/sql_output.h"
#include "tidegate/cli/version.h"
#include "tidegate/publish/publish.h"

namespace tidegate::cli {
namespace {

using publish::PublishEnd;
using publish::PublishOutcome;

struct Options {
  PartitionOptions what;
  std::string from;
  bool force = false, plan = false, keep_all = false, detailed = false;
};

OrderedJson ToJson(const PublishOutcome& outcome) {
  OrderedJson audits = OrderedJson::array();
  for (const auto& one : outcome.run.audits) {
    audits.push_back(OrderedJson{{"audit", one.audit}, {"result", one.result}, {"passed", one.passed}});
  }
  OrderedJson out{{"partition", outcome.partition}, {"outcome", publish::EndName(outcome.end)}};
  if (!outcome.run.run.empty()) {
    out["run"] = outcome.run.run;
    out["files"] = outcome.run.files.size();
    out["rows"] = outcome.run.rows();
    out["bytes"] = outcome.run.bytes();
  }
  out["previous_location"] = outcome.plan.current;
  out["signature"] = outcome.plan.signature;
  out["audits"] = std::move(audits);
  out["removed_objects"] = outcome.cleaned.removed_objects;
  if (!outcome.run.why.empty()) out["why"] = outcome.run.why;
  if (!outcome.status.ok()) out["error"] = outcome.status.message();
  return out;
}

void PrintPublished(const PublishOutcome& outcome) {
  std::printf("%s: run %s, %s, %s, %s\n", outcome.partition.c_str(), outcome.run.run.c_str(),
              Plural(outcome.run.rows(), "row", "rows").c_str(),
              Plural(std::ssize(outcome.run.files), "file", "files").c_str(), HumanBytes(outcome.run.bytes()).c_str());
  if (outcome.plan.aside) {
    std::printf("  built outside of the partition's own folder, whose readers would have seen the build\n");
  }
}

void Print(const PublishOutcome& outcome, const std::string& root) {
  const char* partition = outcome.partition.c_str();
  switch (outcome.end) {
    case PublishEnd::kPublished:
      PrintPublished(outcome);
      break;
    case PublishEnd::kUnchanged:
      std::printf("%s: unchanged, nothing was %s\n", partition, outcome.withdrawn ? "flipped" : "built");
      break;
    case PublishEnd::kRejected:
      std::printf("%s: nothing was %s: a rollback turned this content away; --force publishes it\n", partition,
                  outcome.withdrawn ? "flipped" : "built");
      break;
    case PublishEnd::kAuditFailed:
      Log(LogLevel::kError, outcome.partition + ": an audit failed: " + outcome.run.why +
                                "; readers stay where they are, the build is kept at " +
                                Quoted(root + "/" + outcome.plan.folder, 1200));
      break;
    case PublishEnd::kConflict:
    case PublishEnd::kFailed:
      Log(LogLevel::kError, outcome.partition + ": " + outcome.status.message());
      break;
  }
  if (outcome.cleaned.removed_objects > 0) {
    std::printf("  removed %s of old runs, %s\n",
                Plural(static_cast<int64_t>(outcome.cleaned.removed_objects), "object", "objects").c_str(),
                HumanBytes(outcome.cleaned.removed_bytes).c_str());
  }
}

int ExitCode(const std::vector<PublishOutcome>& outcomes, bool detailed) {
  const auto any = [&](PublishEnd end) {
    return std::any_of(outcomes.begin(), outcomes.end(), [&](const PublishOutcome& one) { return one.end == end; });
  };
  if (any(PublishEnd::kFailed) || any(PublishEnd::kAuditFailed)) return kFailed;
  if (any(PublishEnd::kConflict)) return kConflict;
  if (detailed && any(PublishEnd::kRejected)) return kSomethingWaits;
  return detailed && !any(PublishEnd::kPublished) ? kNothingNew : kDone;
}

Status ShowPlans(const Options& options, const PublishSetup& setup, publish::Builder& builder,
                 const std::vector<catalog::PartitionValues>& partitions, OrderedJson& tables) {
  OrderedJson all = OrderedJson::array();
  for (const auto& values : partitions) {
    TG_ASSIGN_OR_RETURN(const std::string path, catalog::PartitionPath(setup.definition().partition_columns, values));
    const auto plan = publish::PlanOnly(setup.definition(), values, {.force = options.force}, builder, setup.ports());
    if (!plan.ok()) return plan.status().WithContext(path);
    if (!options.what.common.json) {
      std::printf("%s", publish::Describe(*plan, path).c_str());
      continue;
    }
    const bool builds = plan->step == publish::PlanStep::kBuild;
    all.push_back(OrderedJson{{"partition", path},
                              {"builds", builds},
                              {"folder", builds ? plan->folder : ""},
                              {"aside", plan->aside},
                              {"location", plan->current},
                              {"signature", plan->signature}});
  }
  tables.push_back(OrderedJson{{"table", setup.definition().table.ToString()}, {"partitions", std::move(all)}});
  return {};
}

/// What all tables of one call came to.
struct Total {
  OrderedJson tables = OrderedJson::array();
  std::vector<PublishOutcome> outcomes;
  int failed = kDone;  // the exit code of what kept a whole table from being published
};

void SayWhatChanged(const app::LakeFollower& follower, const publish::Definition& definition, size_t partitions) {
  const std::string name = definition.table.ToString(), followed = app::FollowedName(definition);
  if (!follower.why_all().empty()) {
    std::printf("%s: all partitions, as %s\n", name.c_str(), follower.why_all().c_str());
  } else if (partitions == 0) {
    std::printf("%s: nothing changed in %s\n", name.c_str(), followed.c_str());
  } else {
    std::printf("%s: %s changed in %s\n", name.c_str(),
                Plural(static_cast<int64_t>(partitions), "partition", "partitions").c_str(), followed.c_str());
  }
}

void Show(const Options& options, const publish::Definition& definition, const std::vector<PublishOutcome>& outcomes,
          Total& total) {
  OrderedJson all = OrderedJson::array();
  for (const PublishOutcome& outcome : outcomes) {
    if (options.what.common.json) all.push_back(ToJson(outcome));
    if (!options.what.common.json) Print(outcome, definition.location);
  }
  total.tables.push_back(OrderedJson{{"table", definition.table.ToString()}, {"partitions", std::move(all)}});
  total.outcomes.insert(total.outcomes.end(), outcomes.begin(), outcomes.end());
}

/// Errors: what keeps the whole table from being published.
Status PublishTable(const Options& options, Total& total) {
  TG_ASSIGN_OR_RETURN(const auto setup, PublishSetup::Open(options.what));
  const publish::Definition& definition = setup->definition();
  TG_ASSIGN_OR_RETURN(const auto engine, PublishEngine::Open(*setup, options.what.common, /*writes=*/!options.plan));
  publish::Builder& builder = engine->builder();
  const Interrupter interrupter(engine->db());
  const bool typed = !options.what.partitions.empty();
  TG_ASSIGN_OR_RETURN(const auto partitions,
                      typed ? setup->Partitions(options.what.partitions) : engine->AskForPartitions());
  const app::LakeFollower* follower = typed ? nullptr : engine->follower();
  if (follower != nullptr && !options.what.common.json) SayWhatChanged(*follower, definition, partitions.size());
  if (partitions.empty() && follower == nullptr && !options.what.common.json) {
    std::printf("%s: nothing to publish: the query of partitions gave no rows\n", definition.table.ToString().c_str());
  }
  if (options.plan) {
    const Status shown = ShowPlans(options, *setup, builder, partitions, total.tables);
    if (shown.ok()) return {};
    static_cast<void>(Fail(shown));
    total.failed = kFailed;  // as the publish itself would end
    return {};
  }
  publish::PublishOptions how{
      .force = options.force, .clean = !options.keep_all, .tool = std::string("tidegate ") + kVersion};
  if (engine->follower() != nullptr) how.guard = engine->follower()->lease();
  Progress progress("publish");
  const auto outcomes = publish::Publish(definition, partitions, how, builder, setup->ports(),
                                         [&, done = size_t{0}](const std::string& partition) mutable {
                                           progress.Step(partition, done++, partitions.size());
                                         });
  Show(options, definition, outcomes, total);
  return follower != nullptr ? follower->Done(partitions, outcomes) : Status();
}

/// The tables of this call. Errors: InvalidArgument; those of the settings.
Result<std::vector<std::string>> TablesOf(const Options& options) {
  if (options.from.empty() == options.what.table.empty()) {
    return InvalidArgument("name the table to publish, or with --from the lake table whose followers to publish");
  }
  if (options.from.empty()) return std::vector<std::string>{options.what.table};
  TG_ASSIGN_OR_RETURN(const app::Settings settings, app::LoadSettings(options.what.common.config));
  TG_RETURN_IF_ERROR(CheckSettingsAreThere(settings));
  TG_ASSIGN_OR_RETURN(const auto followers, app::FindFollowers(settings.publish, options.from));
  std::vector<std::string> out;
  out.reserve(followers.size());
  for (const publish::Definition& definition : followers) out.push_back(definition.table.ToString());
  return out;
}

void PrintTotal(const Options& options, Total& total) {
  OrderedJson out;
  if (!options.from.empty()) {
    out = OrderedJson{{"from", options.from}, {"tables", std::move(total.tables)}};
  } else if (total.tables.empty()) {
    return;
  } else {
    out = std::move(total.tables.front());
  }
  if (options.plan) out["plan_only"] = true;
  PrintJson(out);
}

int Publish(Options options) {
  ApplyVerbosity(options.what.common);
  const auto tables = TablesOf(options);
  if (!tables.ok()) return Fail(tables.status());
  Total total;
  for (const std::string& table : *tables) {
    options.what.table = table;
    const Status published = PublishTable(options, total);
    if (!published.ok()) total.failed = FailOrConflict(published);
  }
  if (options.what.common.json) PrintTotal(options, total);
  if (options.plan && !options.what.common.json && total.failed == kDone) {
    std::printf("plan only: nothing was changed\n");
  }
  if (total.failed != kDone || options.plan) return total.failed;
  return ExitCode(total.outcomes, options.detailed);
}

}  // namespace

void AddPublish(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("publish", "Rebuild partitions of a Hive-style table: build aside, audit, flip one pointer");
  AddPartitions(*command, options->what, /*required=*/false)->required(false);
  command->add_option(
      "--from", options->from,
      "Instead of TABLE: the tables that follow this table of a lake, lake.shop.orders; the partitions that "
      "changed there");
  command->add_flag("--force", options->force, "Build and flip, also where the content is the same or was turned away");
  command->add_flag("--no-clean", options->keep_all, "Leave old runs where they are");
  command->add_flag("--plan", options->plan, "Show what would be done; change nothing");
  command->add_flag("--detailed-exitcode", options->detailed,
                    "3 where nothing was new, 4 where a rollback stands in the way");
  command->footer(
      "Examples:\n"
      "  tidegate publish sales.daily day=2026-11-01 --plan\n"
      "  tidegate publish sales.daily day=2026-11-01 day=2026-11-02\n"
      "  tidegate publish sales.daily                     the partitions that its settings ask for\n"
      "  tidegate publish --from lake.shop.orders         what changed in a lake table since the last time\n"
      "Readers see the old run or the new one, whole. The settings file says how: docs/publish.md.\n"
      "Exit codes: 0 done, 1 failed or an audit failed, 6 another publisher was first.");
  OnRun(*command, exit_code, [options] { return Publish(*options); });
}

}  // namespace tidegate::cli
