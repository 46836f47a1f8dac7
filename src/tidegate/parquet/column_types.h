// Parquet's schema as the types that the columns will have in the lake (Iceberg spec, appendix A, "Parquet").
#pragma once

#include <string>
#include <vector>

#include "tidegate/parquet/file_info.h"
#include "tidegate/schema/schema.h"

namespace parquet {
class SchemaDescriptor;
}

namespace tidegate::parquet {

/// One leaf column, in the file's order: leaf n is Parquet's column n.
struct Leaf {
  std::string path;         // logical, dotted
  int root = 0;             // index of its top-level field in the file
  schema::Type type;        // meaningful where `plain`
  bool plain = false;       // stored as Iceberg stores it: statistics can be taken over
  bool repeated = false;    // inside a list or a map
  bool as_integer = false;  // stored in INT32 or INT64: matters for decimals
};

struct ColumnTypes {
  std::vector<schema::Field> columns;  // without columns of the null type
  std::vector<int> roots;              // of each column: index of its top-level field in the file
  std::vector<ColumnObstacle> obstacles;
  std::vector<int> obstacle_roots;  // of each obstacle: index of its top-level field in the file
  std::vector<Leaf> leaves;
};

ColumnTypes MapColumns(const ::parquet::SchemaDescriptor& descriptor);

}  // namespace tidegate::parquet
