// What the tests of this folder share: small schemas, files that exist in metadata only, a fixed time.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tidegate/table/lake_table.h"

namespace tidegate::table {

inline constexpr UtcTime kTestNow{std::chrono::seconds{1'793'700'000}};

inline schema::Field TestField(int id, std::string name, schema::Type type) {
  schema::Field field;
  field.id = id;
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

inline schema::Schema TestSchema() {
  schema::Schema out;
  out.fields = {TestField(1, "id", schema::Kind::kLong), TestField(2, "name", schema::Kind::kString)};
  return out;
}

/// A data file of ten rows and 100 bytes that nobody wrote: commits look at metadata only.
inline DataFile TestFile(const std::string& name) {
  DataFile file;
  file.location = "memory:/shop/orders/data/" + name;
  file.record_count = 10;
  file.file_size_bytes = 100;
  return file;
}

/// Position deletes of two rows of `of`.
inline DataFile TestDeletes(const std::string& name, const std::string& of) {
  DataFile file = TestFile(name);
  file.content = FileContent::kPositionDeletes;
  file.record_count = 2;
  file.file_size_bytes = 7;
  file.referenced_data_file = TestFile(of).location;
  return file;
}

inline Change Adding(std::vector<DataFile> files) {
  Change change;
  change.add = std::move(files);
  return change;
}

inline Change Removing(std::vector<std::string> names) {
  Change change;
  change.operation = "overwrite";
  for (const std::string& name : names) change.remove.push_back(TestFile(name).location);
  return change;
}

/// Names of live files, data and deletes, sorted.
inline std::vector<std::string> LiveNames(const LakeTable& table) {
  const Result<LiveFiles> live = table.ReadLiveFiles();
  if (!live.ok()) return {live.status().ToString()};
  std::vector<std::string> out;
  for (const auto* list : {&live->data, &live->position_deletes}) {
    for (const LiveFile& file : *list) out.push_back(file.file.location.substr(file.file.location.rfind('/') + 1));
  }
  std::sort(out.begin(), out.end());
  return out;
}

inline LakeTable NewTestTable(store::ObjectStore& lake, std::map<std::string, std::string> properties = {}) {
  return LakeTable::New(lake, "shop/orders", TestSchema(), {}, std::move(properties));
}

}  // namespace tidegate::table
