// What a person says of a table to publish: a `[[publish]]` section of the settings file (docs/publish.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/base/status.h"
#include "tidegate/catalog/hive_catalog.h"
#include "tidegate/parquet/capped_writer.h"
#include "tidegate/publish/audit.h"
#include "tidegate/publish/clean_plan.h"

namespace tidegate::publish {

/// What computes and writes the rows.
enum class BuildEngine {
  kEmbedded,  // DuckDB, in this process
  kAthena,    // UNLOAD, in Amazon Athena
};

struct Definition {
  catalog::HiveName table{};
  std::vector<catalog::HiveColumn> partition_columns{};
  std::string location{};  // the root of the table, a path or URL
  BuildEngine engine = BuildEngine::kEmbedded;
  std::string source{};  // a DuckDB file; "": the SELECT brings its own files
  std::string lake{};    // a lake whose tables the SELECT asks; not with a source
  std::string select{};  // with {column} for the partition's values
  std::string follow{};  // the table of the lake, "shop.orders", whose changes decide which partitions are published
  std::vector<std::string> partition_of{};  // of a row of it: an expression for each partition column
  std::string partitions{};  // a query whose rows are the partitions to publish where none is named; "" is none
  parquet::CappedWriterOptions writer{};
  CleanRules clean{};
  Audits audits{};
};

/// `follow` as SQL names it: "shop"."orders".
std::string FollowedRelation(const Definition& definition);

/// The SELECT of a table that holds the rows of the one it follows as they are.
std::string SelectOfFollowed(const Definition& definition);

/// The SELECT of one partition: {column} becomes the value as a literal of the engine's SQL, null as NULL; {{ and }}
/// are braces. The placeholder stands where an expression may: no quotes around it. Athena compares no text with a
/// date, so there a literal has the type of its partition column: DATE '2026-11-01'. Errors: InvalidArgument (a
/// placeholder that names no partition column; no placeholder for one of them; a value that no literal holds).
Result<std::string> SelectFor(const Definition& definition, const catalog::PartitionValues& values);

}  // namespace tidegate::publish
