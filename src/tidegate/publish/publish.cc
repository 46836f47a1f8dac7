#include "tidegate/publish/publish.h"

#include <algorithm>
#include <memory>

#include "tidegate/base/hash.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"
#include "tidegate/catalog/hive_type.h"
#include "tidegate/catalog/partition_path.h"
#include "tidegate/parquet/file_info.h"
#include "tidegate/publish/audit.h"
#include "tidegate/publish/flip.h"
#include "tidegate/publish/layout.h"
#include "tidegate/publish/runs.h"
#include "tidegate/signature/sign_parquet.h"

namespace tidegate::publish {
namespace {

constexpr size_t kAtOnce = 100;  // partitions that one call of a catalog may change (Glue)

/// A read that may find nothing.
template <typename T>
Result<std::optional<T>> IfThere(Result<T> read) {
  if (read.ok()) return std::optional<T>(*std::move(read));
  if (read.status().code() == Code::kNotFound) return std::optional<T>();
  return read.status();
}

/// One partition on its way.
class Job {
 public:
  Job(const Definition& definition, const catalog::PartitionValues& values, const PublishOptions& options,
      Builder& builder, const Ports& ports)
      : definition_(definition), values_(values), options_(options), builder_(builder), ports_(ports) {}

  /// What there is, and what will be done. Writes nothing.
  Status Plan() {
    TG_ASSIGN_OR_RETURN(path_, catalog::PartitionPath(definition_.partition_columns, values_));
    TG_ASSIGN_OR_RETURN(table_, IfThere(ports_.catalog.GetTable(definition_.table)));
    if (table_) TG_RETURN_IF_ERROR(CheckTable(definition_, *table_, ports_.root.url()));
    if (table_) {
      TG_ASSIGN_OR_RETURN(seen_, IfThere(ports_.catalog.GetPartition(definition_.table, values_)));
    }
    TG_ASSIGN_OR_RETURN(runs_, ListRuns(ports_.root, path_));
    if (!seen_) TG_RETURN_IF_ERROR(CheckSpelling(definition_, values_));
    if (seen_) known_ = ContentOf(*seen_, CurrentRun(), ports_.root);
    TG_ASSIGN_OR_RETURN(const std::string select, SelectFor(definition_, values_));
    TG_ASSIGN_OR_RETURN(const auto foresight, builder_.Begin(select));
    if (!foresight || foresight->signature == known_.signature) ForgetWhatIsNotWhole();
    if (foresight) TG_RETURN_IF_ERROR(CheckSelected(definition_, foresight->columns));
    PartitionFacts facts{.partition_path = path_, .root_url = ports_.root.url(), .partition = seen_, .known = known_};
    if (!runs_.empty()) facts.newest_run = runs_.back().id;
    if (foresight) facts.signature = foresight->signature;
    facts.now = ports_.clock.Now();
    facts.random = RandomBits();
    facts.force = options_.force;
    TG_ASSIGN_OR_RETURN(outcome_.plan, PlanPartition(facts));
    return {};
  }

  Status TakeLease() {
    TG_ASSIGN_OR_RETURN(path_, catalog::PartitionPath(definition_.partition_columns, values_));
    outcome_.partition = path_;
    TG_ASSIGN_OR_RETURN(lease_, Lease::Take(ports_.root, LeaseKey(path_), ports_.ClockOfLeases(), ports_.who));
    return {};
  }

  /// After the plan: the number of the lease tells those who come later that this publisher came after the last one.
  Status OutnumberTheLastOne() { return seen_ ? lease_->Outnumber(LeaseNumberOf(*seen_)) : Status(); }

  /// Files, audits, the mark. False where the work ends here; the outcome says how.
  Result<bool> Build() {
    if (!IsWanted()) return false;
    StartRun();
    TG_ASSIGN_OR_RETURN(outcome_.run.files, builder_.Write(ports_.root, outcome_.plan.folder));
    TG_ASSIGN_OR_RETURN(const auto files, FilesOfRun());
    TG_RETURN_IF_ERROR(CheckColumns(files));
    TG_RETURN_IF_ERROR(CheckSignature(files));
    if (!IsWanted()) {
      TG_RETURN_IF_ERROR(Withdraw(files));
      return false;
    }
    return Complete();
  }

