#include "tidegate/upkeep/lake_catalog.h"

#include "tidegate/base/log.h"
#include "tidegate/table/catalog_db.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::upkeep {

void RefreshCatalog(store::ObjectStore& lake) {
  const auto tables = table::ListTables(lake);
  const auto replaced = tables.ok() ? table::RefreshCatalogOf(lake, *tables) : tables.status();
  if (!replaced.ok()) {
    Log(LogLevel::kWarning, "catalog.db of the lake was not brought up to date: " + replaced.status().message());
    return;
  }
  for (const table::CatalogTable& entry : *replaced) {
    Log(LogLevel::kWarning, entry.schema + "." + entry.name + ": " + table::DescribeForeignCommit(entry));
  }
}

}  // namespace tidegate::upkeep
