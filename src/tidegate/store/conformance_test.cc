#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/store/conformance_test_suite.h"
#include "tidegate/store/fault/fault_object_store.h"
#include "tidegate/store/local/local_object_store.h"
#include "tidegate/store/memory/memory_object_store.h"
#include "tidegate/store/metered/metered_object_store.h"

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

constexpr Deviations kAFileSystem = {.keys_below_objects_refused = true};

INSTANTIATE_TEST_SUITE_P(Stores, StoreConformanceTest,
                         testing::Values(StoreCase{"memory", MakeMemory},
                                         StoreCase{"local", [] { return MakeLocal(false); }, kAFileSystem},
                                         StoreCase{"local_portable", [] { return MakeLocal(true); }, kAFileSystem},
                                         StoreCase{"fault_over_memory", MakeFault},
                                         StoreCase{"metered_over_local", MakeMetered, kAFileSystem}),
                         StoreCaseName);

}  // namespace
}  // namespace tidegate::store
