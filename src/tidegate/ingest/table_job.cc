#include "tidegate/ingest/table_job.h"

#include <algorithm>
#include <set>

#include "tidegate/base/json.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/ingest/data_file.h"
#include "tidegate/ingest/hold_back.h"
#include "tidegate/ingest/schema_fit.h"
#include "tidegate/parquet/position_delete_file.h"
#include "tidegate/parquet/reject_file.h"
#include "tidegate/table/metadata_files.h"

namespace tidegate::ingest {
namespace {

/// Applied v2 folders whose fingerprint is kept: two days of hours; a changed one is looked for that long.
constexpr size_t kFingerprintsKept = 48;

/// The reason of a folder that is not broken, but held by the shrink guard.
constexpr const char* kHeldReason = "held";

table::PartitionSpec SpecOf(const schema::Schema& schema, contract::TableMode mode) {
  table::PartitionSpec spec;
  int field_id = 1000;
  for (const std::string& name : PartitionColumns(mode)) {
    spec.fields.push_back({schema.Find(name)->id, field_id++, name, "identity"});
  }
  return spec;
}

/// The delivery that a data file came with. Errors: Unsupported where its spec does not hold exactly our constants, as
/// of compacted files, which carry the columns themselves.
Result<contract::Delivery> DeliveryOf(const table::DataFile& file) {
  const auto& partition = file.partition;
  if (partition.size() != 3 || !partition[0] || !partition[1]) {
    return Unsupported("the data file " + file.location +
                       " is in no delivery partition (compacted by another engine?): run with a new lake");
  }
  contract::Delivery delivery;
  delivery.version = *partition[0] == "v2" ? contract::Version::kV2 : contract::Version::kV1;
  delivery.date = *partition[1];
  delivery.hour = partition[2].value_or("");
  return delivery;
}

OrderedJson FilesJson(const std::vector<StagedFolder>& staged) {
  OrderedJson out = OrderedJson::array();
  for (const StagedFolder& folder : staged) {
    if (folder.kept) continue;
    for (const StagedFile& file : folder.files) {
      out.push_back(OrderedJson{{"key", file.source.key},
                                {"etag", file.source.etag},
                                {"bytes", file.source.size_bytes},
                                {"rows", file.info.rows}});
    }
  }
  return out;
}

OrderedJson SettledJson(const std::vector<Settlement>& settled) {
  OrderedJson out = OrderedJson::array();
  for (const Settlement& word : settled) {
    out.push_back(OrderedJson{{"folder", word.folder.Path()},
                              {"verdict", VerdictName(word.verdict)},
                              {"reason", word.reason},
                              {"at", FormatRfc3339(word.at)}});
  }
  return out;
}

/// What a person can do about a folder that cannot be applied.
std::string_view WayOut(std::string_view reason) {
  if (reason == "type") return "; `tidegate accept` casts it where no value changes, `tidegate skip` leaves it out";
  if (reason == "column_case") return "; `tidegate accept` takes the table's names, `tidegate skip` leaves it out";
  return "; each run tries it again, `tidegate skip` leaves it out";
}

/// What is wrong with a folder that cannot be applied, where nothing more is known than the error.
std::string ReasonOf(const Status& status) {
  switch (status.code()) {
    case Code::kNotFound:
    case Code::kPreconditionFailed:
      return "changed";
    case Code::kPermissionDenied:
      return "unreadable";
    default:
      return "broken";
  }
}

/// So many that the keys of one fit into the memory of one table.
uint32_t SharesOfKeys(int64_t rows, int64_t memory_bytes) {
  constexpr int64_t kMost = 256;
  if (memory_bytes <= 0) return 1;
  const int64_t shares = (rows * kBytesAKey + memory_bytes - 1) / memory_bytes;
  return static_cast<uint32_t>(std::clamp<int64_t>(shares, 1, kMost));
}

/// Those that wait for themselves alone stay open, also after v1 is closed.
void AddWaiting(const std::vector<Cold>& found, DeliverySet& to) {
  for (const Cold& cold : found) {
    if (cold.scope != ColdScope::kFolders) continue;
    for (const ColdFolder& folder : cold.folders) to.Insert(folder.folder.delivery);
  }
}

/// Is it no property of the folder? Without an identity or a server, the next folder fares no better; and who is told
/// of a gap might leave the folder out.
bool StopsTheTable(const Status& status) {
  switch (status.code()) {
    case Code::kCancelled:
    case Code::kInternal:
    case Code::kUnavailable:
    case Code::kUnauthenticated:
      return true;
    default:
      return false;
  }
}

}  // namespace

TableJob::TableJob(store::ObjectStore& bucket, store::ObjectStore& lake, const bucket::BucketView& view, TablePlan plan,
                   TableState state, Inspect inspect, const IngestOptions& options)
    : bucket_(bucket),
      lake_(lake),
      view_(view),
      plan_(std::move(plan)),
      state_(std::move(state)),
      inspect_(inspect),
      options_(options),
      supersede_(plan_.rules.key, plan_.rules.order_columns, {}, seed_) {
  out_.result.table = plan_.table.ToString();
  out_.result.mode = plan_.rules.mode;
  if (plan_.before) out_.result.delivered_through = DeliveredThrough(view_, plan_.table, *plan_.before);
  schema_ = InitialSchema(plan_.rules.mode);
  last_column_id_ = schema_.MaxId();
  if (state_.table) {
    schema_ = state_.table->metadata().current_schema();
    last_column_id_ = state_.table->metadata().last_column_id;
  }
}

Status TableJob::Run(JobOutcome* outcome) {
  TG_RETURN_IF_ERROR(plan_.action == Action::kReplace ? StageFull() : StageParts());
  TG_RETURN_IF_ERROR(ApplyStaged());
  *outcome = std::move(out_);
  return {};
}

Status TableJob::ApplyStaged() {
  if (!AnyFile() && !state_.table) {  // it has no columns and does not exist yet
    if (!staged_.empty()) out_.result.delivered_through = NewCheckpoint().delivered_through;
    return {};
  }
  std::optional<table::Change> change;
  if (!staged_.empty()) {
    TG_ASSIGN_OR_RETURN(change, BuildChange());
    TG_ASSIGN_OR_RETURN(const bool held, ReseedIsHeld());
    if (held) {
      out_.reseed_not_taken = plan_.reseed->at;
      change.reset();
    }
  }
  if (!change) {
    StageNothing();
    if (SettledNow().empty()) return {};
    TG_ASSIGN_OR_RETURN(change, BuildChange());
  }
  return Commit(*std::move(change));
}

void TableJob::StageNothing() {
  staged_.clear();
  keys_.clear();
  key_files_.clear();
  if (state_.table) schema_ = state_.table->metadata().current_schema();
  plan_.action = Action::kSettle;
  out_.result.superseded = out_.result.rejected = 0;
}

std::optional<std::string> TableJob::MetadataLocation() const {
  if (!state_.table || state_.table->version() == 0) return std::nullopt;
  return state_.table->MetadataLocation();
}

std::optional<Checkpoint> TableJob::CheckpointNow() const {
  if (!state_.table || state_.table->version() == 0) return std::nullopt;
  auto now = CheckpointOf(state_.table->metadata());
  return now.ok() ? *std::move(now) : std::nullopt;
}

/// Must readers keep the table they have until this folder, too, can be taken?
bool TableJob::IsVital(const contract::Delivery& delivery) const {
  if (plan_.action == Action::kRebuild) return plan_.before->applied.Contains(delivery);
  return plan_.takes_reseed && delivery <= plan_.reseed->at;
}

bool TableJob::AnyFile() const {
  return std::any_of(staged_.begin(), staged_.end(), [](const auto& folder) { return !folder.files.empty(); });
}

/// Do the columns come from the staged folders alone?
bool TableJob::BringsItsColumns() const {
  return plan_.action == Action::kRebuild || plan_.action == Action::kReseed ||
         (plan_.before && plan_.before->columns_kept);
}

Status TableJob::StageParts() {
  const bool anew = BringsItsColumns();
  if (anew) {
    schema_ = InitialSchema(plan_.rules.mode);
    last_column_id_ = schema_.MaxId();
  }
  if (!plan_.rules.key.empty()) TG_RETURN_IF_ERROR(InspectFolders());
  if (!cold_.empty()) {
    GiveUp(cold_.Max());
    return {};
  }
  KeptFolders kept;
  if (plan_.action == Action::kRebuild && !plan_.refresh) {
    TG_ASSIGN_OR_RETURN(kept, GoneFolders());
  }
  for (const bucket::FolderState& folder : plan_.folders) {
    if (options_.cancel != nullptr) TG_RETURN_IF_ERROR(options_.cancel->Check());
    TG_RETURN_IF_ERROR(StageKept(kept, &folder.folder.delivery));
    TG_ASSIGN_OR_RETURN(const bool taken, TryFolder(folder, /*replace=*/false));
    const contract::Delivery& delivery = folder.folder.delivery;
    if (!taken && (IsVital(delivery) || (IsCold(delivery) && NeedsAtOnce(plan_, delivery)))) {
      GiveUp(delivery);
      return {};
    }
  }
  TG_RETURN_IF_ERROR(StageKept(kept, nullptr));
  if (anew && state_.table && !AnyFile()) schema_ = state_.table->metadata().current_schema();
  if (anew && state_.table && AnyFile()) {
    last_column_id_ = state_.table->metadata().last_column_id;
    schema_ = Adapt(state_.table->metadata().current_schema(), schema_, &last_column_id_);
  }
  return {};
}

void TableJob::GiveUp(const contract::Delivery& cause) {
  staged_.clear();
  const bool first_build_waits = IsCold(cause) && !plan_.before;
  if (plan_.takes_reseed && !first_build_waits) out_.reseed_not_taken = plan_.reseed->at;
  out_.rebuild_waits = IsCold(cause) && plan_.action == Action::kRebuild;
}

void TableJob::AddColdFolder(const bucket::FolderState& folder) {
  Cold cold{.table = plan_.table.ToString(), .scope = ColdScope::kFolders};
  if (plan_.action == Action::kReplace)
    cold.scope = ColdScope::kCopy;
  else if (NeedsAtOnce(plan_, folder.folder.delivery))
    cold.scope = !plan_.before                      ? ColdScope::kFirstBuild
                 : plan_.action == Action::kRebuild ? ColdScope::kRebuild
                                                    : ColdScope::kReseed;
  cold.of_folders = cold.scope == ColdScope::kCopy ? 1 : std::ssize(plan_.folders);
  // Which of its files it is, is not known.
  cold.folders.push_back({folder.folder, std::ssize(folder.files), static_cast<uint64_t>(folder.bytes()), false});
  AddCold(std::move(cold), out_.cold);
  cold_.Insert(folder.folder.delivery);
}

bool TableJob::IsCold(const contract::Delivery& delivery) const { return cold_.Contains(delivery); }

Result<TableJob::KeptFolders> TableJob::GoneFolders() const {
  KeptFolders out;
  if (!state_.table) return out;
  std::set<contract::Delivery> there;
  for (const bucket::FolderState& folder : plan_.folders) there.insert(folder.folder.delivery);
  TG_ASSIGN_OR_RETURN(const table::LiveFiles live, state_.table->ReadLiveFiles());
  for (const table::LiveFile& file : live.data) {
    TG_ASSIGN_OR_RETURN(const contract::Delivery delivery, DeliveryOf(file.file));
    if (there.contains(delivery)) continue;
    StagedFolder& folder = out[delivery];
    folder.kept = true;
    folder.folder.folder = {plan_.table, plan_.rules.mode, delivery};
    TG_ASSIGN_OR_RETURN(const std::string key, table::KeyOf(lake_, file.file.location));
    StagedFile staged;
    TG_ASSIGN_OR_RETURN(staged.object, lake_.Head(key));
    staged.source = staged.object;
    TG_ASSIGN_OR_RETURN(auto reader, lake_.Open(staged.object));
    TG_ASSIGN_OR_RETURN(staged.info, parquet::ReadFileInfo(*reader));
    folder.files.push_back(std::move(staged));
  }
  return out;
}

/// Those ordered before a folder; null: all that are left.
Status TableJob::StageKept(KeptFolders& kept, const contract::Delivery* before) {
  while (!kept.empty() && (before == nullptr || kept.begin()->first < *before)) {
    StagedFolder folder = std::move(kept.begin()->second);
    kept.erase(kept.begin());
    std::vector<SourceFile> files;
    for (const StagedFile& file : folder.files) files.push_back({file.source, file.info, {}, {}});
    std::string reason;
    TG_RETURN_IF_ERROR(FitSchema(folder.folder.folder, files, /*replace=*/false, &reason));
    if (!plan_.rules.key.empty()) TG_RETURN_IF_ERROR(PrepareKeys(folder));
    staged_.push_back(std::move(folder));
  }
  return {};
}

/// the newest sealed copy that can be applied.
Status TableJob::StageFull() {
  for (const bucket::FolderState& folder : plan_.folders) {
    if (options_.cancel != nullptr) TG_RETURN_IF_ERROR(options_.cancel->Check());
    TG_ASSIGN_OR_RETURN(const bool taken, TryFolder(folder, /*replace=*/true));
    if (taken) return {};
  }
  return {};
}

/// A refresh takes the generation after: another version of tidegate may write a file that is read now in other bytes.
int64_t TableJob::Generation() const {
  return (state_.table ? FileGenerationOf(state_.table->metadata()) : 0) + (plan_.refresh ? 1 : 0);
}

Result<bool> TableJob::TryFolder(const bucket::FolderState& folder, bool replace) {
  const schema::Schema schema_before = schema_;
  const int last_id_before = last_column_id_;
  std::string reason;
  auto staged = TakeFolder(folder, replace, &reason);
  Status status = staged.status();
  if (status.ok() && !plan_.rules.key.empty()) {
    status = PrepareKeys(*staged);
    if (status.code() == Code::kNotFound) reason = "key";
    // Another ingest stages the same file, with the same bytes, at this moment: plan again.
    if (status.code() == Code::kPreconditionFailed) return status;
  }
  if (status.ok()) {
    staged_.push_back(*std::move(staged));
    return true;
  }
  schema_ = schema_before;
  last_column_id_ = last_id_before;
  if (reason == kHeldReason) return false;
  if (StopsTheTable(status)) return status;
  if (status.code() == Code::kFrozen) {  // only now, or the listing could not tell
    AddColdFolder(folder);
    return false;
  }
  // C-44: retention took the copy while it was read; an older candidate or the next run does it.
  if (replace && status.code() == Code::kNotFound) {
    Log(LogLevel::kWarning,
        plan_.table.ToString() + ": " + folder.folder.Path() +
            " vanished while it was read, as retention does; an older copy is taken if there is one");
    return false;
  }
  if (reason.empty()) reason = ReasonOf(status);
  failed_.Insert(folder.folder.delivery);
  out_.problems.push_back(
      {reason, plan_.table.ToString(), folder.folder.Path(), status.message() + std::string(WayOut(reason))});
  return false;
}

Result<StagedFolder> TableJob::TakeFolder(const bucket::FolderState& folder, bool replace, std::string* reason) {
  TG_ASSIGN_OR_RETURN(SourceFolder source, TakeInspected(folder.folder));
  const bool accepted = plan_.accepted.Contains(folder.folder.delivery);
  if (accepted && !replace) {
    for (SourceFile& file : source.files) file.take_as = TakeAs(schema_, file.LakeColumns());
  }
  TG_RETURN_IF_ERROR(FitSchema(folder.folder, source.files, replace, reason));
  if (replace && !accepted) {
    TG_ASSIGN_OR_RETURN(const bool held, GuardHolds(folder.folder.Path(), source.rows()));
    if (held) {
      *reason = kHeldReason;
      return PreconditionFailed("held: " + folder.folder.Path());
    }
  }
  auto staged = StageFolder(bucket_, lake_, source, Generation());
  if (staged.status().code() == Code::kInvalidArgument) *reason = accepted ? "type" : "timestamp_range";
  return staged;
}

Status TableJob::FitSchema(const contract::Folder& folder, const std::vector<SourceFile>& files, bool replace,
                           std::string* reason) {
  schema::Schema grown = replace ? InitialSchema(plan_.rules.mode) : schema_;
  int last_id = replace ? grown.MaxId() : last_column_id_;
  for (const SourceFile& file : files) {
    auto next = Grow(grown, file.LakeColumns(), &last_id, reason);
    if (!next.ok()) {
      return Status(next.status().code(), plan_.table.ToString() + ": " + folder.Path() + ": " +
                                              next.status().message() + ": file " + Quoted(file.object.key));
    }
    grown = *std::move(next);
  }
  if (!replace) {
    schema_ = std::move(grown);
    last_column_id_ = last_id;
  } else if (!files.empty() || !state_.table) {
    if (state_.table)
      grown = Adapt(schema_, grown, &last_column_id_);
    else
      last_column_id_ = last_id;
    schema_ = std::move(grown);
  }
  return {};
}

Result<int64_t> TableJob::RowsBefore() const {
  TG_ASSIGN_OR_RETURN(const table::LiveFiles live, state_.table->ReadLiveFiles());
  int64_t rows = 0;
  for (const table::LiveFile& file : live.data) rows += file.file.record_count;
  for (const table::LiveFile& file : live.position_deletes) rows -= file.file.record_count;
  return rows;
}

Result<bool> TableJob::GuardHolds(const std::string& folder, int64_t rows_now) {
  if (!state_.table) return false;
  TG_ASSIGN_OR_RETURN(const int64_t rows_before, RowsBefore());
  if (!options_.guard.Holds(rows_before, rows_now)) return false;
  out_.held.push_back({plan_.table.ToString(), folder, rows_before, rows_now});
  return true;
}

/// Once its rows are known: the whole new copy is as one folder, which a person accepts by its first.
Result<bool> TableJob::ReseedIsHeld() {
  if (plan_.action != Action::kReseed) return false;
  int64_t rows_now = -out_.result.superseded - out_.result.rejected;
  const StagedFolder* first = nullptr;
  for (const StagedFolder& folder : staged_) {
    rows_now += folder.rows();
    if (first == nullptr || folder.folder.folder.delivery == plan_.reseed->at) first = &folder;
  }
  const contract::Folder& folder = first->folder.folder;
  if (plan_.accepted.Contains(folder.delivery)) return false;
  return GuardHolds(folder.Path(), rows_now);
}

Status TableJob::InspectFolders() {
  int64_t rows = 0;
  for (const bucket::FolderState& folder : plan_.folders) {
    if (options_.cancel != nullptr) TG_RETURN_IF_ERROR(options_.cancel->Check());
    auto seen = InspectFolder(bucket_, lake_, folder.folder, inspect_, Generation());
    if (seen.ok()) rows += seen->rows();
    const bool in_vain = seen.status().code() == Code::kFrozen && NeedsAtOnce(plan_, folder.folder.delivery);
    if (in_vain) {
      AddColdFolder(folder);
      return {};
    }
    inspected_.emplace(folder.folder.delivery, std::move(seen));
  }
  shares_ = SharesOfKeys(rows, options_.memory_bytes / std::max(options_.jobs, 1));
  supersede_ = Supersede(plan_.rules.key, plan_.rules.order_columns, {0, shares_}, seed_);
  return {};
}

Result<SourceFolder> TableJob::TakeInspected(const contract::Folder& folder) {
  const auto seen = inspected_.find(folder.delivery);
  if (seen == inspected_.end()) return InspectFolder(bucket_, lake_, folder, inspect_, Generation());
  Result<SourceFolder> out = std::move(seen->second);
  inspected_.erase(seen);
  return out;
}

Status TableJob::PrepareKeys(const StagedFolder& staged) {
  std::vector<KeyFile> files;
  for (const StagedFile& file : staged.files) {
    const auto number = static_cast<uint32_t>(numbered_.size());
    const contract::Delivery& delivery = staged.folder.folder.delivery;
    const std::string name = file.source.key.substr(file.source.key.rfind('/') + 1);
    numbered_.push_back({lake_.Location(file.object.key), delivery, PartitionValues(delivery), 0, name});
    files.push_back(
        {number, file.source.key, [this, key = file.object.key] { return store::OpenCurrent(lake_, key); }});
  }
  TG_ASSIGN_OR_RETURN(FolderKeys keys, supersede_.Prepare(staged.folder.folder.delivery, files));
  keys_.push_back(std::move(keys));
  key_files_.push_back(std::move(files));
  return {};
}

Result<std::vector<int64_t>> TableJob::DeletedIn(const std::string& data_location) const {
  std::vector<int64_t> out;
  for (const table::LiveFile& file : live_.position_deletes) {
    const auto& referenced = file.file.referenced_data_file;
    if (referenced && *referenced != data_location) continue;
    TG_ASSIGN_OR_RETURN(const std::string key, table::KeyOf(lake_, file.file.location));
    TG_ASSIGN_OR_RETURN(auto reader, store::OpenCurrent(lake_, key));
    TG_ASSIGN_OR_RETURN(auto positions, parquet::ReadPositionDeletes(*reader));
    const auto& mine = positions[data_location];
    out.insert(out.end(), mine.begin(), mine.end());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Status TableJob::NumberLiveFiles() {
  for (const table::LiveFile& live : live_.data) {
    TG_ASSIGN_OR_RETURN(const contract::Delivery delivery, DeliveryOf(live.file));
    live_numbers_.push_back(static_cast<uint32_t>(numbered_.size()));
    numbered_.push_back({live.file.location, delivery, live.file.partition, live.file.spec_id, ""});
  }
  return {};
}

Status TableJob::ScanLiveFiles(Supersede& supersede) {
  for (const uint32_t number : live_numbers_) {
    const NumberedFile& live = numbered_[number];
    TG_ASSIGN_OR_RETURN(const std::string key, table::KeyOf(lake_, live.location));
    const KeyFile file{number, key, [this, key] { return store::OpenCurrent(lake_, key); }};
    TG_RETURN_IF_ERROR(supersede.ScanExisting(live.delivery, file, [&] { return DeletedIn(live.location); }));
  }
  return {};
}

void TableJob::TakeDead(const Supersede& supersede) {
  for (auto& [file, rows] : supersede.DeadRows()) {
    std::vector<int64_t>& dead = dead_[file];
    dead.insert(dead.end(), rows.begin(), rows.end());
    std::sort(dead.begin(), dead.end());
    dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
  }
}

void TableJob::WarnOfRepeats() {
  for (size_t i = staged_.size(); i-- > 0;) {  // newest first
    if (repeats_[i] == 0) continue;
    out_.warnings.push_back(
        {"repeated_key", out_.result.table, staged_[i].folder.folder.Path(),
         HumanCount(repeats_[i]) + " rows repeat a key of the same folder: the newest of each is kept", repeats_[i],
         ""});
  }
}

/// C-23: rows with a null key are told in a reject file, and hidden from the table.
Status TableJob::SetAside(const StagedFolder& staged, const FolderKeys& keys) {
  if (keys.null_keys.empty()) return {};
  const std::string path = staged.folder.folder.Path();
  std::vector<parquet::RejectedRow> rows;
  for (const RowRef& row : keys.null_keys) {
    rows.push_back({path, numbered_[row.file].source_name, row.position, "null key"});
  }
  const std::string key = RejectFileKey(staged.folder.folder);
  TG_ASSIGN_OR_RETURN(auto writer, lake_.NewWriter(key, store::PutMode::kOverwrite));
  TG_RETURN_IF_ERROR(parquet::WriteRejects(rows, *writer));
  TG_ASSIGN_OR_RETURN(const store::ObjectInfo written, writer->Finish());
  const auto count = static_cast<int64_t>(rows.size());
  out_.result.rejected += count;
  out_.warnings.push_back({"null_key", out_.result.table, path,
                           HumanCount(count) + " rows have a null key: hidden from the table, told in " + written.key,
                           count, ""});
  return {};
}

Status TableJob::ResolveKeys(table::Change& change) {
  repeats_.assign(staged_.size(), 0);
  if (plan_.action == Action::kAppend) TG_RETURN_IF_ERROR(NumberLiveFiles());
  for (uint32_t number = 0; number < shares_; ++number) TG_RETURN_IF_ERROR(ResolveShare(number));
  WarnOfRepeats();
  int64_t dead_rows = 0;
  for (const auto& [file, dead] : dead_) {
    dead_rows += static_cast<int64_t>(dead.size());
    TG_RETURN_IF_ERROR(AddDeletes(file, dead, change));
  }
  out_.result.superseded = dead_rows - out_.result.rejected;
  return {};
}

Status TableJob::ResolveShare(uint32_t number) {
  const bool first = number == 0;  // its keys were prepared when the folders were staged
  Supersede supersede =
      first ? std::move(supersede_) : Supersede(plan_.rules.key, plan_.rules.order_columns, {number, shares_}, seed_);
  for (size_t i = staged_.size(); i-- > 0;) {  // newest first
    if (options_.cancel != nullptr) TG_RETURN_IF_ERROR(options_.cancel->Check());
    if (!first) {
      TG_ASSIGN_OR_RETURN(keys_[i], supersede.Prepare(staged_[i].folder.folder.delivery, key_files_[i]));
    }
    repeats_[i] += static_cast<int64_t>(keys_[i].repeats.size());
    if (first) TG_RETURN_IF_ERROR(SetAside(staged_[i], keys_[i]));
    supersede.AddFolder(std::move(keys_[i]));
  }
  TG_RETURN_IF_ERROR(ScanLiveFiles(supersede));
  TakeDead(supersede);
  return {};
}

/// One live delete file per data file: the new positions merged with the earlier ones.
Status TableJob::AddDeletes(uint32_t number, const std::vector<int64_t>& dead, table::Change& change) {
  const NumberedFile& file = numbered_[number];
  std::vector<int64_t> all = dead;
  for (const table::LiveFile& old : live_.position_deletes) {
    if (old.file.referenced_data_file == file.location) change.remove.push_back(old.file.location);
  }
  TG_ASSIGN_OR_RETURN(const std::vector<int64_t> earlier, DeletedIn(file.location));
  all.insert(all.end(), earlier.begin(), earlier.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());

  TG_ASSIGN_OR_RETURN(std::string key, table::KeyOf(lake_, file.location));
  key.resize(key.size() - std::string_view(".parquet").size());
  key += "-deletes-" + NewUuid().substr(0, 8) + ".parquet";
  TG_ASSIGN_OR_RETURN(auto writer, lake_.NewWriter(key, store::PutMode::kCreateOnly));
  TG_RETURN_IF_ERROR(parquet::WritePositionDeletes(file.location, all, *writer));
  TG_ASSIGN_OR_RETURN(const store::ObjectInfo object, writer->Finish());
  table::DataFile entry;
  entry.content = table::FileContent::kPositionDeletes;
  entry.location = lake_.Location(object.key);
  entry.partition = file.partition;
  entry.spec_id = file.spec_id;
  entry.record_count = static_cast<int64_t>(all.size());
  entry.file_size_bytes = static_cast<int64_t>(object.size_bytes);
  entry.referenced_data_file = file.location;
  change.add.push_back(std::move(entry));
  return {};
}

table::DataFile TableJob::ToDataFile(const StagedFolder& folder, const StagedFile& file) const {
  return DescribeDataFile(file.info, schema_, lake_.Location(file.object.key),
                          PartitionValues(folder.folder.folder.delivery));
}

Result<table::Change> TableJob::BuildChange() {
  table::Change change;
  if (plan_.action == Action::kSettle) {
    Describe(change);
    return change;
  }
  change.remove_all = plan_.action != Action::kAppend;
  if (state_.table && plan_.action == Action::kAppend && !plan_.rules.key.empty()) {
    TG_ASSIGN_OR_RETURN(live_, state_.table->ReadLiveFiles());
  }
  for (const StagedFolder& folder : staged_) {
    for (const StagedFile& file : folder.files) change.add.push_back(ToDataFile(folder, file));
  }
  if (!plan_.rules.key.empty()) TG_RETURN_IF_ERROR(ResolveKeys(change));
  Describe(change);
  return change;
}

/// What of a person's word takes effect with this commit: an accept only with its folder.
std::vector<Settlement> TableJob::SettledNow() const {
  std::vector<Settlement> out;
  for (const Settlement& word : plan_.settled) {
    const bool taken = std::any_of(staged_.begin(), staged_.end(), [&](const StagedFolder& staged) {
      return !staged.kept && staged.folder.folder.delivery == word.folder.delivery;
    });
    if (taken || word.verdict == Verdict::kSkip) out.push_back(word);
  }
  return out;
}

Checkpoint TableJob::NewCheckpoint() const {
  const bool settle = plan_.action == Action::kSettle;
  Checkpoint out;
  if (plan_.before && (settle || plan_.action == Action::kAppend)) out = *plan_.before;
  if (plan_.before && plan_.action == Action::kRebuild) out.delivered_through = plan_.before->delivered_through;
  out.version = plan_.version;
  out.mode = plan_.rules.mode;
  out.reseed = settle ? out.reseed : plan_.reseed;
  out.fenced = settle ? out.fenced : plan_.fenced;
  out.skipped = plan_.skipped;
  out.gaps = failed_;
  for (const std::vector<Cold>* found : {&plan_.cold, &out_.cold}) AddWaiting(*found, out.gaps);
  out.columns_kept = out.mode == contract::TableMode::kParts && plan_.before && BringsItsColumns() && !AnyFile();
  if (plan_.before) out.switched_at = plan_.before->switched_at;
  if (!out.switched_at && out.version == contract::Version::kV2) out.switched_at = options_.clock->Now();
  for (const StagedFolder& staged : staged_) {
    const contract::Delivery& delivery = staged.folder.folder.delivery;
    out.applied.Insert(delivery);
    if (!staged.kept)
      out.fingerprints[delivery] = staged.folder.Fingerprint();
    else if (const auto print = plan_.before->fingerprints.find(delivery); print != plan_.before->fingerprints.end())
      out.fingerprints.insert(*print);
  }
  for (const auto& [delivery, print] : plan_.acknowledged) {
    if (out.applied.Contains(delivery)) out.fingerprints[delivery] = print;
  }
  const bool v1_closed = out.switched_at && options_.clock->Now() >= *out.switched_at + kV1StaysOpen;
  TrimFingerprints(out, kFingerprintsKept, /*of_v1=*/!v1_closed);
  if (const auto through = DeliveredThrough(view_, plan_.table, out)) out.delivered_through = through;
  return out;
}

/// Fills the summary: checkpoint, and what `tidegate history` shows.
void TableJob::Describe(table::Change& change) const {
  const TableResult& result = out_.result;
  const bool deletes = std::any_of(change.add.begin(), change.add.end(),
                                   [](const auto& f) { return f.content == table::FileContent::kPositionDeletes; });
  change.operation = change.remove_all || deletes ? "overwrite" : "append";
  const Checkpoint checkpoint = NewCheckpoint();
  change.summary = ToSummary(checkpoint);
  int64_t rows = 0;
  uint64_t bytes = 0;
  std::vector<std::string> folders;
  for (const StagedFolder& staged : staged_) {
    if (staged.kept) continue;
    rows += staged.rows();
    bytes += static_cast<uint64_t>(staged.folder.bytes());
    folders.push_back(staged.folder.folder.Path());
  }
  change.summary["tidegate.action"] = ActionName(plan_.action);
  change.summary["tidegate.tool-version"] = options_.tool_version;
  change.summary["tidegate.folders"] = Join(folders, " ");
  change.summary["tidegate.files"] = DumpJson(FilesJson(staged_));
  change.summary["tidegate.rows-in"] = std::to_string(rows);
  change.summary["tidegate.bytes-in"] = std::to_string(bytes);
  change.summary["tidegate.rows-superseded"] = std::to_string(result.superseded);
  change.summary["tidegate.rows-rejected"] = std::to_string(result.rejected);
  if (const auto settled = SettledNow(); !settled.empty()) {
    change.summary["tidegate.settled"] = DumpJson(SettledJson(settled));
  }
}

Status TableJob::Commit(table::Change change) {
  TableResult& result = out_.result;
  std::vector<table::NameMapping> earlier;
  if (!state_.table) {
    state_.table =
        table::LakeTable::New(lake_, table::FolderOf(plan_.table), schema_, SpecOf(schema_, plan_.rules.mode),
                              {{"write.delete.mode", "merge-on-read"},
                               {"write.update.mode", "merge-on-read"},
                               {"write.merge.mode", "merge-on-read"},
                               {table::kLakeFormatProperty, table::kLakeFormat}});
  } else {
    const auto& properties = state_.table->metadata().properties;
    if (const auto it = properties.find(table::kNameMappingProperty); it != properties.end()) {
      TG_ASSIGN_OR_RETURN(earlier, table::ParseNameMapping(it->second));
    }
    if (!(schema_ == state_.table->metadata().current_schema())) change.schema = schema_;
  }
  if (plan_.refresh) change.set_properties[kFileGenerationKey] = std::to_string(Generation());
  const std::string mapping = table::WriteNameMapping(MappingOf(schema_, earlier));
  const auto& properties = state_.table->metadata().properties;
  const auto current = properties.find(table::kNameMappingProperty);
  if (current == properties.end() || current->second != mapping)
    change.set_properties[table::kNameMappingProperty] = mapping;
  for (table::DataFile& file : change.add) {
    if (file.content == table::FileContent::kData) file.spec_id = state_.table->metadata().default_spec_id;
  }
  TG_RETURN_IF_ERROR(state_.table->Commit(change, options_.clock->Now()));

  result.action = plan_.action;
  result.delivered_through = NewCheckpoint().delivered_through;
  result.snapshot_id = state_.table->metadata().current_snapshot_id.value_or(0);
  for (const StagedFolder& staged : staged_) {
    if (staged.kept) continue;
    result.folders.push_back(staged.folder.folder.Path());
    result.folder_rows.push_back(staged.rows());
    result.files += static_cast<int64_t>(staged.files.size());
    result.rows_in += staged.rows();
    result.bytes_in += static_cast<uint64_t>(staged.folder.bytes());
    for (const StagedFile& file : staged.files) {
      if (file.rewritten) ++result.files_rewritten;
      if (file.reserved_columns.empty()) continue;
      out_.warnings.push_back({"partition_column_in_file", result.table, staged.folder.folder.Path(),
                               "a file holds the reserved column " + Quoted(file.reserved_columns.front()) +
                                   ": the folder's value counts, the file was rewritten without it",
                               0, ""});
    }
  }
  return {};
}

}  // namespace tidegate::ingest
