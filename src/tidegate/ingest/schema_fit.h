// How the columns of delivered files become the schema of a lake table (C-25, C-26). Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/contract/folder.h"
#include "tidegate/ingest/plan.h"
#include "tidegate/schema/schema.h"
#include "tidegate/table/metadata.h"

namespace tidegate::ingest {

/// The constant columns of a table, in the order of its partition spec: contract_version and the two partition names.
std::vector<std::string> PartitionColumns(contract::TableMode mode);

/// Their values for one delivery; the hour is null in v1.
std::vector<std::optional<std::string>> PartitionValues(const contract::Delivery& delivery);

/// Names of `columns` that are reserved for the constants, in any case of letters.
std::vector<std::string> ReservedColumns(const std::vector<schema::Field>& columns, contract::TableMode mode);

/// A schema of the constants alone, where every table begins. Ids are assigned from 1.
schema::Schema InitialSchema(contract::TableMode mode);

/// Grow `current` (its ids stay) by the columns of one file: new columns are added before the constants, types widen
/// along Iceberg's promotions, a narrower file changes nothing. `last_id` is the table's last column id and grows.
/// Errors: InvalidArgument; *reason is "column_case" or "type", the message names column and both types.
Result<schema::Schema> Grow(const schema::Schema& current, const std::vector<schema::Field>& file_columns, int* last_id,
                            std::string* reason);

/// On a person's word: which columns of a file are to take a table column's name or type, so that it fits.
/// Columns that fit, or that no table column answers, are left out.
std::map<std::string, schema::Field> TakeAs(const schema::Schema& table,
                                            const std::vector<schema::Field>& file_columns);

/// The schema of a full copy (or a rebuild) that replaces the table: the columns of `copy` as they are; a column keeps
/// its id where its type is the same or widened, else it gets a new one.
schema::Schema Adapt(const schema::Schema& current, const schema::Schema& copy, int* last_id);

/// The name mapping of a schema: every column and nested field by its name, followed by the top-level entries of
/// `earlier` whose names the schema no longer has.
std::vector<table::NameMapping> MappingOf(const schema::Schema& schema, const std::vector<table::NameMapping>& earlier);

/// Iceberg column ids by the dotted path of a leaf ("address.city"); lists and maps are left out.
std::map<std::string, const schema::Field*> LeavesByPath(const schema::Schema& schema);

}  // namespace tidegate::ingest
