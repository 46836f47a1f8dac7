#include "tidegate/contract/folder.h"

#include <algorithm>
#include <cassert>
#include <cstdio>

#include "tidegate/base/text.h"
#include "tidegate/base/time.h"

namespace tidegate::contract {
namespace {

using Segments = std::vector<std::string_view>;

constexpr std::string_view kSnapshotDate = "snapshot_date=";
constexpr std::string_view kSnapshotHour = "snapshot_hour=";
constexpr std::string_view kEtlDate = "etl_date=";
constexpr std::string_view kEtlHour = "etl_hour=";
constexpr std::string_view kManifestFile = "manifest.json";
constexpr std::string_view kNameRule = "a name is letters, digits, '_' and '-', and begins with a letter or digit";

// Places of the segments of a key: version/schema/table/date[/hour]/file.
constexpr size_t kSchemaAt = 1;
constexpr size_t kTableAt = 2;
constexpr size_t kDateAt = 3;
constexpr size_t kHourAt = 4;

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool IsControlName(std::string_view name) { return name.starts_with('_') || name.starts_with('.'); }

// "." and ".." begin with a dot but are attempts to leave a folder, not somebody's bookkeeping: said, not passed over.
bool IsPathTrick(std::string_view name) { return name == "." || name == ".."; }

std::optional<Version> VersionOf(std::string_view segment) {
  if (segment == "v1") return Version::kV1;
  if (segment == "v2") return Version::kV2;
  return std::nullopt;
}

/// The text after a prefix; absent where the text does not begin with it.
std::optional<std::string_view> After(std::string_view prefix, std::string_view text) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

/// Where the file of a folder stands: one further in v2, after the hour.
size_t FilePlace(Version version) { return version == Version::kV1 ? kHourAt : kHourAt + 1; }

/// Read `snapshot_date=D[/snapshot_hour=HH]` or `etl_date=D[/etl_hour=HH]` from a place on. Absent where it does not
/// fit.
std::optional<Delivery> PartitionAt(const Segments& segments, size_t place, Version version, TableMode mode) {
  const bool full = mode == TableMode::kFull;
  const auto date = After(full ? kSnapshotDate : kEtlDate, segments[place]);
  if (!date) return std::nullopt;
  const bool initial = *date == kInitial && !full && version == Version::kV1;
  if (!initial && !IsDate(*date)) return std::nullopt;
  Delivery delivery{version, std::string(*date), ""};
  if (version == Version::kV1) return delivery;
  if (segments.size() <= place + 1) return std::nullopt;
  const auto hour = After(full ? kSnapshotHour : kEtlHour, segments[place + 1]);
  if (!hour || !IsHour(*hour)) return std::nullopt;
  delivery.hour = std::string(*hour);
  return delivery;
}

std::optional<Folder> FolderOf(const Segments& segments, Version version) {
  for (const TableMode mode : {TableMode::kFull, TableMode::kParts}) {
    if (auto delivery = PartitionAt(segments, kDateAt, version, mode)) {
      TableName table{std::string(segments[kSchemaAt]), std::string(segments[kTableAt])};
      return Folder{std::move(table), mode, std::move(*delivery)};
    }
  }
  return std::nullopt;
}

ParsedKey OfKind(ParsedKey::Kind kind) {
  ParsedKey key;
  key.kind = kind;
  return key;
}

ParsedKey ControlOrForeign(std::string_view name) {
  return OfKind(IsControlName(name) ? ParsedKey::Kind::kControl : ParsedKey::Kind::kForeign);
}

ParsedKey BadName(std::string_view what, std::string_view name) {
  ParsedKey key = OfKind(ParsedKey::Kind::kBadName);
  key.bad_name = std::string(name);
  key.detail = "the " + std::string(what) + " name " + Quoted(name) + " is refused: " + std::string(kNameRule);
  return key;
}

/// Judge a segment that names a schema or table; absent where it is a good name.
std::optional<ParsedKey> RefuseName(std::string_view what, std::string_view name) {
  if (IsName(name)) return std::nullopt;
  if (IsControlName(name) && !IsPathTrick(name)) return OfKind(ParsedKey::Kind::kControl);
  return BadName(what, name);
}

ParsedKey ManifestOrControl(const Segments& segments, Version version) {
  const size_t file_at = FilePlace(version) - 1;  // no table among the segments
  if (segments.size() != file_at + 1 || segments[file_at] != kManifestFile) return OfKind(ParsedKey::Kind::kControl);
  auto delivery = PartitionAt(segments, kTableAt, version, TableMode::kFull);
  if (!delivery) return OfKind(ParsedKey::Kind::kControl);
  ParsedKey key = OfKind(ParsedKey::Kind::kManifest);
  key.folder.delivery = std::move(*delivery);
  key.file = std::string(kManifestFile);
  return key;
}

ParsedKey FileOf(Folder folder, std::string_view file) {
  if (file.empty()) return OfKind(ParsedKey::Kind::kForeign);  // "…/": the marker a console leaves for an empty folder
  if (IsControlName(file) && file != kSuccessName) return OfKind(ParsedKey::Kind::kControl);
  ParsedKey key;
  key.file = std::string(file);
  if (file == kSuccessName) {
    key.kind = ParsedKey::Kind::kSuccess;
  } else if (file.ends_with(".parquet")) {
    key.kind = ParsedKey::Kind::kData;
  } else {
    key.kind = ParsedKey::Kind::kStray;
    key.detail = folder.Path() + " holds " + Quoted(file) + ", which is neither a Parquet file nor a control file";
  }
  key.folder = std::move(folder);
  return key;
}

Status NotAFolder(std::string_view path, const std::string& why) {
  return InvalidArgument("not a folder of the contract: " + why +
                         "; a folder looks like v1/SCHEMA/TABLE/etl_date=YYYY-MM-DD or "
                         "v2/SCHEMA/TABLE/snapshot_date=YYYY-MM-DD/snapshot_hour=HH: " +
                         Quoted(path));
}

/// Say why the partition segments of a path are no partition.
std::string WrongPartition(const Segments& segments, Version version) {
  if (segments.size() <= kDateAt) return "it ends before the date";
  const bool full = segments[kDateAt].starts_with(kSnapshotDate);
  const std::string date(full ? kSnapshotDate : kEtlDate);
  const auto value = After(date, segments[kDateAt]);
  if (!value) return Quoted(segments[kDateAt]) + " is neither snapshot_date= nor etl_date=";
  const bool initial_fits = !full && version == Version::kV1;
  if (*value == kInitial && !initial_fits) return "__initial__ exists only as v1/…/etl_date=__initial__";
  if (*value != kInitial && !IsDate(*value)) return Quoted(*value) + " is not a day of the calendar";
  const std::string hour(full ? kSnapshotHour : kEtlHour);
  if (segments.size() <= kHourAt) return "in v2 a " + hour + "HH follows the date";
  return Quoted(segments[kHourAt]) + " is not " + hour + " with an hour from 00 to 23";
}

}  // namespace

std::string_view VersionName(Version version) { return version == Version::kV1 ? "v1" : "v2"; }

std::string_view ModeName(TableMode mode) { return mode == TableMode::kFull ? "full" : "parts"; }

bool IsName(std::string_view text) {
  return !text.empty() && IsLetterOrDigit(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLetterOrDigit(c) || c == '_' || c == '-'; });
}

