// A folder of the delivery contract: one partition of one table, the unit that is sealed and applied.
// Rules C-1 … C-7, C-10, C-11, C-20 (docs/formats/delivery.md).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/status.h"

namespace tidegate::contract {

enum class Version { kV1 = 1, kV2 = 2 };
enum class TableMode { kFull, kParts };

inline constexpr std::string_view kInitial = "__initial__";
inline constexpr std::string_view kSuccessName = "_SUCCESS";
inline constexpr std::string_view kStateName = "_STATE";
inline constexpr std::string_view kManifestsName = "_manifests";
/// Contract C-3: no Parquet file is larger.
inline constexpr uint64_t kMaxFileBytes = 256'000'000;

std::string_view VersionName(Version version);  // "v1", "v2"
std::string_view ModeName(TableMode mode);      // "full", "parts"

struct TableName {
  std::string schema;
  std::string table;
  friend auto operator<=>(const TableName&, const TableName&) = default;
  std::string ToString() const { return schema + "." + table; }
};

/// C-5: `[A-Za-z0-9][A-Za-z0-9_-]*`?
bool IsName(std::string_view text);

/// Read "schema.table" of valid names. Errors: InvalidArgument.
Result<TableName> ParseTableName(std::string_view text);

/// When a folder was delivered, as text (C-6). Ordered as C-20: v1 before v2, __initial__ first, date, hour.
struct Delivery {
  Version version = Version::kV1;
  std::string date;  // "YYYY-MM-DD", or "__initial__" (v1 parts only)
  std::string hour;  // "00" … "23"; empty in v1

  bool is_initial() const { return date == kInitial; }
  /// "v1/2026-11-02", "v1/__initial__", "v2/2026-11-03/03".
  std::string ToString() const;
  friend bool operator==(const Delivery&, const Delivery&) = default;
  friend std::strong_ordering operator<=>(const Delivery& a, const Delivery& b);
};

/// Read what Delivery::ToString writes. Errors: InvalidArgument.
Result<Delivery> ParseDelivery(std::string_view text);

struct Folder {
  TableName table;
  TableMode mode = TableMode::kFull;
  Delivery delivery;

  /// "v2/shop/orders/etl_date=2026-11-03/etl_hour=03", without a slash at the end.
  std::string Path() const;
  friend bool operator==(const Folder&, const Folder&) = default;
};

/// Parse the path of a folder (with or without a slash at the end). Errors: InvalidArgument, saying which part is
/// wrong.
Result<Folder> ParseFolder(std::string_view path);

/// "v1/_manifests/snapshot_date=D/manifest.json", "v2/_manifests/snapshot_date=D/snapshot_hour=HH/manifest.json".
/// Requires: not __initial__, which has no manifest.
std::string ManifestKey(const Delivery& delivery);

/// "v1/<schema>/<table>/_STATE".
std::string StateKey(Version version, const TableName& table);

/// "0000_part_00.parquet". Requires: slice 0…9999, split 0…99; more digits where more are needed.
std::string DataFileName(int slice, int split);

/// What a key of the bucket (relative to its prefix, C-4) is.
struct ParsedKey {
  enum class Kind {
    kData,      // a Parquet file of a folder: `folder`, `file`
    kSuccess,   // the seal of a folder: `folder`
    kManifest,  // of a delivery: `folder.delivery`
    kControl,   // _STATE, any other name that starts with '_' or '.' where a schema, table or file could stand: silent
    kStray,     // in a folder, but neither data nor control: a warning
    kBadName,   // a schema or table name that C-5 refuses: a warning that quotes it
    kForeign,   // fits no rule: not data, not an error
  };
  Kind kind = Kind::kForeign;
  Folder folder;
  std::string file;      // kData, kSuccess, kManifest, kStray: last segment
  std::string bad_name;  // kBadName: the refused name as it is, for comparing and JSON; print `detail` instead
  std::string detail;    // kBadName, kStray: what is wrong, ready to print (foreign text quoted)
};

/// Say what a key is. Never fails: what fits no rule is kForeign.
ParsedKey ParseKey(std::string_view key);

}  // namespace tidegate::contract
