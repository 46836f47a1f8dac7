// The texts of a dictionary's values, each made once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tidegate/signature/digits.h"

namespace tidegate::signature {

class DictionaryTexts {
 public:
  bool made() const { return !ends_.empty(); }

  /// `append(i, text)` appends the text of value i.
  template <typename Append>
  void Make(size_t size, const Append& append) {
    ends_.assign(1, 0);
    longest_ = 0;
    for (size_t i = 0; i < size; ++i) {
      append(i, texts_);
      longest_ = std::max(longest_, texts_.size() - ends_.back());
      ends_.push_back(texts_.size());
    }
    if (IsShort()) MakeSlots(size);
  }

  /// What any text needs; 0 where texts differ so much that each is asked for.
  size_t FixedRoom() const { return IsShort() ? stride_ : 0; }
  size_t RoomOf(int32_t code) const { return Length(static_cast<size_t>(code)); }

  /// What writes texts of no more than a word. It points into these texts, and copies what it knows of them: a written
  /// character might be part of them for all that the compiler knows.
  class Words {
   public:
    Words(const char* slots, const uint8_t* lengths) : slots_(slots), lengths_(lengths) {}
    [[gnu::always_inline]] char* Put(char* out, int32_t code) const {
      const auto i = static_cast<size_t>(code);
      std::memcpy(out, slots_ + i * kWord, kWord);
      return out + lengths_[i];
    }

   private:
    const char* slots_;
    const uint8_t* lengths_;
  };

  /// Will Words do for all of them?
  bool AreWords() const { return longest_ <= kWord; }
  Words AsWords() const { return {slots_.data(), lengths_.data()}; }

  char* Put(char* out, int32_t code) const {
    const auto i = static_cast<size_t>(code);
    if (!IsShort()) return PutBytes(out, texts_.data() + ends_[i], Length(i));
    const char* const slot = slots_.data() + i * stride_;
    for (size_t at = 0; at < stride_; at += kWord) std::memcpy(out + at, slot + at, kWord);
    return out + lengths_[i];
  }

 private:
  static constexpr size_t kWord = 16;
  static constexpr size_t kLongestShort = 64;

  bool IsShort() const { return longest_ <= kLongestShort; }
  size_t Length(size_t i) const { return ends_[i + 1] - ends_[i]; }

  /// Short texts in slots of one size, which are copied whole.
  void MakeSlots(size_t size) {
    stride_ = std::max(kWord, (longest_ + kWord - 1) / kWord * kWord);
    slots_.assign(size * stride_, '\0');
    lengths_.resize(size);
    for (size_t i = 0; i < size; ++i) {
      std::memcpy(slots_.data() + i * stride_, texts_.data() + ends_[i], Length(i));
      lengths_[i] = static_cast<uint8_t>(Length(i));
    }
  }

  std::string texts_;
  std::vector<size_t> ends_;
  size_t longest_ = 0;
  size_t stride_ = kWord;
  std::vector<char> slots_;
  std::vector<uint8_t> lengths_;
};

}  // namespace tidegate::signature
