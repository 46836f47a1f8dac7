// Staging: bring the files of one sealed folder into the lake, unseen by readers until the commit that names them.
//
// 1. InspectFolder lists the folder and reads each file's footer. It asks the bucket once a file: the file is adopted
//    (link or copy, never changed), and its footer read from the copy. A file may thus lie in the lake whose folder is
//    refused afterwards; nothing names it, and an expiry removes it. Where something of the table is open, and the
//    folder may be one that is tried in every run, footers are read in the bucket instead, and nothing is written.
// 2. StageFolder adopts what is not adopted yet and rewrites a file where a reader would get its columns wrong (C-28).
//
// What is taken is the very object that was listed (its ETag). Names in the lake carry a fingerprint of it, so staging
// again after a crash ends in the same objects, and a replaced source never overwrites an applied file. A copy and a
// rewritten file have names of their own: one name always stands for the same bytes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/parquet/file_info.h"
#include "tidegate/schema/schema.h"
#include "tidegate/store/object_store.h"
#include "tidegate/table/metadata.h"

namespace tidegate::ingest {

/// A delivered file, seen but not taken.
struct SourceFile {
  store::ObjectInfo object;
  parquet::FileInfo info;
  std::vector<std::string> reserved_columns;          // to be left out (C-26)
  std::map<std::string, schema::Field> take_as = {};  // on a person's word: columns to be renamed or cast
  std::optional<store::ObjectInfo> copy = {};         // in the lake, where it was adopted to be looked at
  bool copy_is_new = false;                           // there was none before: no table can name it

  bool needs_rewrite() const { return !info.obstacles.empty() || !reserved_columns.empty() || !take_as.empty(); }
  /// The columns it will have in the lake.
  std::vector<schema::Field> LakeColumns() const;
};

struct SourceFolder {
  bucket::FolderState state;  // as listed after its seal was seen
  std::vector<SourceFile> files;
  int64_t rows() const;
};

struct StagedFile {
  store::ObjectInfo source;
  store::ObjectInfo object;  // in the lake
  parquet::FileInfo info;    // of the object in the lake
  bool rewritten = false;
  std::vector<std::string> reserved_columns;  // left out of the rewritten file (C-26)
};

struct StagedFolder {
  bucket::FolderState folder;
  std::vector<StagedFile> files;
  bool kept = false;  // not from the bucket: it is gone there, and the table keeps its rows (C-14)
  int64_t rows() const;
};

/// Where a delivered file lies in the lake as it is:
/// "shop/orders/data/v2/2026-11-03/03/0000_part_00-<fingerprint>-delivered.parquet".
std::string DeliveredFileKey(const contract::Folder& folder, const store::ObjectInfo& source, int64_t generation = 0);

/// Where it lies rewritten: "shop/orders/data/v2/2026-11-03/03/0000_part_00-<fingerprint>.parquet". In a later
/// generation of names both have "-g<generation>" after the fingerprint. (Earlier versions of tidegate kept files as
/// they are by this name, too.)
std::string LakeFileKey(const contract::Folder& folder, const store::ObjectInfo& source, int64_t generation = 0);

/// The table property that begins the names of data files anew. A full refresh raises it by one. An expiry raises it by
/// two in a commit before it removes data files: a run that loaded the table before must plan again, and one that loads
/// it after never takes up a name that may be about to go.
inline constexpr const char* kFileGenerationKey = "tidegate.file-generation";

/// 0 where the table does not say, or says nonsense.
int64_t FileGenerationOf(const table::TableMetadata& metadata);

/// Where the rows of a folder that the table cannot take are told: "shop/orders/rejects/v2/2026-11-03/03.parquet"
/// (C-23).
std::string RejectFileKey(const contract::Folder& folder);

/// Where InspectFolder reads the footers.
enum class Inspect {
  kInLake,    // of copies: one request a file to the bucket
  kInBucket,  // nothing is written
};

/// Errors: NotFound (the folder or a file is gone), PreconditionFailed (a file was replaced meanwhile, or the folder is
/// no longer sealed), Corruption and Unsupported (a file that cannot be read, named), else of the stores.
Result<SourceFolder> InspectFolder(store::ObjectStore& bucket, store::ObjectStore& lake, const contract::Folder& folder,
                                   Inspect where, int64_t generation = 0);

/// Errors: as InspectFolder; InvalidArgument (a value that does not fit where it must go, C-25); else of the stores.
Result<StagedFolder> StageFolder(store::ObjectStore& bucket, store::ObjectStore& lake, const SourceFolder& folder,
                                 int64_t generation = 0);

}  // namespace tidegate::ingest
