#include "tidegate/ingest/staged_folder.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>
#include <span>
#include <utility>

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

/// Reads of a copy in the lake, under the name that people know: that of the delivered file.
class CopyReader final : public store::RandomReader {
 public:
  CopyReader(const store::ObjectInfo& source, std::unique_ptr<store::RandomReader> copy)
      : source_(source), copy_(std::move(copy)) {}
  const store::ObjectInfo& info() const override { return source_; }
  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) override { return copy_->ReadAt(offset, out); }

 private:
  const store::ObjectInfo source_;
  const std::unique_ptr<store::RandomReader> copy_;
};

/// Does `use` with a reader of the file: of its copy, where there is one. Another ingest may put that there again, or
/// remove it, at any moment: then the bucket has it, and it counts as not adopted.
Status WithReader(store::ObjectStore& bucket, store::ObjectStore& lake, SourceFile& file,
                  const std::function<Status(store::RandomReader&)>& use) {
  if (file.copy) {
    auto copy = store::OpenCurrent(lake, file.copy->key);
    Status done = copy.status();
    if (copy.ok()) {
      CopyReader reader(file.object, *std::move(copy));
      done = use(reader);
    }
    if (done.code() != Code::kNotFound && done.code() != Code::kPreconditionFailed) return done;
    file.copy.reset();
  }
  TG_ASSIGN_OR_RETURN(auto reader, bucket.Open(file.object));
  return use(*reader);
}

Result<SourceFile> InspectFile(store::ObjectStore& bucket, store::ObjectStore& lake, const contract::Folder& folder,
                               const store::ObjectInfo& object, Inspect where, int64_t generation) {
  SourceFile file;
  file.object = object;
  if (where == Inspect::kInLake) {
    const std::string key = DeliveredFileKey(folder, object, generation);
    file.copy_is_new = lake.Head(key).status().code() == Code::kNotFound;
    store::AdoptMethod method;
    TG_ASSIGN_OR_RETURN(file.copy, lake.Adopt(bucket, object, key, &method));
  }
  const auto read_info = [&](store::RandomReader& reader) -> Status {
    TG_ASSIGN_OR_RETURN(file.info, parquet::ReadFileInfo(reader));
    return {};
  };
  TG_RETURN_IF_ERROR(WithReader(bucket, lake, file, read_info));
  file.reserved_columns = ReservedColumns(file.info.columns, folder.mode);
  return file;
}

/// Of a rewritten file. One that was cast has a name of its own: the file as it is may be in the lake, too.
std::string RewrittenKey(const contract::Folder& folder, const SourceFile& file, int64_t generation) {
  std::string key = LakeFileKey(folder, file.object, generation);
  if (file.take_as.empty()) return key;
  std::string text;
  for (const auto& [name, field] : file.take_as) {
    text += name + '\0' + field.name + '\0' + schema::TypeName(field.type) + '\n';
  }
  key.resize(key.size() - std::string_view(".parquet").size());
  return key + "-as-" + HashBytes(text).ToHex().substr(0, 8) + ".parquet";
}

Status Rewrite(store::ObjectStore& bucket, SourceFile source, store::ObjectStore& lake, const std::string& key,
               StagedFile& staged) {
  parquet::RewriteRequest request;
  for (const std::string& column : source.reserved_columns) request.drop_columns.insert(ToLower(column));
  request.take_as = source.take_as;
  const auto write = [&](store::RandomReader& reader) -> Status {
    TG_ASSIGN_OR_RETURN(auto writer, lake.NewWriter(key, store::PutMode::kOverwrite));
    TG_RETURN_IF_ERROR(parquet::RewriteFile(reader, request, *writer));
    TG_ASSIGN_OR_RETURN(staged.object, writer->Finish());
    return {};
  };
  TG_RETURN_IF_ERROR(WithReader(bucket, lake, source, write));
  // Another ingest may have staged it again meanwhile, with the same bytes.
  TG_ASSIGN_OR_RETURN(auto copy, store::OpenCurrent(lake, key));
  TG_ASSIGN_OR_RETURN(staged.info, parquet::ReadFileInfo(*copy));
  staged.rewritten = true;
  // One that was there before may be named by a table: an earlier version of tidegate may have taken it as it is.
  if (source.copy && source.copy_is_new) return lake.Delete({source.copy->key});
  return {};
}

Result<StagedFile> StageFile(store::ObjectStore& bucket, store::ObjectStore& lake, const contract::Folder& folder,
                             const SourceFile& source, int64_t generation) {
  StagedFile staged;
  staged.source = source.object;
  staged.reserved_columns = source.reserved_columns;
  if (source.needs_rewrite()) {
    TG_RETURN_IF_ERROR(Rewrite(bucket, source, lake, RewrittenKey(folder, source, generation), staged));
    return staged;
  }
  staged.info = source.info;
  if (source.copy) {
    staged.object = *source.copy;
    return staged;
  }
  store::AdoptMethod method;
  TG_ASSIGN_OR_RETURN(staged.object,
                      lake.Adopt(bucket, source.object, DeliveredFileKey(folder, source.object, generation), &method));
  return staged;
}

/// "shop/orders/data/v2/2026-11-03/03/0000_part_00-<fingerprint>", with the generation.
std::string LakeStem(const contract::Folder& folder, const store::ObjectInfo& source, int64_t generation) {
  return table::FolderOf(folder.table) + "/data/" + folder.delivery.ToString() + "/" + SafeStem(source.key) + "-" +
         Fingerprint(source) + (generation == 0 ? "" : "-g" + std::to_string(generation));
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

int64_t FileGenerationOf(const table::TableMetadata& metadata) {
  const auto found = metadata.properties.find(kFileGenerationKey);
  if (found == metadata.properties.end()) return 0;
  int64_t out = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [stop, error] = std::from_chars(found->second.data(), end, out);
  constexpr int64_t kMost = 1'000'000'000'000;
  return error == std::errc() && stop == end && out >= 0 && out < kMost ? out : 0;
}

int64_t SourceFolder::rows() const { return RowsOf(files); }
int64_t StagedFolder::rows() const { return RowsOf(files); }

std::string DeliveredFileKey(const contract::Folder& folder, const store::ObjectInfo& source, int64_t generation) {
  return LakeStem(folder, source, generation) + "-delivered.parquet";
}

std::string LakeFileKey(const contract::Folder& folder, const store::ObjectInfo& source, int64_t generation) {
  return LakeStem(folder, source, generation) + ".parquet";
}

std::string RejectFileKey(const contract::Folder& folder) {
  return table::FolderOf(folder.table) + "/rejects/" + folder.delivery.ToString() + ".parquet";
}

Result<SourceFolder> InspectFolder(store::ObjectStore& bucket, store::ObjectStore& lake, const contract::Folder& folder,
                                   Inspect where, int64_t generation) {
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
    TG_ASSIGN_OR_RETURN(SourceFile file, InspectFile(bucket, lake, folder, object, where, generation));
    out.files.push_back(std::move(file));
  }
  return out;
}

Result<StagedFolder> StageFolder(store::ObjectStore& bucket, store::ObjectStore& lake, const SourceFolder& folder,
                                 int64_t generation) {
  StagedFolder staged;
  staged.folder = folder.state;
  for (const SourceFile& source : folder.files) {
    TG_ASSIGN_OR_RETURN(StagedFile file, StageFile(bucket, lake, folder.state.folder, source, generation));
    staged.files.push_back(std::move(file));
  }
  return staged;
}

}  // namespace tidegate::ingest
