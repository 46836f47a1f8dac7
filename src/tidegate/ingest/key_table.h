// KeyTable: 128-bit key hash → the row that holds the newest version, in one flat array.
//
// Open addressing with linear probing; the hash is keyed and random, so its low bits are the slot. 24 bytes a slot, at
// most 70 % full: 34–69 bytes a key.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tidegate/base/hash.h"

namespace tidegate::ingest {

/// A row of a file known by its number in the run. Files < 2^23, positions < 2^40.
struct RowRef {
  uint32_t file = 0;
  int64_t position = 0;
  friend auto operator<=>(const RowRef&, const RowRef&) = default;
};

class KeyTable {
 public:
  KeyTable() : slots_(1024) {}

  /// The row stored for a key; nullopt where there was none: then `row` is stored.
  std::optional<RowRef> FindOrInsert(const Hash128& key, RowRef row) {
    if ((size_ + 1) * 10 > slots_.size() * 7) Grow();
    Slot& slot = Probe(slots_, key);
    if (slot.row != 0) return Unpack(slot.row);
    slot = {key, Pack(row)};
    ++size_;
    return std::nullopt;
  }

  std::optional<RowRef> Find(const Hash128& key) {
    const Slot& slot = Probe(slots_, key);
    return slot.row == 0 ? std::nullopt : std::optional(Unpack(slot.row));
  }

  /// Requires: the key is there.
  void Replace(const Hash128& key, RowRef row) { Probe(slots_, key).row = Pack(row); }

  size_t size() const { return size_; }

 private:
  struct Slot {
    Hash128 key;
    uint64_t row = 0;  // packed, plus one; 0: the slot is free
  };

  static uint64_t Pack(RowRef row) { return (uint64_t{row.file} << 40 | static_cast<uint64_t>(row.position)) + 1; }
  static RowRef Unpack(uint64_t packed) {
    const uint64_t bits = packed - 1;
    return {static_cast<uint32_t>(bits >> 40), static_cast<int64_t>(bits & ((uint64_t{1} << 40) - 1))};
  }

  static Slot& Probe(std::vector<Slot>& slots, const Hash128& key) {
    const size_t mask = slots.size() - 1;
    size_t at = key.low & mask;
    while (slots[at].row != 0 && slots[at].key != key) at = (at + 1) & mask;
    return slots[at];
  }

  void Grow() {
    std::vector<Slot> bigger(slots_.size() * 2);
    for (const Slot& slot : slots_) {
      if (slot.row != 0) Probe(bigger, slot.key) = slot;
    }
    slots_.swap(bigger);
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace tidegate::ingest
