// Staging: bring the files of one sealed folder into the lake, unseen by readers until the commit that names them.
//
// 1. InspectFolder lists the folder and reads each file's footer, pinned to the ETag that was listed. Nothing is
//    written, so whether the folder can be taken at all is decided for free.
// 2. StageFolder adopts each file (link or copy, never changed) or, where a reader would get its columns wrong,
//    rewrites it (C-28).
//
// Names in the lake carry a fingerprint of the source, so staging again after a crash ends in the same objects, and a
// replaced source never overwrites an applied file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/bucket/bucket_view.h"
#include "tidegate/parquet/file_info.h"
#include "tidegate/schema/schema.h"
#include "tidegate/store/object_store.h"

namespace tidegate::ingest {

/// A delivered file, seen but not taken.
struct SourceFile {
  store::ObjectInfo object;
  parquet::FileInfo info;
  std::vector<std::string> reserved_columns;          // to be left out (C-26)
  std::map<std::string, schema::Field> take_as = {};  // on a person's word: columns to be renamed or cast

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

/// Where a delivered file lies in the lake: "shop/orders/data/v2/2026-11-03/03/0000_part_00-<fingerprint>.parquet".
std::string LakeFileKey(const contract::Folder& folder, const store::ObjectInfo& source);

/// Where the rows of a folder that the table cannot take are told: "shop/orders/rejects/v2/2026-11-03/03.parquet"
/// (C-23).
std::string RejectFileKey(const contract::Folder& folder);

/// Errors: NotFound (the folder or a file is gone), PreconditionFailed (a file was replaced meanwhile, or the folder is
/// no longer sealed), Corruption and Unsupported (a file that cannot be read, named), else of the bucket.
Result<SourceFolder> InspectFolder(store::ObjectStore& bucket, const contract::Folder& folder);

/// Errors: as InspectFolder; InvalidArgument (a value that does not fit where it must go, C-25); else of the stores.
Result<StagedFolder> StageFolder(store::ObjectStore& bucket, store::ObjectStore& lake, const SourceFolder& folder);

}  // namespace tidegate::ingest
