// tidegate lake rollback LAKE [TABLE…] --to DELIVERY, tidegate lake release LAKE [TABLE…]
#include <cstdio>

#include "tidegate/app/open_store.h"
#include "tidegate/base/text.h"
#include "tidegate/cli/command.h"
#include "tidegate/upkeep/as_of.h"
#include "tidegate/upkeep/rollback.h"

namespace tidegate::cli {
namespace {

struct Options {
  CommonOptions common;
  std::string lake, to, reason;
  std::vector<std::string> tables;
  bool hold = false;
  bool plan = false;
};

Result<std::vector<contract::TableName>> TablesOf(const Options& options) {
  std::vector<contract::TableName> out;
  for (const std::string& text : options.tables) {
    TG_ASSIGN_OR_RETURN(contract::TableName name, contract::ParseTableName(text));
    out.push_back(std::move(name));
  }
  return out;
}

OrderedJson ToJson(const upkeep::TableRollback& table) {
  OrderedJson out{{"table", table.table.ToString()}, {"step", upkeep::StepName(table.step)}, {"hold", table.hold}};
  if (table.from != 0) out["from_snapshot"] = table.from;
  if (table.to != 0) out["to_snapshot"] = table.to;
  return out;
}

void Print(const upkeep::TableRollback& table, const std::string& to) {
  std::string line = table.table.ToString() + ": ";
  if (table.step == upkeep::Step::kNotYet) line += "was not there yet as of " + to + ": left as it is";
  if (table.step == upkeep::Step::kNothing) line += "is as of " + to + " already";
  if (table.step == upkeep::Step::kBack) {
    line += "back to " + to + ", snapshot " + std::to_string(table.to) + " (from " + std::to_string(table.from) + ")";
  }
  if (table.hold) line += ", on hold";
  std::printf("%s\n", line.c_str());
}

int Report(const std::vector<upkeep::TableRollback>& tables, const std::string& to, const Options& options) {
  if (options.common.json) {
    OrderedJson out = OrderedJson::array();
    for (const auto& table : tables) out.push_back(ToJson(table));
    PrintJson(OrderedJson{{"to", to}, {"plan_only", options.plan}, {"tables", std::move(out)}});
    return kDone;
  }
  for (const auto& table : tables) Print(table, to);
  if (tables.empty()) std::printf("there is no table in this lake\n");
  if (options.plan)
    std::printf("plan only: nothing was changed\n");
  else if (!options.hold && !tables.empty())
    std::printf("the next ingest applies again what was taken back; --hold keeps it from that\n");
  return kDone;
}

int RollBack(const Options& options) {
  ApplyVerbosity(options.common);
  upkeep::RollbackOptions run;
  auto to = upkeep::ParseTypedDelivery(options.to);
  if (!to.ok()) return Fail(to.status().WithContext("--to"));
  auto tables = TablesOf(options);
  if (!tables.ok()) return Fail(tables.status());
  auto clock = MakeClock(options.common);
  if (!clock.ok()) return Fail(clock.status());
  auto lake = OpenLake(options.common, options.lake, app::OpenMode::kMustExist);
  if (!lake.ok()) return Fail(lake.status());
  run.to = *to;
  run.tables = *std::move(tables);
  if (options.hold) run.hold = options.reason;
  run.plan_only = options.plan;
  run.clock = clock->get();
  run.cancel = &StopFlag();
  const auto done = upkeep::RollBack(**lake, run);
  return done.ok() ? Report(*done, run.to.ToString(), options) : Fail(done.status());
}

int Release(const Options& options) {
  ApplyVerbosity(options.common);
  auto tables = TablesOf(options);
  if (!tables.ok()) return Fail(tables.status());
  auto clock = MakeClock(options.common);
  if (!clock.ok()) return Fail(clock.status());
  auto lake = OpenLake(options.common, options.lake, app::OpenMode::kMustExist);
  if (!lake.ok()) return Fail(lake.status());
  const auto released = upkeep::Release(**lake, *tables, (*clock)->Now());
  if (!released.ok()) return Fail(released.status());
  if (options.common.json) {
    OrderedJson out = OrderedJson::array();
    for (const auto& table : *released) out.push_back(table.ToString());
    PrintJson(OrderedJson{{"released", std::move(out)}});
    return kDone;
  }
  for (const auto& table : *released)
    std::printf("%s: released; the next ingest takes it up\n", table.ToString().c_str());
  if (released->empty()) std::printf("nothing was on hold\n");
  return kDone;
}

void AddPlaces(CLI::App& command, Options& options) {
  command.add_option("LAKE", options.lake, "The lake: a path or s3://bucket/prefix")->required();
  command.add_option("TABLE", options.tables, "SCHEMA.TABLE (default: all tables)");
  AddCommon(command, options.common, /*with_now=*/true);
}

}  // namespace

void AddLake(CLI::App& app, int* exit_code) {
  CLI::App* lake = app.add_subcommand("lake", "Roll the tables of a lake back, or release them");
  lake->require_subcommand(1);
  lake->footer("Examples:\n  tidegate lake rollback ./lake --to 2026-11-03T05 --plan\n  tidegate lake release ./lake");

  auto back = std::make_shared<Options>();
  CLI::App* rollback = lake->add_subcommand("rollback", "Make the state as of an earlier delivery the current one");
  AddPlaces(*rollback, *back);
  rollback->add_option("--to", back->to, "The delivery: 2026-11-03T05 (hour), 2026-11-02 (day of v1)")
      ->required()
      ->type_name("DELIVERY");
  CLI::Option* hold =
      rollback->add_flag("--hold", back->hold, "Let ingest leave the tables alone until `lake release`");
  rollback->add_option("--reason", back->reason, "Why they are on hold, for those who ask")->needs(hold);
  rollback->add_flag("--plan", back->plan, "Show what would be done; change nothing");
  rollback->footer(
      "Examples:\n"
      "  tidegate lake rollback ./lake --to 2026-11-03T05 --plan\n"
      "  tidegate lake rollback ./lake shop.orders --to 2026-11-03T05 --hold --reason \"wrong prices since 06\"\n"
      "Nothing is removed. Without --hold the next ingest applies again what was taken back.");
  OnRun(*rollback, exit_code, [back] { return RollBack(*back); });

  auto held = std::make_shared<Options>();
  CLI::App* release = lake->add_subcommand("release", "Let ingest take up tables again that are on hold");
  AddPlaces(*release, *held);
  release->footer("Examples:\n  tidegate lake release ./lake\n  tidegate lake release ./lake shop.orders");
  OnRun(*release, exit_code, [held] { return Release(*held); });
}

}  // namespace tidegate::cli
