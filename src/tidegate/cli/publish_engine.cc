#include "tidegate/cli/publish_engine.h"

#include <algorithm>

#include "tidegate/app/athena_access.h"
#include "tidegate/app/engine_access.h"
#include "tidegate/base/text.h"
#include "tidegate/publish/athena_builder.h"
#include "tidegate/publish/duckdb_builder.h"
#include "tidegate/query/lake_views.h"
#include "tidegate/query/view_sql.h"

namespace tidegate::cli {
namespace {

constexpr size_t kMostPartitions = 100'000;

engine::DuckDbOptions OptionsOf(const app::Settings& settings) {
  return {.memory_limit = settings.query_memory_limit, .threads = settings.query_threads};
}

class EmbeddedEngine final : public PublishEngine {
 public:
  EmbeddedEngine(const publish::Definition& definition, engine::DuckDb db, std::unique_ptr<app::LakeFollower> follower)
      : PublishEngine(definition), builder_(std::move(db), definition.writer), follower_(std::move(follower)) {}
  publish::Builder& builder() override { return builder_; }
  engine::DuckDb& db() override { return builder_.db(); }
  const app::LakeFollower* follower() const override { return follower_.get(); }

 protected:
  Result<std::vector<engine::TextRow>> Ask(const std::string& query) override {
    return db().QueryAll("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (\n" + query + "\n)");
  }

 private:
  publish::DuckDbBuilder builder_;
  std::unique_ptr<app::LakeFollower> follower_;
};

/// DuckDB, and what the SELECT asks: the source or the lake of the definition.
Result<std::unique_ptr<PublishEngine>> OpenEmbeddedEngine(const PublishSetup& setup, const CommonOptions& common,
                                                          bool writes) {
  using Pointer = std::unique_ptr<PublishEngine>;
  const publish::Definition& definition = setup.definition();
  const engine::DuckDbOptions options = OptionsOf(setup.settings());
  if (definition.lake.empty()) {
    TG_ASSIGN_OR_RETURN(auto source, publish::OpenSource(definition.source, options));
    return Pointer(std::make_unique<EmbeddedEngine>(definition, std::move(source), nullptr));
  }
  TG_ASSIGN_OR_RETURN(auto db, engine::DuckDb::Open(":memory:", options));
  TG_ASSIGN_OR_RETURN(auto lake, OpenLake(common, definition.lake, app::OpenMode::kMustExist));
  TG_RETURN_IF_ERROR(app::LetEngineRead(db, *lake));
  if (definition.follow.empty()) {
    TG_RETURN_IF_ERROR(query::CreateLakeViews(db, *lake, definition.select + " " + definition.partitions));
    return Pointer(std::make_unique<EmbeddedEngine>(definition, std::move(db), nullptr));
  }
  TG_ASSIGN_OR_RETURN(auto follower, app::LakeFollower::Open(definition, setup.ports(), std::move(lake), writes));
  const query::SnapshotChoice choice = follower->Choice();
  TG_RETURN_IF_ERROR(
      query::CreateLakeViews(db, follower->lake(), definition.select + " " + definition.follow, &choice));
  return Pointer(std::make_unique<EmbeddedEngine>(definition, std::move(db), std::move(follower)));
}

/// An object that Athena names: its folder is opened as a store.
Result<std::string> ReadObject(const CommonOptions& common, const std::string& location, uint64_t max_bytes) {
  const size_t slash = location.rfind('/');
  if (!app::IsS3Url(location) || slash == std::string::npos || slash + 1 == location.size()) {
    return Corruption("not an object in S3: " + Quoted(location, 1200));
  }
  TG_ASSIGN_OR_RETURN(const auto place, OpenStore(common, location.substr(0, slash), app::OpenMode::kMustExist));
  return place->Read(location.substr(slash + 1), max_bytes);
}

class AthenaEngine final : public PublishEngine {
 public:
  AthenaEngine(const publish::Definition& definition, std::unique_ptr<athena::AthenaClient> client,
               publish::AthenaBuilderParts parts)
      : PublishEngine(definition), client_(std::move(client)), builder_(std::move(parts)) {}
  publish::Builder& builder() override { return builder_; }
  engine::DuckDb& db() override { return builder_.db(); }

 protected:
  Result<std::vector<engine::TextRow>> Ask(const std::string& query) override {
    TG_ASSIGN_OR_RETURN(const athena::QueryReport done, client_->Run(query, "its partitions"));
    return client_->Rows(done, kMostPartitions);
  }

 private:
  std::unique_ptr<athena::AthenaClient> client_;
  publish::AthenaBuilder builder_;
};

Result<std::unique_ptr<PublishEngine>> OpenAthenaEngine(const PublishSetup& setup, const CommonOptions& common) {
  const publish::Definition& definition = setup.definition();
  TG_ASSIGN_OR_RETURN(const app::StoreAccess access, AccessOf(common, definition.location));
  TG_ASSIGN_OR_RETURN(auto client, app::OpenAthena(setup.settings().publish.athena, access));
  TG_ASSIGN_OR_RETURN(auto db, engine::DuckDb::Open(":memory:", OptionsOf(setup.settings())));
  publish::AthenaBuilderParts parts{
      .client = *client,
      .db = std::move(db),
      .compression = definition.writer.compression,
      .let_read = [&setup](engine::DuckDb& reader) { return app::LetEngineRead(reader, setup.ports().root); },
      .read_object = [common](const std::string& location,
                              uint64_t max_bytes) { return ReadObject(common, location, max_bytes); },
      .engine_path = query::EnginePathOf};
  return std::unique_ptr<PublishEngine>(
      std::make_unique<AthenaEngine>(definition, std::move(client), std::move(parts)));
}

}  // namespace

Result<std::unique_ptr<PublishEngine>> PublishEngine::Open(const PublishSetup& setup, const CommonOptions& common,
                                                           bool writes) {
  if (setup.definition().engine == publish::BuildEngine::kAthena) return OpenAthenaEngine(setup, common);
  return OpenEmbeddedEngine(setup, common, writes);
}

Result<std::vector<catalog::PartitionValues>> PublishEngine::AskForPartitions() {
  if (follower() != nullptr) return follower()->ChangedPartitions(db());
  const std::string name = "the [[publish]] section of " + Quoted(definition_.table.ToString());
  if (definition_.partitions.empty()) {
    return InvalidArgument("name the partitions, or give " + name +
                           " a query for them: partitions = \"SELECT DISTINCT …\"");
  }
  auto rows = Ask(definition_.partitions);
  if (!rows.ok()) return rows.status().WithContext("partitions of " + name);
  std::vector<catalog::PartitionValues> out;
  for (engine::TextRow& row : *rows) {
    if (row.size() != definition_.partition_columns.size()) {
      return InvalidArgument("partitions of " + name + " gives " + std::to_string(row.size()) + " columns, not the " +
                             std::to_string(definition_.partition_columns.size()) + " of partition_by, in their order");
    }
    out.push_back(std::move(row));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace tidegate::cli
