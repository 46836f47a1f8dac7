#include "tidegate/publish/small_object.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/store/local/local_object_store.h"

namespace tidegate::publish {
namespace {

// Found by OfSeveralPublishersOneWinsEachRound, which failed once in fifty runs: a publisher that looked at the lease
// while another one took it ended in an error.
TEST(SmallObject, IsReadWholeWithItsETagWhileItIsWrittenAnew) {
  const TempDirForTest folder;
  const auto store = *store::LocalObjectStore::Make(folder.path().string());
  const auto text_of = [](int i) {
    return std::string(100 + static_cast<size_t>(i % 50), static_cast<char>('a' + i % 26));
  };
  ASSERT_TRUE(store->Put("k", text_of(0), store::PutMode::kOverwrite).ok());
  std::atomic<bool> ending{false};
  std::thread writer([&] {
    for (int i = 1; !ending; ++i) {
      EXPECT_TRUE(store->Put("k", text_of(i), store::PutMode::kOverwrite).ok());
      std::this_thread::sleep_for(std::chrono::microseconds(100));  // far more often than any lease is written
    }
  });
  for (int i = 0; i < 1'000 && !HasFailure(); ++i) {
    const auto seen = ReadSeen(*store, "k", 4096, "too large");
    EXPECT_TRUE(seen.ok()) << "look " << i << ": " << seen.status().ToString();
    if (seen.ok()) {
      EXPECT_EQ(seen->text, std::string(seen->text.size(), seen->text[0]));
    }
  }
  ending = true;
  writer.join();
}

TEST(SmallObject, OneThatIsNotThereOrTooLargeIsAnError) {
  const TempDirForTest folder;
  const auto store = *store::LocalObjectStore::Make(folder.path().string());
  EXPECT_EQ(ReadSeen(*store, "k", 10, "too large").status().code(), Code::kNotFound);
  ASSERT_TRUE(store->Put("k", "eleven byte", store::PutMode::kOverwrite).ok());
  const auto seen = ReadSeen(*store, "k", 10, "too large");
  EXPECT_EQ(seen.status().code(), Code::kCorruption);
  EXPECT_EQ(seen.status().message(), "too large");
}

}  // namespace
}  // namespace tidegate::publish
