// tidegate doctor URL: can this place be reached, who asks, what is allowed, what to mend.
#include <algorithm>
#include <cstdio>

#include "tidegate/app/doctor.h"
#include "tidegate/cli/command.h"

namespace tidegate::cli {
namespace {

struct Options {
  CommonOptions common;
  std::string url;
  app::DoctorOptions doctor;
};

void Print(const app::Check& check) {
  std::printf("%-8s  %-10s  %s\n", std::string(app::CheckStateName(check.state)).c_str(), check.name.c_str(),
              check.found.c_str());
  if (!check.advice.empty()) std::printf("%-22s%s\n", "", ("-> " + check.advice).c_str());
  std::fflush(stdout);  // the next check may wait for a server
}

void PrintAll(const std::vector<app::Check>& checks) {
  OrderedJson json = OrderedJson::array();
  for (const app::Check& check : checks) {
    json.push_back(OrderedJson{{"check", check.name},
                               {"state", app::CheckStateName(check.state)},
                               {"found", check.found},
                               {"advice", check.advice}});
  }
  PrintJson(OrderedJson{{"checks", json}});
}

int Doctor(const Options& options) {
  ApplyVerbosity(options.common);
  const auto access = AccessOf(options.common, options.url);
  if (!access.ok()) return Fail(access.status());
  const bool json = options.common.json;
  const auto checks = app::Examine(options.url, *access, options.doctor, [&](const app::Check& check) {
    if (!json) Print(check);
  });
  if (json) PrintAll(checks);
  const bool bad = std::any_of(checks.begin(), checks.end(),
                               [](const app::Check& check) { return check.state == app::CheckState::kBad; });
  return bad ? kFailed : kDone;
}

}  // namespace

void AddDoctor(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("doctor", "Check a bucket or a lake: identity, permissions, clock, settings");
  command->add_option("URL", options->url, "s3://bucket/prefix, gs://bucket/prefix, or a folder")->required();
  command->add_flag("--write", options->doctor.write, "Try writing, too: a small object that is removed again");
  AddCommon(*command, options->common, /*with_now=*/false);
  command->footer(
      "Exits 0 where nothing failed, else 1.\n"
      "Examples:\n"
      "  tidegate doctor s3://vendor-bucket --profile vendor\n"
      "  tidegate doctor s3://my-lakes/shop --write");
  OnRun(*command, exit_code, [options] { return Doctor(*options); });
}

}  // namespace tidegate::cli