Result<TableName> ParseTableName(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) {
    return InvalidArgument("a table is written schema.table, with a dot: " + Quoted(text));
  }
  const std::string_view schema = text.substr(0, dot);
  const std::string_view table = text.substr(dot + 1);
  if (IsName(schema) && IsName(table)) return TableName{std::string(schema), std::string(table)};
  const std::string_view wrong = IsName(schema) ? table : schema;
  return InvalidArgument(Quoted(wrong) + " in the table name " + Quoted(text) +
                         " is refused: " + std::string(kNameRule));
}

std::string Delivery::ToString() const {
  std::string text = std::string(VersionName(version)) + "/" + date;
  if (!hour.empty()) text += "/" + hour;
  return text;
}

std::strong_ordering operator<=>(const Delivery& a, const Delivery& b) {
  if (a.version != b.version) return a.version <=> b.version;
  // As text "__initial__" would sort after every date.
  if (a.is_initial() != b.is_initial()) return b.is_initial() <=> a.is_initial();
  if (const auto order = a.date <=> b.date; order != 0) return order;
  return a.hour <=> b.hour;
}

Result<Delivery> ParseDelivery(std::string_view text) {
  const Segments parts = Split(text, '/');
  const auto version = VersionOf(parts[0]);
  const bool day = version == Version::kV1 && parts.size() == 2 && (IsDate(parts[1]) || parts[1] == kInitial);
  const bool hour = version == Version::kV2 && parts.size() == 3 && IsDate(parts[1]) && IsHour(parts[2]);
  if (day) return Delivery{Version::kV1, std::string(parts[1]), ""};
  if (hour) return Delivery{Version::kV2, std::string(parts[1]), std::string(parts[2])};
  return InvalidArgument(
      "a delivery is written v1/YYYY-MM-DD, v1/__initial__ or v2/YYYY-MM-DD/HH, with a day of the calendar and an "
      "hour from 00 to 23: " +
      Quoted(text));
}

