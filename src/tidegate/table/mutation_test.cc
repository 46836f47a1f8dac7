// Bytes of ours, changed at random: readers answer with a value or an error, and never crash or hang.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "tidegate/store/memory/memory_object_store.h"
#include "tidegate/table/lake_table.h"
#include "tidegate/table/manifest.h"
#include "tidegate/table/metadata.h"
#include "tidegate/table/test_table.h"

namespace tidegate::table {
namespace {

constexpr int kRounds = 4000;

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) { std::cout << "seed " << seed << "\n"; }

  std::string Mutate(std::string bytes) {
    const int changes = 1 + static_cast<int>(random_() % 4);
    for (int i = 0; i < changes && !bytes.empty(); ++i) {
      const size_t at = random_() % bytes.size();
      switch (random_() % 5) {
        case 0:
          bytes[at] = static_cast<char>(random_());
          break;
        case 1:
          bytes.erase(at, 1 + random_() % 8);
          break;
        case 2:
          bytes.insert(at, 1 + random_() % 8, static_cast<char>(random_()));
          break;
        case 3:
          bytes.resize(at);
          break;
        default:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << random_() % 8));
          break;
      }
    }
    return bytes;
  }

 private:
  std::mt19937_64 random_;
};

bool IsExpected(const Status& status) {
  return status.ok() || status.code() == Code::kCorruption || status.code() == Code::kUnsupported;
}

std::vector<ManifestEntry> SomeEntries() {
  std::vector<ManifestEntry> out(20);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].file = TestFile(std::to_string(i));
    out[i].file.lower_bounds = {{1, "a"}, {2, "b"}};
    out[i].file.column_sizes = {{1, 1}, {2, 2}};
    out[i].file.split_offsets = {4};
  }
  return out;
}

TEST(MutationTest, ManifestsNeverCrashTheReader) {
  const std::string good = WriteManifest(TestSchema(), {}, false, SomeEntries());
  Mutator mutator(20261103);
  int refused = 0;
  for (int i = 0; i < kRounds; ++i) {
    const auto read = ReadManifest(mutator.Mutate(good), {}, {});
    ASSERT_TRUE(read.ok() || IsExpected(read.status())) << read.status().ToString();
    if (!read.ok()) ++refused;
  }
  EXPECT_GT(refused, kRounds / 2);
}

TEST(MutationTest, ManifestListsNeverCrashTheReader) {
  ManifestFile row = SummarizeManifest({}, false, 1, SomeEntries());
  row.location = "memory:/x";
  const std::string good = WriteManifestList({}, {row, row});
  Mutator mutator(20261104);
  for (int i = 0; i < kRounds; ++i) {
    const auto read = ReadManifestList(mutator.Mutate(good));
    ASSERT_TRUE(read.ok() || IsExpected(read.status())) << read.status().ToString();
  }
}

TEST(MutationTest, MetadataNeverCrashesTheReaderAndWhatIsReadCanBeWritten) {
  store::MemoryObjectStore lake;
  LakeTable table = NewTestTable(lake, {{"schema.name-mapping.default", WriteNameMapping({{1, {"id"}, {}}})}});
  ASSERT_TRUE(table.Commit(Adding({TestFile("a")}), kTestNow).ok());
  const std::string good = WriteMetadata(table.metadata());
  Mutator mutator(20261105);
  int accepted = 0;
  for (int i = 0; i < kRounds; ++i) {
    const auto read = ParseMetadata(mutator.Mutate(good));
    ASSERT_TRUE(read.ok() || IsExpected(read.status())) << read.status().ToString();
    if (!read.ok()) continue;
    ++accepted;
    EXPECT_TRUE(ParseMetadata(WriteMetadata(*read)).ok());
  }
  EXPECT_GT(accepted, 10);
}

}  // namespace
}  // namespace tidegate::table
