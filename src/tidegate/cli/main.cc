// The program `tidegate`: one command a run.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>

#include "tidegate/cli/command.h"
#include "tidegate/cli/signals.h"
#include "tidegate/cli/version.h"

namespace {

bool IsCommand(const CLI::App& app, const std::string& name) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App* command) { return command->get_name() == name; });
}

}  // namespace

int main(int argc, char** argv) {
  tidegate::cli::CatchStopSignals();
  CLI::App app{"tidegate moves whole tables through object storage, so that a reader never sees half of one."};
  app.set_version_flag("--version", std::string("tidegate ") + tidegate::cli::kVersion);
  app.require_subcommand(1);
  app.footer(
      "Start here:\n"
      "  tidegate init   BUCKET > tidegate.toml     a catalog from what the bucket holds\n"
      "  tidegate ingest BUCKET LAKE                bring every table up to date\n"
      "  tidegate query  LAKE \"SELECT ...\"          ask the tables\n"
      "`tidegate COMMAND --help` has examples. The manual: docs/.");
  int exit_code = tidegate::cli::kDone;
  tidegate::cli::AddDeliver(app, &exit_code);
  tidegate::cli::AddIngest(app, &exit_code);
  tidegate::cli::AddAccept(app, &exit_code);
  tidegate::cli::AddSkip(app, &exit_code);
  tidegate::cli::AddReady(app, &exit_code);
  tidegate::cli::AddRestore(app, &exit_code);
  tidegate::cli::AddInit(app, &exit_code);
  tidegate::cli::AddStatus(app, &exit_code);
  tidegate::cli::AddQuery(app, &exit_code);
  tidegate::cli::AddHistory(app, &exit_code);
  tidegate::cli::AddRejects(app, &exit_code);
  tidegate::cli::AddExpire(app, &exit_code);
  tidegate::cli::AddLake(app, &exit_code);
  tidegate::cli::AddPublish(app, &exit_code);
  tidegate::cli::AddRuns(app, &exit_code);
  tidegate::cli::AddRollback(app, &exit_code);
  tidegate::cli::AddClean(app, &exit_code);
  tidegate::cli::AddDdl(app, &exit_code);
  tidegate::cli::AddDoctor(app, &exit_code);
  if (argc > 1 && argv[1][0] != '-' && !IsCommand(app, argv[1])) {
    std::fprintf(stderr, "tidegate: there is no command '%s'; `tidegate --help` lists them\n", argv[1]);
    return tidegate::cli::kUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool ready = argc > 1 && std::string_view(argv[1]) == "ready";  // its 1 and 2 would be answers (C-16)
    if (app.exit(error) == 0) return 0;
    return ready ? tidegate::cli::kReadyFailed : tidegate::cli::kUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tidegate: internal error: %s. Please report it.\n", error.what());
    return tidegate::cli::kFailed;
  }
  return exit_code;
}
