// tidegate_s3_copy JOBS FROM TO: brings every object of one store into another, as ingest and deliver move files: JOBS
// objects at once. For bench/s3.py. Places as tidegate takes them: s3://bucket/prefix, a folder.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tidegate/app/open_store.h"

namespace {

using tidegate::Status;
namespace app = tidegate::app;
namespace store = tidegate::store;

Status CopyAll(int jobs, const std::string& from_url, const std::string& to_url) {
  TG_ASSIGN_OR_RETURN(const auto from, app::OpenStore(from_url, app::OpenMode::kMustExist, {}));
  TG_ASSIGN_OR_RETURN(const auto to, app::OpenStore(to_url, app::OpenMode::kCreate, {}));
  TG_ASSIGN_OR_RETURN(const auto listing, from->List({}));
  std::vector<Status> results(listing.objects.size());
  std::atomic<size_t> next{0};
  std::vector<std::thread> threads;
  for (int job = 0; job < jobs; ++job) {
    threads.emplace_back([&] {
      for (size_t i = next++; i < results.size(); i = next++) {
        store::AdoptMethod method;
        results[i] = to->Adopt(*from, listing.objects[i], listing.objects[i].key, &method).status();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& result : results) TG_RETURN_IF_ERROR(result);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: tidegate_s3_copy JOBS FROM TO\n");
    return 2;
  }
  const Status done = CopyAll(std::atoi(argv[1]), argv[2], argv[3]);
  if (!done.ok()) std::fprintf(stderr, "%s\n", done.ToString().c_str());
  return done.ok() ? 0 : 1;
}
