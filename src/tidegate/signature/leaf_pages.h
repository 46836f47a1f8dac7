// The pages of a flat column chunk, decoded some rows at a time: values, or the codes of a dictionary.
//
// Hostile input: counts and sizes of a page are checked against its bytes, by Arrow's decoders or here; what is wrong
// is thrown as a ParquetException.
#pragma once

#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/encoding.h>
#include <parquet/exception.h>
#include <parquet/schema.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tidegate::signature {

template <typename DType>
class LeafPages {
 public:
  using Value = typename DType::c_type;

  LeafPages(const ::parquet::ColumnDescriptor& leaf, std::unique_ptr<::parquet::PageReader> pages,
            arrow::MemoryPool* pool, size_t rows_at_once)
      : leaf_(leaf),
        pages_(std::move(pages)),
        pool_(pool),
        rows_at_once_(rows_at_once),
        levels_(rows_at_once),
        values_(std::make_unique<Value[]>(rows_at_once)),
        codes_(rows_at_once) {}

  /// Decode the next rows, of one page; what was decoded before is gone. False at the end.
  bool Decode() {
    while (left_ == 0) {
      if (!NextPage()) return false;
    }
    rows_ = std::min(rows_at_once_, left_);
    left_ -= rows_;
    const size_t present = all_present_ ? rows_ : DecodeLevels();
    has_nulls_ = present < rows_;
    if (coded_) {
      DecodeCodes(present);
      Spread(codes_.data(), present);
    } else {
      Require(decoder_->Decode(values_.get(), static_cast<int>(present)) == static_cast<int>(present));
      Spread(values_.get(), present);
    }
    return true;
  }

  size_t rows() const { return rows_; }
  bool has_nulls() const { return has_nulls_; }
  /// 0 where a row is null. Of use where there are any.
  const int16_t* levels() const { return levels_.data(); }
  /// Do these rows have codes, or values? Those of null rows are any.
  bool coded() const { return coded_; }
  const Value* values() const { return values_.get(); }
  const int32_t* codes() const { return codes_.data(); }
  const Value* dictionary() const { return dictionary_; }
  size_t dictionary_size() const { return static_cast<size_t>(dictionary_size_); }

 private:
  static void Require(bool holds) {
    if (!holds) throw ::parquet::ParquetException("a data page holds fewer values than it claims");
  }

  bool NextPage() {
    while (true) {
      page_ = pages_->NextPage();
      if (page_ == nullptr) return false;
      if (page_->type() == ::parquet::PageType::DICTIONARY_PAGE) {
        TakeDictionary(static_cast<const ::parquet::DictionaryPage&>(*page_));
      } else if (page_->type() == ::parquet::PageType::DATA_PAGE) {
        TakeV1(static_cast<const ::parquet::DataPageV1&>(*page_));
        return true;
      } else if (page_->type() == ::parquet::PageType::DATA_PAGE_V2) {
        TakeV2(static_cast<const ::parquet::DataPageV2&>(*page_));
        return true;
      }
    }
  }

  void TakeDictionary(const ::parquet::DictionaryPage& page) {
    if (dictionary_decoder_ != nullptr) throw ::parquet::ParquetException("a column chunk has two dictionaries");
    const auto plain = ::parquet::MakeTypedDecoder<DType>(::parquet::Encoding::PLAIN, &leaf_, pool_);
    plain->SetData(page.num_values(), page.data(), page.size());
    dictionary_decoder_ = ::parquet::MakeDictDecoder<DType>(&leaf_, pool_);
    dictionary_decoder_->SetDict(plain.get());
    dictionary_decoder_->GetDictionary(&dictionary_, &dictionary_size_);
  }

  void TakeV1(const ::parquet::DataPageV1& page) {
    constexpr int kLengthBytes = 4;  // in front of the levels
    int used = 0;
    all_present_ = leaf_.max_definition_level() == 0;
    if (!all_present_) {
      used = level_decoder_.SetData(page.definition_level_encoding(), leaf_.max_definition_level(), page.num_values(),
                                    page.data(), page.size());
      all_present_ = page.definition_level_encoding() == ::parquet::Encoding::RLE &&
                     AreAllPresent(page, page.data() + kLengthBytes, used - kLengthBytes);
    }
    TakeValues(page, used);
  }