  /// The first publish of a table declares it.
  Status MakeTable() {
    if (table_) return {};
    catalog::HiveTable table{.name = definition_.table, .location = ports_.root.url()};
    // Hadoop's programs read by the scheme that they are set up for: it stays as the settings have it.
    if (definition_.location.starts_with("s3a://") && table.location.starts_with("s3://"))
      table.location.insert(2, "a");
    table.columns = outcome_.run.columns;
    table.partition_columns = definition_.partition_columns;
    Status made = ports_.catalog.CreateTable(table);
    if (made.code() != Code::kAlreadyExists) return made;
    // Somebody else's first publish was quicker, of another partition: this run must fit its table.
    TG_ASSIGN_OR_RETURN(table_, ports_.catalog.GetTable(definition_.table));
    TG_RETURN_IF_ERROR(CheckTable(definition_, *table_, ports_.root.url()));
    return catalog::CheckColumnsFit(outcome_.run.columns, table_->columns);
  }

  FlipRequest Request() const {
    FlipRequest out{.seen = seen_, .run = outcome_.run, .location = Location(), .signature = outcome_.plan.signature};
    out.lease = lease_.get();
    out.rejected = Content().rejected;
    return out;
  }

  /// After the flip. What fails here costs a needless rebuild or a later clean-up, and readers nothing.
  Status Finish() {
    outcome_.end = PublishEnd::kPublished;
    TG_RETURN_IF_ERROR(MarkPublished(outcome_.plan.folder, Content(), ports_));
    const Run* old = CurrentRun();
    if (old == nullptr) return {};
    return MoveAwayFrom(*old, known_, ports_);
  }

  Status CleanUp(PointedFolders& pointed) {
    TG_ASSIGN_OR_RETURN(outcome_.cleaned,
                        Clean(definition_, values_, outcome_.plan.run, lease_.get(), ports_, pointed));
    return {};
  }

  void End(PublishEnd end, Status status) {
    outcome_.end = end;
    outcome_.status = std::move(status);
  }

  PublishOutcome& outcome() { return outcome_; }
  void EndLease() { lease_.reset(); }

 private:
  /// Of the new run. What was turned away stays so until it is published after all.
  KnownContent Content() const {
    const std::string& signature = outcome_.plan.signature;
    return {.signature = signature, .rejected = known_.rejected == signature ? "" : known_.rejected};
  }

  /// Readers of a run that lost a file do not have the content that was signed: it is built anew.
  void ForgetWhatIsNotWhole() {
    const Run* run = CurrentRun();
    if (run == nullptr || known_.signature.empty()) return;
    const auto manifest = ReadRun(ports_.root, *run);
    const Status whole = manifest.ok() ? CheckWhole(*run, *manifest) : manifest.status();
    if (whole.ok()) return;
    Log(LogLevel::kWarning, path_ + ": what readers see is built anew: " + whole.message());
    known_.signature.clear();
  }

  std::string Location() const { return ports_.root.Location(outcome_.plan.folder); }

  /// By the signature, as far as it is known.
  bool IsWanted() {
    if (outcome_.plan.step == PlanStep::kUnchanged) outcome_.end = PublishEnd::kUnchanged;
    if (outcome_.plan.step == PlanStep::kRejected) outcome_.end = PublishEnd::kRejected;
    return outcome_.plan.step == PlanStep::kBuild;
  }

  void StartRun() {
    RunManifest& run = outcome_.run;
    run.table = definition_.table;
    run.partition = values_;
    run.run = outcome_.plan.run;
    run.created = ports_.clock.Now();
    run.signature = outcome_.plan.signature;
    run.previous = outcome_.plan.current;
    run.lease = lease_->number();
    run.tool = options_.tool;
  }

  /// What lies in the folder of the run: what was written, and nothing else.
  Result<std::vector<store::ObjectInfo>> FilesOfRun() {
    const std::string& folder = outcome_.plan.folder;
    TG_ASSIGN_OR_RETURN(store::Listing there, ports_.root.List({.prefix = folder + "/"}));
    const auto& written = outcome_.run.files;
    const auto same = [&](const store::ObjectInfo& object, const RunFile& file) {
      return object.key == KeyIn(folder, file.name);
    };
    if (there.refused.empty() && !written.empty() &&
        std::equal(there.objects.begin(), there.objects.end(), written.begin(), written.end(), same)) {
      return std::move(there.objects);
    }
    return PreconditionFailed("the folder of the new run holds other files than were written: " +
                              Quoted(ports_.root.Location(folder), 1200) + ": another program writes there");
  }

  Status CheckColumns(const std::vector<store::ObjectInfo>& files) {
    TG_RETURN_IF_ERROR(ReadColumns(files));
    std::vector<std::string> names;
    names.reserve(outcome_.run.columns.size());
    for (const catalog::HiveColumn& column : outcome_.run.columns) names.push_back(column.name);
    TG_RETURN_IF_ERROR(CheckSelected(definition_, names));
    return table_ ? catalog::CheckColumnsFit(outcome_.run.columns, table_->columns) : Status();
  }

