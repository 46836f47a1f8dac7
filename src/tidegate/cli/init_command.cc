// tidegate init SRC: a catalog and settings from what the bucket holds.
#include <cstdio>

#include "tidegate/app/open_store.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/cli/command.h"
#include "tidegate/ingest/plan.h"
#include "tidegate/parquet/file_info.h"

namespace tidegate::cli {
namespace {

struct Options {
  CommonOptions common;
  TableChoice choice;
  std::string bucket;
};

/// The newest sealed folder of a table that holds a file, and its columns.
std::vector<schema::Field> ColumnsOf(store::ObjectStore& bucket, const bucket::TableFolders& folders,
                                     contract::TableMode mode) {
  const bucket::FolderMap& map = mode == contract::TableMode::kFull ? folders.full : folders.parts;
  for (auto it = map.rbegin(); it != map.rend(); ++it) {
    if (!it->second.sealed() || it->second.files.empty()) continue;
    auto reader = bucket.Open(it->second.files.front());
    if (!reader.ok()) continue;
    auto info = parquet::ReadFileInfo(**reader);
    if (info.ok()) return info->columns;
  }
  return {};
}

contract::TableEntry Describe(const bucket::BucketView& view, const contract::TableName& name) {
  if (const auto* known = contract::CloudhumansCatalog().Find(name)) return *known;
  const ingest::TableRules rules = ingest::DecideRules(view, name, nullptr, nullptr);
  contract::TableEntry entry;
  entry.name = name;
  entry.mode = rules.mode;
  return entry;
}

std::string ColumnComment(const contract::TableEntry& entry, const std::vector<schema::Field>& columns) {
  std::string out = "# " + entry.name.ToString() + ": ";
  for (size_t i = 0; i < columns.size(); ++i) {
    out += (i > 0 ? ", " : "") + columns[i].name + " " + schema::TypeName(columns[i].type);
  }
  if (columns.empty()) out += "no readable file yet";
  return out + "\n";
}

int Init(const Options& options) {
  ApplyVerbosity(options.common);
  auto bucket = OpenStore(options.common, options.bucket, app::OpenMode::kMustExist);
  if (!bucket.ok()) return Fail(bucket.status());
  auto view = bucket::ScanBucket(**bucket, {options.choice.tables, options.choice.exclude, std::nullopt});
  if (!view.ok()) return Fail(view.status());
  if (view->tables.empty()) return Fail(NoDeliveredTables(**bucket));
  std::vector<contract::TableEntry> entries;
  std::string columns = "# Columns found, newest folder of each table:\n";
  bool guess = false;
  for (const auto& [name, folders] : view->tables) {
    entries.push_back(Describe(*view, name));
    guess = guess || (entries.back().mode == contract::TableMode::kParts && entries.back().key.empty() &&
                      !entries.back().append_only);
    columns += ColumnComment(entries.back(), ColumnsOf(**bucket, folders, entries.back().mode));
  }
  std::printf("%s\n%s", contract::WriteCatalog(contract::TableCatalog(std::move(entries))).c_str(), columns.c_str());
  if (guess) {
    std::fprintf(stderr,
                 "Tables in parts without a key are kept as a plain union: every delivered row stays. "
                 "Where rows are delivered again when they change, name their key in the file.\n");
  }
  return kDone;
}

}  // namespace

void AddInit(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("init", "Write a catalog and settings from what a bucket holds, to be edited");
  command->add_option("SRC", options->bucket, "The delivery bucket: a path, s3://bucket/prefix or gs://bucket/prefix")
      ->required();
  AddTableChoice(*command, options->choice);
  AddCommon(*command, options->common, /*with_now=*/false);
  command->footer("Example:\n  tidegate init ./bucket > tidegate.toml");
  OnRun(*command, exit_code, [options] { return Init(*options); });
}

}  // namespace tidegate::cli
