#include "tidegate/declare/declaration.h"

#include <algorithm>
#include <set>

#include "tidegate/base/text.h"
#include "tidegate/catalog/hive_type.h"

namespace tidegate::declare {
namespace {

using bucket::FolderMap;
using bucket::FolderState;
using catalog::HiveColumn;
using contract::TableMode;
using contract::Version;

std::string CatalogName(std::string_view text) {
  std::string out = ToLower(text);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

/// The newest of a map for which `fits` holds; null where there is none.
template <typename Fits>
const FolderState* Newest(const FolderMap& folders, Fits fits) {
  const auto found = std::find_if(folders.rbegin(), folders.rend(), [&](const auto& entry) {
    return entry.second.sealed() && fits(entry.first, entry.second);
  });
  return found == folders.rend() ? nullptr : &found->second;
}

/// The shape of a table: that of its newest sealed folder.
TableMode ShapeOf(const bucket::TableFolders& folders) {
  const auto any = [](const auto&, const auto&) { return true; };
  const FolderState *full = Newest(folders.full, any), *parts = Newest(folders.parts, any);
  if (full == nullptr || parts == nullptr) return parts == nullptr ? TableMode::kFull : TableMode::kParts;
  return parts->folder.delivery < full->folder.delivery ? TableMode::kFull : TableMode::kParts;
}

std::vector<HiveColumn> PartitionColumns(TableMode mode, Version version) {
  const std::string stem = mode == TableMode::kFull ? "snapshot" : "etl";
  std::vector<HiveColumn> out = {{stem + "_date", "string"}};
  if (version == Version::kV2) out.push_back({stem + "_hour", "string"});
  return out;
}

bool IsPlainName(std::string_view name) {
  return !name.empty() &&
         std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == '`' || c == 0x7f; });
}

/// One bucket table on its way.
class Maker {
 public:
  Maker(const contract::TableName& name, const bucket::TableFolders& folders, bool v2_began,
        const DeclareOptions& options, const ColumnsOf& columns_of, Declared& out)
      : name_(name),
        mode_(ShapeOf(folders)),
        folders_(mode_ == TableMode::kFull ? folders.full : folders.parts),
        v2_began_(v2_began),
        options_(options),
        columns_of_(columns_of),
        out_(out) {}

  void Make() {
    for (const Version version : {Version::kV1, Version::kV2}) MakeVersion(version);
    if (mode_ == TableMode::kFull) MakeNewest();
  }

 private:
  void Problem(const std::string& what) { out_.problems.push_back(name_.ToString() + ": " + what); }

  catalog::HiveName NameOf(const std::string& suffix) const {
    return {CatalogName(options_.database.empty() ? name_.schema : options_.database),
            CatalogName(name_.table) + suffix};
  }

  void MakeVersion(Version version) {
    const auto of_version = [&](const contract::Delivery& delivery, const FolderState&) {
      return delivery.version == version;
    };
    if (Newest(folders_, of_version) == nullptr) return;
    const FolderState* with_files = Newest(folders_, [&](const auto& delivery, const FolderState& folder) {
      return delivery.version == version && !folder.files.empty();
    });
    const std::string version_name(contract::VersionName(version));
    if (with_files == nullptr) return Problem(version_name + " has no sealed folder with a file yet; it is left out");
    Declaration made;
    made.table.name = NameOf("_" + version_name);
    made.table.partition_columns = PartitionColumns(mode_, version);
    made.table.location = options_.location(version_name + "/" + name_.schema + "/" + name_.table);
    if (!ReadColumns(*with_files, made)) return;
    for (const auto& [delivery, folder] : folders_) {
      if (delivery.version != version || !folder.sealed()) continue;
      catalog::PartitionValues values = {delivery.date};
      if (version == Version::kV2) values.emplace_back(delivery.hour);
      AddPartition(folder, std::move(values), made);
    }
    out_.tables.push_back(std::move(made));
  }

  void MakeNewest() {
    const auto usable = [&](const contract::Delivery& delivery, const FolderState&) {
      return v2_began_ || delivery.version == Version::kV1;
    };
    const FolderState* newest = Newest(folders_, usable);
    const FolderState* with_files = Newest(folders_, [&](const auto& delivery, const FolderState& folder) {
      return usable(delivery, folder) && !folder.files.empty();
    });
    if (with_files == nullptr) return;  // said already
    Declaration made;
    made.newest = true;
    made.table.name = NameOf("");
    made.table.partition_columns = {{kCopyColumn, "string"}};
    made.table.location = options_.location(std::string(contract::VersionName(newest->folder.delivery.version)) + "/" +
                                            name_.schema + "/" + name_.table);
    if (!ReadColumns(*with_files, made)) return;
    AddPartition(*newest, {kNewestCopy}, made);
    out_.tables.push_back(std::move(made));
  }

  void AddPartition(const FolderState& folder, catalog::PartitionValues values, Declaration& to) const {
    to.partitions.push_back({.values = std::move(values),
                             .location = options_.location(folder.folder.Path()),
                             .columns = to.table.columns});
    for (const store::ObjectInfo& file : folder.files) to.files.push_back(options_.location(file.key));
  }

  /// False: the table is left out.
  bool ReadColumns(const FolderState& folder, Declaration& to) {
    catalog::HiveTable& table = to.table;
    const auto fields = columns_of_(folder);
    if (!fields.ok()) {
      Problem(fields.status().message() + "; the table " + table.name.ToString() + " is left out");
      return false;
    }
    to.like_file = options_.location(folder.files.front().key);
    std::set<std::string> seen;
    for (const HiveColumn& column : table.partition_columns) seen.insert(column.name);
    for (const schema::Field& field : *fields) AddColumn(field, seen, table);
    return true;
  }

  void AddColumn(const schema::Field& field, std::set<std::string>& seen, catalog::HiveTable& table) {
    const auto type = catalog::HiveType(field.type);
    const std::string shown = "column " + Quoted(field.name) + " of " + table.name.ToString();
    if (!type.ok()) return Problem(shown + " is left out: " + type.status().message());
    if (!IsPlainName(field.name)) return Problem(shown + " is left out: a catalog cannot hold its name");
    if (!seen.insert(ToLower(field.name)).second) {
      return Problem(shown + " is left out: another column, or a partition column, has that name");
    }
    table.columns.push_back({ToLower(field.name), *type});
  }

  const contract::TableName& name_;
  const TableMode mode_;
  const FolderMap& folders_;
  const bool v2_began_;
  const DeclareOptions& options_;
  const ColumnsOf& columns_of_;
  Declared& out_;
};

}  // namespace

Declared DeclareTables(const bucket::BucketView& view, const DeclareOptions& options, const ColumnsOf& columns_of) {
  Declared out;
  for (const auto& [name, folders] : view.tables) {
    Maker(name, folders, view.has_v2_manifest_key, options, columns_of, out).Make();
  }
  std::set<catalog::HiveName> names;
  std::erase_if(out.tables, [&](const Declaration& one) {
    if (names.insert(one.table.name).second) return false;
    out.problems.push_back("two tables of the bucket would be called " + one.table.name.ToString() + "; that of " +
                           Quoted(one.table.location, 1200) + " is left out: choose one with --table");
    return true;
  });
  return out;
}

}  // namespace tidegate::declare
