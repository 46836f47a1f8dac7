#include "tidegate/ingest/staged_folder.h"

#include <algorithm>

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

Result<SourceFile> InspectFile(store::ObjectStore& bucket, const contract::Folder& folder,
                               const store::ObjectInfo& object) {
  SourceFile file;
  file.object = object;
  TG_ASSIGN_OR_RETURN(auto reader, bucket.Open(object));
  TG_ASSIGN_OR_RETURN(file.info, parquet::ReadFileInfo(*reader));
  file.reserved_columns = ReservedColumns(file.info.columns, folder.mode);
  return file;
}

/// A file that was cast has a name of its own: the file as it is may be in the lake, too.
std::string KeyOf(const contract::Folder& folder, const SourceFile& file) {
  std::string key = LakeFileKey(folder, file.object);
  if (file.take_as.empty()) return key;
  std::string text;
  for (const auto& [name, field] : file.take_as) {
    text += name + '\0' + field.name + '\0' + schema::TypeName(field.type) + '\n';
  }
  key.resize(key.size() - std::string_view(".parquet").size());
  return key + "-as-" + HashBytes(text).ToHex().substr(0, 8) + ".parquet";
}

Status Rewrite(store::ObjectStore& bucket, const SourceFile& source, store::ObjectStore& lake, const std::string& key,
               StagedFile& staged) {
  parquet::RewriteRequest request;
  for (const std::string& column : source.reserved_columns) request.drop_columns.insert(ToLower(column));
  request.take_as = source.take_as;
  TG_ASSIGN_OR_RETURN(auto reader, bucket.Open(source.object));
  TG_ASSIGN_OR_RETURN(auto writer, lake.NewWriter(key, store::PutMode::kOverwrite));
  TG_RETURN_IF_ERROR(parquet::RewriteFile(*reader, request, *writer));
  TG_ASSIGN_OR_RETURN(staged.object, writer->Finish());
  // Another ingest may have staged it again meanwhile, with the same bytes.
  TG_ASSIGN_OR_RETURN(auto copy, store::OpenCurrent(lake, key));
  TG_ASSIGN_OR_RETURN(staged.info, parquet::ReadFileInfo(*copy));
  staged.rewritten = true;
  return {};
}

Result<StagedFile> StageFile(store::ObjectStore& bucket, store::ObjectStore& lake, const contract::Folder& folder,
                             const SourceFile& source) {
  StagedFile staged;
  staged.source = source.object;
  staged.reserved_columns = source.reserved_columns;
  const std::string key = KeyOf(folder, source);
  if (source.needs_rewrite()) {
    TG_RETURN_IF_ERROR(Rewrite(bucket, source, lake, key, staged));
    return staged;
  }
  staged.info = source.info;
  store::AdoptMethod method;
  TG_ASSIGN_OR_RETURN(staged.object, lake.Adopt(bucket, source.object, key, &method));
  return staged;
}

template <typename Files>
int64_t RowsOf(const Files& files) {
  int64_t sum = 0;
  for (const auto& file : files) sum += file.info.rows;
  return sum;
}

}  // namespace

std::vector<schema::Field> SourceFile::LakeColumns() const {
  std::vector<schema::Field> out;
  for (const schema::Field& column : info.columns) {
    if (std::find(reserved_columns.begin(), reserved_columns.end(), column.name) != reserved_columns.end()) continue;
    const auto other = take_as.find(column.name);
    out.push_back(other == take_as.end() ? column : other->second);
  }
  return out;
}

int64_t SourceFolder::rows() const { return RowsOf(files); }
int64_t StagedFolder::rows() const { return RowsOf(files); }

std::string LakeFileKey(const contract::Folder& folder, const store::ObjectInfo& source) {
  return table::FolderOf(folder.table) + "/data/" + folder.delivery.ToString() + "/" + SafeStem(source.key) + "-" +
         Fingerprint(source) + ".parquet";
}

std::string RejectFileKey(const contract::Folder& folder) {
  return table::FolderOf(folder.table) + "/rejects/" + folder.delivery.ToString() + ".parquet";
}

Result<SourceFolder> InspectFolder(store::ObjectStore& bucket, const contract::Folder& folder) {
  SourceFolder out;
  TG_ASSIGN_OR_RETURN(out.state, bucket::ReadFolder(bucket, folder));
  if (!out.state.sealed()) {
    return PreconditionFailed("the folder lost its _SUCCESS while it was read: " + folder.Path());
  }
  if (!out.state.refused.empty()) {  // rows would be lost without a word
    return Unsupported("cannot read a data file of the folder: " + Quoted(out.state.refused.front()) +
                       ": it is a symlink or no regular file, or its name cannot be a key; put the real file there");
  }
  for (const store::ObjectInfo& object : out.state.files) {
    TG_ASSIGN_OR_RETURN(SourceFile file, InspectFile(bucket, folder, object));
    out.files.push_back(std::move(file));
  }
  return out;
}

Result<StagedFolder> StageFolder(store::ObjectStore& bucket, store::ObjectStore& lake, const SourceFolder& folder) {
  StagedFolder staged;
  staged.folder = folder.state;
  for (const SourceFile& source : folder.files) {
    TG_ASSIGN_OR_RETURN(StagedFile file, StageFile(bucket, lake, folder.state.folder, source));
    staged.files.push_back(std::move(file));
  }
  return staged;
}

}  // namespace tidegate::ingest
