// The readers and writers that S3ObjectStore hands out.
#pragma once

#include <memory>
#include <semaphore>
#include <string>

#include "tidegate/base/task_pool.h"
#include "tidegate/store/object_store.h"
#include "tidegate/store/s3/s3_client.h"

namespace tidegate::store {

/// What all transfers of one store share.
struct S3Transfers {
  explicit S3Transfers(int connections) : pool(static_cast<size_t>(connections)), part_slots(connections) {}
  TaskPool pool;
  std::counting_semaphore<> part_slots;  // bounds the memory of parts on their way
};

/// Reads `object` (info().key is `shown_key`). Small reads go through a window that grows while they follow each other;
/// big ones are asked for in ranges at once. Memory: at most 8 MiB, and 32 MiB in ReadAll.
std::unique_ptr<RandomReader> NewS3Reader(S3Client& client, S3Transfers& transfers, ObjectInfo object,
                                          std::string shown_key);

/// One PUT where everything fits into one part of 16 MiB, else a multipart upload.
std::unique_ptr<ObjectWriter> NewS3Writer(S3Client& client, S3Transfers& transfers, std::string key, PutMode mode,
                                          std::string shown_key);

}  // namespace tidegate::store
