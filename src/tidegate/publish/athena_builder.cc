#include "tidegate/publish/athena_builder.h"

#include <algorithm>
#include <iterator>

#include "tidegate/athena/unload.h"
#include "tidegate/base/text.h"
#include "tidegate/parquet/file_info.h"
#include "tidegate/publish/audit.h"

namespace tidegate::publish {
namespace {

constexpr const char* kStay = "; readers stay where they are";

/// Those of `a` that `b` lacks. Requires: both are sorted.
std::vector<std::string> Missing(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> out;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

Result<std::vector<RunFile>> ReadFooters(store::ObjectStore& store, const std::vector<store::ObjectInfo>& objects,
                                         size_t name_begins) {
  std::vector<RunFile> out;
  out.reserve(objects.size());
  for (const store::ObjectInfo& object : objects) {
    TG_ASSIGN_OR_RETURN(const auto reader, store.Open(object));
    const auto info = parquet::ReadFileInfo(*reader);
    if (!info.ok()) return info.status().WithContext("a file that Athena wrote");
    out.push_back({object.key.substr(name_begins), object.size_bytes, info->rows});
  }
  return out;
}

}  // namespace

Result<std::optional<Foresight>> AthenaBuilder::Begin(const std::string& select) {
  select_ = select;
  files_.clear();
  shown_ = false;
  return std::optional<Foresight>();
}

Result<std::vector<RunFile>> AthenaBuilder::Write(store::ObjectStore& store, const std::string& folder) {
  const std::string to = store.Location(folder) + "/";
  TG_ASSIGN_OR_RETURN(const std::string statement,
                      athena::UnloadStatement({.select = select_, .to = to, .compression = parts_.compression}));
  TG_ASSIGN_OR_RETURN(const athena::QueryReport query,
                      parts_.client.Run(statement, "the build of " + Quoted(to, 1200)));
  TG_ASSIGN_OR_RETURN(const store::Listing listing, store.List({.prefix = folder + "/"}));
  for (const std::string& key : listing.refused) files_.push_back(store.Location(key));
  for (const store::ObjectInfo& object : listing.objects) files_.push_back(store.Location(object.key));
  std::sort(files_.begin(), files_.end());
  TG_RETURN_IF_ERROR(CheckManifest(query, files_, to));
  TG_ASSIGN_OR_RETURN(auto files, ReadFooters(store, listing.objects, folder.size() + 1));
  TG_RETURN_IF_ERROR(CheckCount(query, files));
  return files;
}

Status AthenaBuilder::CheckManifest(const athena::QueryReport& query, const std::vector<std::string>& there,
                                    const std::string& folder) const {
  const std::string at = athena::ManifestLocation(query);
  auto text = parts_.read_object(at, athena::kMaxManifestBytes);
  if (!text.ok()) {
    return text.status().WithContext("the list of the files that Athena wrote cannot be read" + std::string(kStay));
  }
  const auto named = athena::ReadManifest(*text);
  if (!named.ok()) return named.status().WithContext(Quoted(at, 1200));
  const auto lost = Missing(*named, there), unknown = Missing(there, *named);
  if (!lost.empty()) {
    return Corruption("Athena's manifest " + Quoted(at, 1200) + " names " + Quoted(lost.front(), 1200) +
                      ", which is not there" + kStay);
  }
  if (!unknown.empty()) {
    return Corruption("Athena's manifest " + Quoted(at, 1200) + " does not name " + Quoted(unknown.front(), 1200) +
                      ", which lies in the folder of the new run" + kStay);
  }
  if (!named->empty()) return {};
  return InvalidArgument("the SELECT gave no rows, and Athena wrote no file to " + Quoted(folder, 1200) +
                         ": an empty partition cannot be built with Athena; check the SELECT and its source");
}

Status AthenaBuilder::CheckCount(const athena::QueryReport& query, const std::vector<RunFile>& files) const {
  TG_ASSIGN_OR_RETURN(const auto counted, parts_.client.WrittenRows(query));
  int64_t rows = 0;
  for (const RunFile& file : files) rows += file.rows;
  if (!counted || *counted == rows) return {};
  return Corruption("Athena counted " + HumanCount(*counted) + " rows in query " + Quoted(query.id, 80) +
                    ", its files hold " + HumanCount(rows) + kStay);
}

Status AthenaBuilder::ShowToAudits() {
  TG_RETURN_IF_ERROR(parts_.let_read(parts_.db));
  std::vector<std::string> paths;
  paths.reserve(files_.size());
  for (const std::string& location : files_) {
    TG_ASSIGN_OR_RETURN(const std::string path, parts_.engine_path(location));
    paths.push_back(engine::SqlText(path));
  }
  shown_ = true;
  return parts_.db.Execute(std::string("CREATE OR REPLACE TEMP VIEW ") + kBuildRelation +
                           " AS SELECT * FROM read_parquet([" + Join(paths, ", ") +
                           "], union_by_name = true, hive_partitioning = false)");
}

Result<int64_t> AthenaBuilder::CountRows(const std::string& query) {
  if (!shown_) TG_RETURN_IF_ERROR(ShowToAudits());
  TG_ASSIGN_OR_RETURN(const auto rows, parts_.db.QueryAll("SELECT count(*) FROM (\n" + query + "\n)"));
  return std::stoll(rows.at(0).at(0).value());
}

}  // namespace tidegate::publish
