#include "tidegate/ingest/supersede.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "tidegate/parquet/key_scan.h"

namespace tidegate::ingest {
namespace {

Status ScanFile(const KeyFile& file, const parquet::KeyScanRequest& request,
                const std::function<void(const parquet::KeyRow&)>& take) {
  TG_ASSIGN_OR_RETURN(const auto reader, file.open());
  return parquet::ScanKeys(*reader, request, [&](std::span<const parquet::KeyRow> rows) {
    for (const parquet::KeyRow& row : rows) take(row);
    return Status();
  });
}

/// C-22: what decides between two rows of one key in one folder.
struct Candidate {
  std::string order;
  std::string file_name;
  RowRef row;
  auto Rank() const { return std::tie(order, file_name, row.position); }
};

}  // namespace

Supersede::Supersede(std::vector<std::string> key, std::vector<std::string> order, KeyShare share, uint64_t seed)
    : key_(std::move(key)), order_(std::move(order)), share_(share), seed_(seed) {}

Result<FolderKeys> Supersede::Prepare(const contract::Delivery& delivery, const std::vector<KeyFile>& files) const {
  FolderKeys out;
  out.delivery = delivery;
  KeyTable seen;
  std::vector<std::pair<Hash128, RowRef>> repeated;
  for (const KeyFile& file : files) {
    TG_RETURN_IF_ERROR(ScanFile(file, {key_, {}, seed_}, [&](const parquet::KeyRow& row) {
      const RowRef ref{file.number, row.position};
      ++out.rows_in;
      if (row.null_key) {
        out.null_keys.push_back(ref);
      } else if (!share_.Holds(row.key)) {
        return;
      } else if (seen.FindOrInsert(row.key, ref)) {
        repeated.emplace_back(row.key, ref);
      } else {
        out.rows.emplace_back(row.key, ref);
      }
    }));
  }
  if (!repeated.empty()) TG_RETURN_IF_ERROR(SettleRepeats(files, out, std::move(repeated)));
  return out;
}

/// Reads the files once more, with the order columns, for the few keys that stand twice.
Status Supersede::SettleRepeats(const std::vector<KeyFile>& files, FolderKeys& folder,
                                std::vector<std::pair<Hash128, RowRef>> repeated) const {
  std::set<Hash128> keys;
  for (const auto& [key, row] : repeated) keys.insert(key);
  std::map<Hash128, Candidate> best;
  for (const KeyFile& file : files) {
    TG_RETURN_IF_ERROR(ScanFile(file, {key_, order_, seed_}, [&](const parquet::KeyRow& row) {
      if (row.null_key || keys.count(row.key) == 0) return;
      Candidate candidate{row.order, file.name, {file.number, row.position}};
      const auto [it, fresh] = best.try_emplace(row.key, candidate);
      if (fresh) return;
      if (it->second.Rank() < candidate.Rank()) std::swap(it->second, candidate);
      folder.repeats.push_back(candidate.row);
    }));
  }
  for (auto& [key, row] : folder.rows) {
    if (const auto it = best.find(key); it != best.end()) row = it->second.row;
  }
  return {};
}

void Supersede::AddFolder(FolderKeys folder) {
  for (const auto& [key, row] : folder.rows) {
    delivery_of_.emplace(row.file, folder.delivery);
    if (newest_.FindOrInsert(key, row)) Kill(row);
  }
  for (const RowRef row : folder.repeats) Kill(row);
  for (const RowRef row : folder.null_keys) Kill(row);
}

Status Supersede::ScanExisting(const contract::Delivery& delivery, const KeyFile& file,
                               const std::function<Result<std::vector<int64_t>>()>& dead) {
  std::vector<std::pair<Hash128, RowRef>> met;
  TG_RETURN_IF_ERROR(ScanFile(file, {key_, {}, seed_}, [&](const parquet::KeyRow& row) {
    if (!row.null_key && newest_.Find(row.key)) met.emplace_back(row.key, RowRef{file.number, row.position});
  }));
  if (met.empty()) return {};
  // A dead row must not speak for its key: it may have lost to another row of its own folder.
  TG_ASSIGN_OR_RETURN(const std::vector<int64_t> gone, dead());
  delivery_of_[file.number] = delivery;
  for (const auto& [key, row] : met) {
    if (!std::binary_search(gone.begin(), gone.end(), row.position)) MeetExisting(delivery, key, row);
  }
  return {};
}

/// A live row of the table against the newest new row of its key.
void Supersede::MeetExisting(const contract::Delivery& delivery, const Hash128& key, RowRef row) {
  const RowRef newest = *newest_.Find(key);
  if (delivery < delivery_of_[newest.file]) {
    Kill(row);
  } else {  // a late folder: what the table holds is newer (C-21)
    Kill(newest);
    newest_.Replace(key, row);
  }
}

std::map<uint32_t, std::vector<int64_t>> Supersede::DeadRows() const {
  auto out = dead_;
  for (auto& [file, rows] : out) {
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  }
  return out;
}

}  // namespace tidegate::ingest
