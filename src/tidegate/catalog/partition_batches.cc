#include "tidegate/catalog/partition_batches.h"

#include <algorithm>

#include "tidegate/catalog/partition_path.h"

namespace tidegate::catalog {

std::vector<std::vector<size_t>> Pieces(const std::vector<size_t>& which, size_t size) {
  std::vector<std::vector<size_t>> out;
  out.reserve(which.size() / size + 1);
  for (size_t at = 0; at < which.size(); at += size) {
    out.emplace_back(which.begin() + static_cast<std::ptrdiff_t>(at),
                     which.begin() + static_cast<std::ptrdiff_t>(std::min(which.size(), at + size)));
  }
  return out;
}

std::vector<size_t> Holdable(const std::vector<HiveColumn>& columns, const std::vector<HivePartition>& partitions,
                             std::vector<Status>& out) {
  std::vector<size_t> which;
  for (size_t i = 0; i < partitions.size(); ++i) {
    out[i] = PartitionPath(columns, partitions[i].values).status();
    if (out[i].ok()) which.push_back(i);
  }
  return which;
}

}  // namespace tidegate::catalog
