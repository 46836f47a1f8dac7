// TableJob: carry out the plan of one table in one commit.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/ingest/ingest.h"
#include "tidegate/ingest/plan.h"
#include "tidegate/ingest/staged_folder.h"
#include "tidegate/ingest/supersede.h"
#include "tidegate/ingest/table_state.h"

namespace tidegate::ingest {

/// What a job tells besides its Status.
struct JobOutcome {
  TableResult result;
  std::vector<Warning> warnings;
  std::vector<Problem> problems;
  std::vector<Held> held;
  std::vector<Cold> cold;  // found to be in cold storage only when it was read
  /// R of a reseed that the plan takes and that is broken or held: plan again, with it as one that waits.
  std::optional<contract::Delivery> reseed_not_taken;
  bool rebuild_waits = false;  // for cold storage: plan again without it
};

class TableJob {
 public:
  /// `inspect`: where footers are read first (staged_folder.h).
  TableJob(store::ObjectStore& bucket, store::ObjectStore& lake, const bucket::BucketView& view, TablePlan plan,
           TableState state, Inspect inspect, const IngestOptions& options);

  /// Errors: PreconditionFailed (another writer committed first: load and plan again), Cancelled, store errors. A
  /// folder that cannot be applied is a problem in the outcome, not an error.
  Status Run(JobOutcome* outcome);

  /// The table's checkpoint after a Run that succeeded; nullopt: it does not exist yet.
  std::optional<Checkpoint> CheckpointNow() const;

  /// Where the table's metadata is now, after a Run that succeeded; nullopt: it does not exist yet.
  std::optional<std::string> MetadataLocation() const;

 private:
  Status StageParts();
  Status StageFull();
  bool AnyFile() const;  // staged
  bool BringsItsColumns() const;
  bool IsVital(const contract::Delivery& delivery) const;
  /// C-43: a folder that turned out to lie in cold storage.
  void AddColdFolder(const bucket::FolderState& folder);
  bool IsCold(const contract::Delivery& delivery) const;
  /// What needs all its folders at once is not done.
  void GiveUp(const contract::Delivery& cause);
  /// Stages one folder and fits its columns; a folder that cannot be applied becomes a problem and leaves no trace.
  Result<bool> TryFolder(const bucket::FolderState& folder, bool replace);
  /// An error is the folder's; *reason is its word where the code alone does not tell it.
  Result<StagedFolder> TakeFolder(const bucket::FolderState& folder, bool replace, std::string* reason);
  Status FitSchema(const contract::Folder& folder, const std::vector<SourceFile>& files, bool replace,
                   std::string* reason);
  Result<SourceFolder> TakeInspected(const contract::Folder& folder);
  /// Reads the footers of all folders, and decides in how many shares their keys are gone through. Stops where what
  /// needs all of them cannot be done.
  Status InspectFolders();
  Status PrepareKeys(const StagedFolder& staged);
  int64_t Generation() const;  // of the names of data files

  /// C-14: a rebuild keeps the rows of folders that are gone from the bucket.
  using KeptFolders = std::map<contract::Delivery, StagedFolder>;
  Result<KeptFolders> GoneFolders() const;
  Status StageKept(KeptFolders& kept, const contract::Delivery* before);

  Result<int64_t> RowsBefore() const;
  Result<bool> GuardHolds(const std::string& folder, int64_t rows_now);
  Result<bool> ReseedIsHeld();

  Status ResolveKeys(table::Change& change);
  /// One share of the keys, over all staged and live files.
  Status ResolveShare(uint32_t number);
  void TakeDead(const Supersede& supersede);
  void WarnOfRepeats();
  Status SetAside(const StagedFolder& staged, const FolderKeys& keys);
  Status NumberLiveFiles();
  Status ScanLiveFiles(Supersede& supersede);
  Status AddDeletes(uint32_t file, const std::vector<int64_t>& dead, table::Change& change);
  Result<std::vector<int64_t>> DeletedIn(const std::string& data_location) const;

  Status ApplyStaged();
  /// None of the plan's folders is taken; what a person decided may still be recorded.
  void StageNothing();
  Result<table::Change> BuildChange();
  std::vector<Settlement> SettledNow() const;
  table::DataFile ToDataFile(const StagedFolder& folder, const StagedFile& file) const;
  Checkpoint NewCheckpoint() const;
  void Describe(table::Change& change) const;
  Status Commit(table::Change change);

  store::ObjectStore& bucket_;
  store::ObjectStore& lake_;
  const bucket::BucketView& view_;
  TablePlan plan_;
  TableState state_;
  const Inspect inspect_;
  const IngestOptions& options_;
  JobOutcome out_;

  std::vector<StagedFolder> staged_;  // in the order of C-20
  DeliverySet failed_;                // folders that became problems
  DeliverySet cold_;                  // folders that turned out to lie in cold storage
  schema::Schema schema_;
  int last_column_id_ = 0;
  table::LiveFiles live_;  // of the current snapshot; append only
  std::map<contract::Delivery, Result<SourceFolder>> inspected_;
  uint32_t shares_ = 1;
  const uint64_t seed_ = RandomBits();
  Supersede supersede_;                            // of the first share of the keys
  std::vector<FolderKeys> keys_;                   // parallel to staged_
  std::vector<std::vector<KeyFile>> key_files_;    // parallel to staged_
  std::vector<int64_t> repeats_;                   // parallel to staged_
  std::map<uint32_t, std::vector<int64_t>> dead_;  // by file number
  std::vector<uint32_t> live_numbers_;             // parallel to live_.data
  struct NumberedFile {
    std::string location;
    contract::Delivery delivery;
    std::vector<std::optional<std::string>> partition;
    int spec_id = 0;
    std::string source_name;  // of a staged file: its name in the delivered folder
  };
  std::vector<NumberedFile> numbered_;  // by file number of supersede_
};

}  // namespace tidegate::ingest
