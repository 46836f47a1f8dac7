#include "tidegate/ingest/staged_folder.h"

#include <algorithm>
#include <charconv>

#include "tidegate/base/hash.h"
#include "tidegate/base/text.h"
#include "tidegate/ingest/schema_fit.h"
#include "tidegate/parquet/rewrite.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::ingest {
namespace {

/// A delivered name as a part of a lake path that no reader misreads: other characters become '_'.
std::string SafeStem(std::string_view key) {
  std::string_view name = key.substr(key.rfind('/') + 1);
  if (name.ends_with(".parquet")) name.remove_suffix(std::string_view(".parquet").size());
  std::string out(name.substr(0, 64));
  std::replace_if(
      out.begin(), out.end(),
      [](char c) {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        return !plain;
      },
      '_');
  return out;
}

std::string Fingerprint(const store::ObjectInfo& source) {
  return HashBytes(source.key + '\0' + std::to_string(source.size_bytes) + '\0' + source.etag).ToHex().substr(0, 16);
}

Status Rewrite(store::RandomReader& source, store::ObjectStore& lake, const std::string& key, StagedFile& staged) {
  parquet::RewriteRequest request;
  for (const std::string& column : staged.reserved_columns) request.drop_columns.insert(ToLower(column));
  TG_ASSIGN_OR_RETURN(auto writer, lake.NewWriter(key, store::PutMode::kOverwrite));
  TG_RETURN_IF_ERROR(parquet::RewriteFile(source, request, *writer));
  TG_ASSIGN_OR_RETURN(staged.object, writer->Finish());
  // Another ingest may have staged it again meanwhile, with the same bytes.
  TG_ASSIGN_OR_RETURN(auto copy, store::OpenCurrent(lake, key));
  TG_ASSIGN_OR_RETURN(staged.info, parquet::ReadFileInfo(*copy));
  staged.rewritten = true;
  return {};
}

Result<StagedFile> StageFile(store::ObjectStore& bucket, store::ObjectStore& lake, const contract::Folder& folder,
                             const store::ObjectInfo& source, int64_t generation) {
  StagedFile staged;
  staged.source = source;
  TG_ASSIGN_OR_RETURN(auto reader, bucket.Open(source));
  TG_ASSIGN_OR_RETURN(staged.info, parquet::ReadFileInfo(*reader));
  staged.reserved_columns = ReservedColumns(staged.info.columns, folder.mode);
  const std::string key = LakeFileKey(folder, source, generation);
  if (!staged.info.obstacles.empty() || !staged.reserved_columns.empty()) {
    TG_RETURN_IF_ERROR(Rewrite(*reader, lake, key, staged));
    return staged;
  }
  store::AdoptMethod method;
  TG_ASSIGN_OR_RETURN(staged.object, lake.Adopt(bucket, source, key, &method));
  return staged;
}

}  // namespace

int64_t StagedFolder::rows() const {
  int64_t sum = 0;
  for (const StagedFile& file : files) sum += file.info.rows;
  return sum;
}

int64_t FileGenerationOf(const table::TableMetadata& metadata) {
  const auto found = metadata.properties.find(kFileGenerationKey);
  if (found == metadata.properties.end()) return 0;
  int64_t out = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [stop, error] = std::from_chars(found->second.data(), end, out);
  constexpr int64_t kMost = 1'000'000'000'000;
  return error == std::errc() && stop == end && out >= 0 && out < kMost ? out : 0;
}

std::string LakeFileKey(const contract::Folder& folder, const store::ObjectInfo& source, int64_t generation) {
  return table::FolderOf(folder.table) + "/data/" + folder.delivery.ToString() + "/" + SafeStem(source.key) + "-" +
         Fingerprint(source) + (generation == 0 ? "" : "-g" + std::to_string(generation)) + ".parquet";
}

std::string RejectFileKey(const contract::Folder& folder) {
  return table::FolderOf(folder.table) + "/rejects/" + folder.delivery.ToString() + ".parquet";
}

Result<StagedFolder> StageFolder(store::ObjectStore& bucket, store::ObjectStore& lake, const contract::Folder& folder,
                                 int64_t generation) {
  StagedFolder staged;
  TG_ASSIGN_OR_RETURN(staged.folder, bucket::ReadFolder(bucket, folder));
  if (!staged.folder.sealed()) {
    return PreconditionFailed("the folder lost its _SUCCESS while it was read: " + folder.Path());
  }
  if (!staged.folder.refused.empty()) {  // rows would be lost without a word
    return Unsupported("cannot read a data file of the folder: " + Quoted(staged.folder.refused.front()) +
                       ": it is a symlink or no regular file, or its name cannot be a key; put the real file there");
  }
  for (const store::ObjectInfo& source : staged.folder.files) {
    TG_ASSIGN_OR_RETURN(StagedFile file, StageFile(bucket, lake, folder, source, generation));
    staged.files.push_back(std::move(file));
  }
  return staged;
}

}  // namespace tidegate::ingest
