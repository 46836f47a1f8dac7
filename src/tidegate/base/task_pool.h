// TaskPool: a few threads that run small tasks. For requests that wait more than they work.
//
// A task must not wait for another one of the same pool.
//
// Threads: safe. The destructor runs what was submitted, then ends the threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "tidegate/base/status.h"

namespace tidegate {

/// Waits for all of them. Returns the first failure in their order.
Status WaitForAll(std::vector<std::future<Status>>& tasks);

class TaskPool {
 public:
  /// Threads start when they are first needed, at most so many.
  explicit TaskPool(size_t threads) : most_threads_(threads < 1 ? 1 : threads) {}
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  std::future<Status> Submit(std::function<Status()> task);

 private:
  void Work();

  const size_t most_threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<Status()>> waiting_;
  size_t idle_ = 0;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tidegate