  /// That the rows of the files are those that were selected; where nobody knew before what that would be, what it is.
  Status CheckSignature(const std::vector<store::ObjectInfo>& files) {
    TG_ASSIGN_OR_RETURN(const auto signed_files, signature::SignParquet(ports_.root, files, {.cancel = ports_.cancel}));
    const std::string signature = signed_files.ToString();
    PartitionPlan& plan = outcome_.plan;
    if (plan.signature.empty()) {
      plan.signature = outcome_.run.signature = signature;
      plan.step = StepFor(known_, signature, options_.force);
    }
    if (signature == plan.signature) return {};
    return Corruption(
        "the files of the new run do not hold what was selected: " + Quoted(ports_.root.Location(plan.folder), 1200) +
        ": signature " + signature + ", not " + plan.signature + "; readers stay where they are");
  }

  /// Takes a build away again that nobody needs.
  Status Withdraw(const std::vector<store::ObjectInfo>& files) {
    std::vector<std::string> keys;
    keys.reserve(files.size());
    for (const store::ObjectInfo& file : files) keys.push_back(file.key);
    outcome_.run = {};
    outcome_.withdrawn = true;
    return ports_.root.Delete(keys);
  }

  /// Audits, and the mark of a run that passed them, or did not.
  Result<bool> Complete() {
    TG_RETURN_IF_ERROR(Audit());
    outcome_.run.why = WhyFailed(outcome_.run.audits);
    const bool passed = outcome_.run.why.empty();
    const std::string key = KeyIn(outcome_.plan.folder, passed ? kRunFile : kFailedFile);
    TG_RETURN_IF_ERROR(ports_.root.Sync());
    TG_RETURN_IF_ERROR(ports_.root.Put(key, WriteRunManifest(outcome_.run), store::PutMode::kCreateOnly).status());
    TG_RETURN_IF_ERROR(ports_.root.Sync());
    if (!passed) outcome_.end = PublishEnd::kAuditFailed;
    return passed;
  }

  Status ReadColumns(const std::vector<store::ObjectInfo>& files) {
    TG_ASSIGN_OR_RETURN(const auto reader, ports_.root.Open(files.front()));
    TG_ASSIGN_OR_RETURN(const parquet::FileInfo info, parquet::ReadFileInfo(*reader));
    for (const schema::Field& field : info.columns) {
      auto type = catalog::HiveType(field.type);
      if (!type.ok()) return type.status().WithContext("column " + Quoted(field.name));
      outcome_.run.columns.push_back({field.name, *std::move(type)});
    }
    return {};
  }

  Status Audit() {
    const auto count = [&](const std::string& query) { return builder_.CountRows(query); };
    TG_ASSIGN_OR_RETURN(outcome_.run.audits, RunAudits(definition_.audits, outcome_.run.rows(), CurrentRows(), count));
    return {};
  }

  /// The run that readers saw when this was planned, where it is one of ours.
  const Run* CurrentRun() const { return seen_ ? RunAt(runs_, ports_.root.url(), seen_->location) : nullptr; }

  /// Of the run that readers see, where it is one of ours and can be read.
  std::optional<int64_t> CurrentRows() const {
    const Run* run = CurrentRun();
    if (run == nullptr || !run->complete) return std::nullopt;
    const auto manifest = ReadRun(ports_.root, *run);
    if (manifest.ok()) return manifest->rows();
    Log(LogLevel::kWarning, "the current run is not compared: " + manifest.status().message());
    return std::nullopt;
  }

