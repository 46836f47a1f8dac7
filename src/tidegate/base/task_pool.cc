#include "tidegate/base/task_pool.h"

#include <utility>

namespace tidegate {

Status WaitForAll(std::vector<std::future<Status>>& tasks) {
  Status first;
  for (std::future<Status>& task : tasks) {
    if (Status status = task.get(); !status.ok() && first.ok()) first = std::move(status);
  }
  return first;
}

TaskPool::~TaskPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::future<Status> TaskPool::Submit(std::function<Status()> task) {
  std::packaged_task<Status()> packaged(std::move(task));
  std::future<Status> done = packaged.get_future();
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(packaged));
    if (idle_ < waiting_.size() && threads_.size() < most_threads_) threads_.emplace_back([this] { Work(); });
  }
  changed_.notify_one();
  return done;
}

void TaskPool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;  // closing
    std::packaged_task<Status()> task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace tidegate
