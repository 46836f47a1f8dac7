#include "tidegate/base/task_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <vector>

namespace tidegate {
namespace {

TEST(TaskPoolTest, RunsEveryTaskAndGivesItsStatus) {
  TaskPool pool(3);
  std::vector<std::future<Status>> tasks;
  for (int i = 0; i < 100; ++i) {
    tasks.push_back(pool.Submit([i]() -> Status { return i % 10 == 0 ? Internal(std::to_string(i)) : Status(); }));
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(tasks[i].get().ok(), i % 10 != 0);
}

TEST(TaskPoolTest, RunsAsManyAtOnceAsItMay) {
  constexpr int kThreads = 4;
  TaskPool pool(kThreads);
  std::latch all_run(kThreads);  // passes only if all of them run at once
  std::vector<std::future<Status>> tasks;
  for (int i = 0; i < kThreads; ++i) {
    tasks.push_back(pool.Submit([&]() -> Status {
      all_run.arrive_and_wait();
      return {};
    }));
  }
  for (auto& task : tasks) EXPECT_TRUE(task.get().ok());
}

TEST(TaskPoolTest, FinishesWhatWasSubmittedBeforeItEnds) {
  std::atomic<int> done{0};
  {
    TaskPool pool(2);
    for (int i = 0; i < 50; ++i) {
      static_cast<void>(pool.Submit([&]() -> Status {
        ++done;
        return {};
      }));
    }
  }
  EXPECT_EQ(done, 50);
}

TEST(TaskPoolTest, TheFirstFailureCountsAndAllAreWaitedFor) {
  TaskPool pool(2);
  std::atomic<int> done{0};
  std::vector<std::future<Status>> tasks;
  for (int i = 0; i < 9; ++i) {
    tasks.push_back(pool.Submit([&, i]() -> Status {
      ++done;
      return i % 4 == 3 ? Internal(std::to_string(i)) : Status();
    }));
  }
  EXPECT_EQ(WaitForAll(tasks).message(), "3");
  EXPECT_EQ(done, 9);
}

}  // namespace
}  // namespace tidegate