  const Definition& definition_;
  const catalog::PartitionValues values_;
  const PublishOptions& options_;
  Builder& builder_;
  const Ports& ports_;
  std::string path_;
  std::unique_ptr<Lease> lease_;
  std::optional<catalog::HiveTable> table_;
  std::optional<catalog::HivePartition> seen_;
  std::vector<Run> runs_;
  KnownContent known_;  // of what readers see
  PublishOutcome outcome_;
};

PublishEnd EndOf(const Status& status) { return IsConflict(status) ? PublishEnd::kConflict : PublishEnd::kFailed; }

/// Up to a complete run. False where the job ends here.
bool Prepare(Job& job, const std::function<void(const std::string&)>& tell) {
  if (const Status taken = job.TakeLease(); !taken.ok()) {
    job.End(EndOf(taken), taken);
    return false;
  }
  if (tell) tell(job.outcome().partition);
  Status status = job.Plan();
  if (const Status first = status.ok() ? job.OutnumberTheLastOne() : Status(); !first.ok()) {
    job.End(EndOf(first), first);
    return false;
  }
  bool goes_on = false;
  if (status.ok()) {
    auto built = job.Build();
    status = built.status();
    goes_on = built.ok() && *built;
  }
  if (status.ok() && goes_on) status = job.MakeTable();
  if (!status.ok()) job.End(PublishEnd::kFailed, status);
  return status.ok() && goes_on;
}

void FlipAll(std::vector<Job*>& jobs, const catalog::HiveName& table, Lease* guard, const Ports& ports) {
  if (ports.cancel != nullptr && ports.cancel->cancelled()) {
    for (Job* job : jobs) job->End(PublishEnd::kFailed, StoppedOnRequest());
    return;
  }
  const StopGrace grace;  // what is begun here is carried to its notes: a change that is cut off might come later
  std::vector<FlipRequest> requests;
  requests.reserve(jobs.size());
  for (const Job* job : jobs) requests.push_back(job->Request());
  const std::vector<Status> flipped = Flip(table, requests, guard, ports);
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!flipped[i].ok()) {
      jobs[i]->End(EndOf(flipped[i]), flipped[i]);
      continue;
    }
    const Status finished = jobs[i]->Finish();
    if (!finished.ok())
      Log(LogLevel::kWarning, "readers see the new run, but not all was noted: " + finished.message());
  }
}

/// Clean-up goes with every publish that took the lease and made a plan, also with one that changed nothing, and with
/// one that failed: what fails each hour must not pile up. Not where the last word of the catalog is open.
bool MayClean(const PublishOutcome& outcome) {
  const bool planned = !outcome.plan.run.empty();
  return planned && outcome.end != PublishEnd::kConflict && outcome.status.code() != Code::kUnknownOutcome &&
         outcome.status.code() != Code::kCancelled;
}

void CleanAll(std::vector<std::unique_ptr<Job>>& jobs, const PublishOptions& options, PointedFolders pointed) {
  for (const auto& job : jobs) {
    if (!options.clean || !MayClean(job->outcome())) continue;
    const Status cleaned = job->CleanUp(pointed);
    if (!cleaned.ok()) Log(LogLevel::kWarning, "old runs were not removed: " + cleaned.message());
  }
}

}  // namespace

std::string_view EndName(PublishEnd end) {
  switch (end) {
    case PublishEnd::kPublished:
      return "published";
    case PublishEnd::kUnchanged:
      return "unchanged";
    case PublishEnd::kRejected:
      return "rejected";
    case PublishEnd::kAuditFailed:
      return "audit_failed";
    case PublishEnd::kConflict:
      return "conflict";
    case PublishEnd::kFailed:
      return "failed";
  }
  return "";
}

Result<PartitionPlan> PlanOnly(const Definition& definition, const catalog::PartitionValues& values,
                               const PublishOptions& options, Builder& builder, const Ports& ports) {
  Job job(definition, values, options, builder, ports);
  TG_RETURN_IF_ERROR(job.Plan());
  return job.outcome().plan;
}

std::vector<PublishOutcome> Publish(const Definition& definition,
                                    const std::vector<catalog::PartitionValues>& partitions,
                                    const PublishOptions& options, Builder& builder, const Ports& ports,
                                    const std::function<void(const std::string&)>& tell) {
  std::vector<PublishOutcome> out;
  for (size_t begin = 0; begin < partitions.size(); begin += kAtOnce) {
    std::vector<std::unique_ptr<Job>> jobs;
    std::vector<Job*> built;
    for (size_t i = begin; i < std::min(partitions.size(), begin + kAtOnce); ++i) {
      if (ports.cancel != nullptr && ports.cancel->cancelled()) {  // those that go together have flipped nothing yet
        const auto path = catalog::PartitionPath(definition.partition_columns, partitions[begin]);
        out.push_back({.partition = path.ok() ? *path : "", .status = StoppedOnRequest()});
        return out;
      }
      jobs.push_back(std::make_unique<Job>(definition, partitions[i], options, builder, ports));
      if (Prepare(*jobs.back(), tell)) built.push_back(jobs.back().get());
    }
    FlipAll(built, definition.table, options.guard, ports);
    CleanAll(jobs, options, PointedFolders(definition.table, ports));
    for (const auto& job : jobs) {
      job->EndLease();
      out.push_back(std::move(job->outcome()));
    }
  }
  return out;
}

}  // namespace tidegate::publish
