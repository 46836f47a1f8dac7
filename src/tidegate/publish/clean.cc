#include "tidegate/publish/clean.h"

#include "tidegate/base/json.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/location.h"
#include "tidegate/catalog/partition_path.h"
#include "tidegate/publish/layout.h"
#include "tidegate/publish/mark.h"

namespace tidegate::publish {
namespace {

Result<UtcTime> RetiredAt(store::ObjectStore& store, const std::string& key) {
  TG_ASSIGN_OR_RETURN(const Json json, ReadMark(store, key));
  TG_ASSIGN_OR_RETURN(const std::string at, RequireText(json, "at"));
  return ParseRfc3339(at);
}

Status ReadCatalog(const Definition& definition, const catalog::PartitionValues& values, const Ports& ports,
                   PointedFolders& pointed, CleanFacts& facts) {
  const auto partition = ports.catalog.GetPartition(definition.table, values);
  if (!partition.ok() && partition.status().code() != Code::kNotFound) return partition.status();
  if (partition.ok()) facts.current = catalog::FolderOf(ports.root.url(), partition->location);
  if (!facts.current) return {};
  const KnownContent known = ContentOf(*partition, FindRun(facts.runs, *facts.current), ports.root);
  facts.turned_away = TurnedAway(facts.runs, known, ports.root);
  TG_ASSIGN_OR_RETURN(const auto* folders, pointed.Get());
  facts.referenced = *folders;
  facts.referenced.insert(*facts.current);
  return {};
}

Result<CleanFacts> ReadFacts(const Definition& definition, const catalog::PartitionValues& values,
                             const std::optional<RunId>& being_built, const Ports& ports, PointedFolders& pointed) {
  CleanFacts out{.being_built = being_built, .now = ports.clock.Now()};
  TG_ASSIGN_OR_RETURN(const std::string path, catalog::PartitionPath(definition.partition_columns, values));
  TG_ASSIGN_OR_RETURN(out.runs, ListRuns(ports.root, path));
  for (const Run& run : out.runs) {
    if (!run.retired) continue;
    const auto at = RetiredAt(ports.root, KeyIn(run.folder, kRetiredFile));
    if (at.ok()) out.retired[run.folder] = *at;
  }
  TG_RETURN_IF_ERROR(ReadCatalog(definition, values, ports, pointed, out));  // last: the freshest
  return out;
}

/// Two tables in one place: the catalog of this one says nothing of the other's runs.
bool IsOfAnotherTable(const Run& run, const catalog::HiveName& table, store::ObjectStore& root) {
  if (!run.complete) return false;
  const auto manifest = ReadRun(root, run);
  return manifest.ok() && manifest->table != table;
}

/// Planning may be long ago, if this process was stopped meanwhile.
Status CheckStillUnused(const Run& run, const catalog::HiveName& table, const catalog::PartitionValues& values,
                        Lease& lease, const Ports& ports) {
  TG_RETURN_IF_ERROR(lease.Renew());
  TG_ASSIGN_OR_RETURN(const auto partition, ports.catalog.GetPartition(table, values));
  const auto folder = catalog::FolderOf(ports.root.url(), partition.location);
  if (folder && !Covers(*folder, run.folder) && !Covers(run.folder, *folder)) return {};
  return PreconditionFailed("another program moved the partition to " + Quoted(partition.location, 1200) +
                            " meanwhile: run " + run.id + " stays");
}

/// The mark of a complete run goes first: a rollback never finds half a run.
Status Remove(const Run& run, store::ObjectStore& store) {
  const std::string mark = KeyIn(run.folder, kRunFile);
  if (run.complete) TG_RETURN_IF_ERROR(store.Delete({mark}));
  std::vector<std::string> keys;
  for (const store::ObjectInfo& file : run.files) {
    if (file.key != mark) keys.push_back(file.key);
  }
  return keys.empty() ? Status() : store.Delete(keys);
}

CleanReport::Entry EntryOf(const CleanDecision& decision) {
  CleanReport::Entry out{decision.run->id, decision.run->folder, decision.fate};
  for (const store::ObjectInfo& file : decision.run->files) {
    ++out.objects;
    out.bytes += file.size_bytes;
  }
  return out;
}

}  // namespace

Status MoveAwayFrom(const Run& run, const KnownContent& content, const Ports& ports) {
  if (!run.published) TG_RETURN_IF_ERROR(MarkPublished(run.folder, content, ports));
  return Retire(run, ports);
}

Status Retire(const Run& run, const Ports& ports) {
  const std::string text = DumpJson(OrderedJson{{"at", FormatRfc3339(ports.clock.Now())}}) + "\n";
  return ports.root.Put(KeyIn(run.folder, kRetiredFile), text, store::PutMode::kOverwrite).status();
}

Result<const std::set<std::string>*> PointedFolders::Get() {
  if (folders_) return &*folders_;
  TG_ASSIGN_OR_RETURN(const auto all, ports_.catalog.ListPartitions(table_));
  const std::string root = ports_.root.url();
  folders_.emplace();
  for (const catalog::HivePartition& one : all) {
    if (auto folder = catalog::FolderOf(root, one.location)) folders_->insert(*std::move(folder));
  }
  return &*folders_;
}

Result<CleanReport> Clean(const Definition& definition, const catalog::PartitionValues& values,
                          const std::optional<RunId>& being_built, Lease* lease, const Ports& ports,
                          PointedFolders& pointed) {
  TG_ASSIGN_OR_RETURN(const CleanFacts facts, ReadFacts(definition, values, being_built, ports, pointed));
  CleanReport out;
  for (const CleanDecision& decision : PlanClean(facts, definition.clean)) {
    const CleanReport::Entry entry = EntryOf(decision);
    out.runs.push_back(entry);
    if (lease == nullptr) continue;
    if (decision.fate == Fate::kRemove && IsOfAnotherTable(*decision.run, definition.table, ports.root)) {
      out.runs.back().fate = Fate::kForeign;
      continue;
    }
    if (decision.fate == Fate::kUnmarked) TG_RETURN_IF_ERROR(Retire(*decision.run, ports));
    if (decision.fate != Fate::kRemove) continue;
    TG_RETURN_IF_ERROR(CheckStillUnused(*decision.run, definition.table, values, *lease, ports));
    TG_RETURN_IF_ERROR(Remove(*decision.run, ports.root));
    out.removed_objects += entry.objects;
    out.removed_bytes += entry.bytes;
  }
  return out;
}

}  // namespace tidegate::publish
