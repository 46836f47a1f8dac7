// For tests: the view of a bucket, written down folder by folder.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tidegate/declare/declaration.h"

namespace tidegate::declare {

struct TestBucket {
  struct How {
    bool sealed = true;
    int files = 1;
  };

  void Folder(const std::string& path, How how) {
    const auto folder = contract::ParseFolder(path);
    ASSERT_TRUE(folder.ok()) << path;
    bucket::FolderState state;
    state.folder = *folder;
    for (int i = 0; i < how.files; ++i) state.files.push_back({.key = path + "/" + contract::DataFileName(i, 0)});
    if (how.sealed) state.seal = store::ObjectInfo{.key = path + "/_SUCCESS"};
    auto& table = view.tables[folder->table];
    (folder->mode == contract::TableMode::kFull ? table.full : table.parts)[folder->delivery] = state;
  }
  void Folder(const std::string& path) { Folder(path, How()); }

  Declared Declare() const {
    return DeclareTables(view, options,
                         [this](const bucket::FolderState& folder) -> Result<std::vector<schema::Field>> {
                           if (folder.folder.Path() == broken) return Corruption("not Parquet");
                           return columns;
                         });
  }

  bucket::BucketView view;
  std::vector<schema::Field> columns = {{.name = "id", .type = schema::Kind::kLong},
                                        {.name = "name", .type = schema::Kind::kString}};
  std::string broken;  // the folder whose files cannot be read
  DeclareOptions options{.location = [](const std::string& key) { return "s3://b/" + key; }};
};

}  // namespace tidegate::declare