  void TakeV2(const ::parquet::DataPageV2& page) {
    const int64_t repetition = page.repetition_levels_byte_length();
    const int64_t definition = page.definition_levels_byte_length();
    Require(repetition >= 0 && definition >= 0 && repetition + definition <= page.size());
    all_present_ = leaf_.max_definition_level() == 0;
    if (!all_present_) {
      all_present_ = AreAllPresent(page, page.data() + repetition, definition);
      level_decoder_.SetDataV2(static_cast<int32_t>(definition), leaf_.max_definition_level(), page.num_values(),
                               page.data() + repetition);
    }
    TakeValues(page, static_cast<int>(repetition + definition));
  }

  /// Is it said in one run that all levels are 1? Then they need not be decoded; else nothing is known. The format: a
  /// run's length times two in LEB128, and its level in a byte (Parquet's Encodings.md, RLE).
  bool AreAllPresent(const ::parquet::DataPage& page, const uint8_t* levels, int64_t size) const {
    constexpr int kMostBytes = 5;
    if (leaf_.max_definition_level() != 1) return false;
    uint64_t run = 0;
    for (int i = 0; i < kMostBytes && i + 1 < size; ++i) {
      run |= uint64_t{levels[i] & 0x7FU} << (7 * i);
      if (levels[i] >= 0x80) continue;
      return (run & 1) == 0 && run / 2 >= static_cast<uint64_t>(page.num_values()) && levels[i + 1] == 1;
    }
    return false;
  }

  void TakeValues(const ::parquet::DataPage& page, int used) {
    using ::parquet::Encoding;
    Require(page.num_values() >= 0 && used <= page.size());
    const Encoding::type encoding = page.encoding();
    coded_ = encoding == Encoding::PLAIN_DICTIONARY || encoding == Encoding::RLE_DICTIONARY;
    left_ = static_cast<size_t>(page.num_values());
    if (coded_) {
      if (dictionary_decoder_ == nullptr) throw ::parquet::ParquetException("a dictionary is missing");
      dictionary_decoder_->SetData(page.num_values(), page.data() + used, page.size() - used);
      return;
    }
    if (decoder_ == nullptr || decoder_->encoding() != encoding) {
      decoder_ = ::parquet::MakeTypedDecoder<DType>(encoding, &leaf_, pool_);
    }
    decoder_->SetData(page.num_values(), page.data() + used, page.size() - used);
  }

  /// How many of the rows have a value.
  size_t DecodeLevels() {
    const int rows = static_cast<int>(rows_);
    Require(level_decoder_.Decode(rows, levels_.data()) == rows);
    size_t present = 0;
    for (size_t i = 0; i < rows_; ++i) present += levels_[i] != 0;
    return present;
  }

  void DecodeCodes(size_t present) {
    if (present == 0) return;
    Require(dictionary_decoder_->DecodeIndices(static_cast<int>(present), codes_.data()) == static_cast<int>(present));
    const auto size = static_cast<uint32_t>(dictionary_size_);
    bool inside = true;
    for (size_t i = 0; i < present; ++i) inside &= static_cast<uint32_t>(codes_[i]) < size;
    if (!inside) throw ::parquet::ParquetException("a value is outside of its dictionary");
  }

  /// Move what was decoded without gaps to the rows that have a value.
  template <typename T>
  void Spread(T* decoded, size_t present) {
    if (!has_nulls_) return;
    for (size_t row = rows_; row-- > 0;) {
      if (levels_[row] != 0) decoded[row] = decoded[--present];
    }
  }

  const ::parquet::ColumnDescriptor& leaf_;
  std::unique_ptr<::parquet::PageReader> pages_;
  arrow::MemoryPool* pool_;
  size_t rows_at_once_;
  std::shared_ptr<::parquet::Page> page_;
  ::parquet::LevelDecoder level_decoder_;
  std::unique_ptr<typename ::parquet::EncodingTraits<DType>::Decoder> decoder_;
  std::unique_ptr<::parquet::DictDecoder<DType>> dictionary_decoder_;
  const Value* dictionary_ = nullptr;
  int32_t dictionary_size_ = 0;
  size_t left_ = 0;  // rows of the page that are not decoded yet
  size_t rows_ = 0;
  bool all_present_ = false;  // of this page
  bool has_nulls_ = false;
  bool coded_ = false;
  std::vector<int16_t> levels_;
  std::unique_ptr<Value[]> values_;
  std::vector<int32_t> codes_;
};

}  // namespace tidegate::signature