std::string Folder::Path() const {
  const bool full = mode == TableMode::kFull;
  std::string path(VersionName(delivery.version));
  path += "/" + table.schema + "/" + table.table + "/";
  path += full ? kSnapshotDate : kEtlDate;
  path += delivery.date;
  if (delivery.version == Version::kV1) return path;
  path += "/";
  path += full ? kSnapshotHour : kEtlHour;
  return path + delivery.hour;
}

Result<Folder> ParseFolder(std::string_view path) {
  const std::string_view trimmed = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  const Segments segments = Split(trimmed, '/');
  const auto version = VersionOf(segments[0]);
  if (!version) return NotAFolder(path, "it begins with neither v1/ nor v2/");
  for (const size_t place : {kSchemaAt, kTableAt}) {
    if (segments.size() <= place) return NotAFolder(path, "it ends before the table");
    if (!IsName(segments[place])) {
      return NotAFolder(path, Quoted(segments[place]) + " is refused: " + std::string(kNameRule));
    }
  }
  auto folder = segments.size() > kDateAt ? FolderOf(segments, *version) : std::nullopt;
  if (!folder) return NotAFolder(path, WrongPartition(segments, *version));
  if (segments.size() > FilePlace(*version)) return NotAFolder(path, "it goes on after the partition");
  return std::move(*folder);
}

std::string ManifestKey(const Delivery& delivery) {
  assert(!delivery.is_initial());
  std::string key(VersionName(delivery.version));
  key.append("/").append(kManifestsName).append("/").append(kSnapshotDate).append(delivery.date).append("/");
  if (delivery.version == Version::kV2) key.append(kSnapshotHour).append(delivery.hour).append("/");
  return key.append(kManifestFile);
}

std::string StateKey(Version version, const TableName& table) {
  return std::string(VersionName(version)) + "/" + table.schema + "/" + table.table + "/" + std::string(kStateName);
}

std::string DataFileName(int slice, int split) {
  assert(slice >= 0 && split >= 0);
  char name[48];
  std::snprintf(name, sizeof name, "%04d_part_%02d.parquet", slice, split);
  return name;
}

ParsedKey ParseKey(std::string_view key) {
  const Segments segments = Split(key, '/');
  const auto version = VersionOf(segments[0]);
  if (!version || segments.size() == 1) return OfKind(ParsedKey::Kind::kForeign);
  if (segments[kSchemaAt] == kManifestsName) return ManifestOrControl(segments, *version);
  if (segments.size() == kSchemaAt + 1) return ControlOrForeign(segments[kSchemaAt]);
  if (auto refused = RefuseName("schema", segments[kSchemaAt])) return *refused;
  if (segments.size() == kTableAt + 1) return ControlOrForeign(segments[kTableAt]);
  if (auto refused = RefuseName("table", segments[kTableAt])) return *refused;
  auto folder = FolderOf(segments, *version);
  if (!folder) return ControlOrForeign(segments[kDateAt]);
  const size_t file_at = FilePlace(*version);
  if (segments.size() <= file_at) return OfKind(ParsedKey::Kind::kForeign);
  if (segments.size() > file_at + 1) return ControlOrForeign(segments[file_at]);
  return FileOf(std::move(*folder), segments[file_at]);
}

}  // namespace tidegate::contract
