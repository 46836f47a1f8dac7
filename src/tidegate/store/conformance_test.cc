#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/store/conformance_test_suite.h"
#include "tidegate/store/fault/fault_object_store.h"
#include "tidegate/store/gcs/test_fake_gcs.h"
#include "tidegate/store/local/local_object_store.h"
#include "tidegate/store/memory/memory_object_store.h"
#include "tidegate/store/metered/metered_object_store.h"
#include "tidegate/store/s3/test_fake_s3.h"

namespace tidegate::store {
namespace {

StoreUnderTest MakeMemory() { return {nullptr, std::make_shared<MemoryObjectStore>()}; }

StoreUnderTest MakeLocal(bool portable_calls_only) {
  auto folder = std::make_shared<TempDirForTest>();
  auto store =
      LocalObjectStore::Make(folder->path(), {.create_root = false, .portable_calls_only = portable_calls_only});
  return {folder, store.ok() ? *std::move(store) : nullptr};
}

StoreUnderTest MakeFault() { return {nullptr, std::make_shared<FaultObjectStore>(MakeMemory().store)}; }

StoreUnderTest MakeMetered() {
  StoreUnderTest local = MakeLocal(false);
  return {local.keep_alive, std::make_shared<MeteredObjectStore>(local.store)};
}

StoreUnderTest MakeFakeS3(size_t page_size, bool lists_backwards) {
  auto server = std::make_shared<FakeS3>();
  server->page_size = page_size;
  server->lists_backwards = lists_backwards;
  if (lists_backwards) server->server_name = "SeaweedFS 4.48";
  S3Settings settings = FakeS3Settings();
  settings.prefix = "a/prefix=1";
  auto store = S3ObjectStore::Make(settings, server);
  return {server, store.ok() ? std::shared_ptr<ObjectStore>(*std::move(store)) : nullptr};
}

StoreUnderTest MakeFakeGcs(size_t page_size) {
  auto server = std::make_shared<FakeGcs>(page_size);
  auto store = GcsObjectStore::Make(server->Settings(std::string(WritableFakeGcs::kPrefix)));
  return {server, store.ok() ? std::make_shared<WritableFakeGcs>(server, *std::move(store)) : nullptr};
}

constexpr Deviations kAFileSystem = {.keys_below_objects_refused = true};
constexpr Deviations kReadByArrow = {.fetches_want_rest = true};

INSTANTIATE_TEST_SUITE_P(Stores, StoreConformanceTest,
                         testing::Values(StoreCase{"memory", MakeMemory},
                                         StoreCase{"local", [] { return MakeLocal(false); }, kAFileSystem},
                                         StoreCase{"local_portable", [] { return MakeLocal(true); }, kAFileSystem},
                                         StoreCase{"s3", [] { return MakeFakeS3(1000, false); }},
                                         StoreCase{"s3_in_small_pages", [] { return MakeFakeS3(2, false); }},
                                         StoreCase{"s3_out_of_order", [] { return MakeFakeS3(3, true); }},
                                         StoreCase{"gcs", [] { return MakeFakeGcs(1000); }, kReadByArrow},
                                         StoreCase{"gcs_in_small_pages", [] { return MakeFakeGcs(3); }, kReadByArrow},
                                         StoreCase{"fault_over_memory", MakeFault},
                                         StoreCase{"metered_over_local", MakeMetered, kAFileSystem}),
                         StoreCaseName);

}  // namespace
}  // namespace tidegate::store
