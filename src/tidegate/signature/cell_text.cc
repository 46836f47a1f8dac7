#include "tidegate/signature/cell_text.h"

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_dict.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/float16.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "tidegate/base/text.h"
#include "tidegate/signature/value_text.h"

namespace tidegate::signature {
namespace {

using CellPtr = std::unique_ptr<CellText>;
using arrow::Type;

constexpr int kDeepest = 64;  // levels of nesting
constexpr size_t kPreparedBytes = size_t{1} << 20;
constexpr int64_t kMillisPerDay = 86'400'000;

/// Values of one kind; `Put` writes the value of a row into room for any.
template <typename ArrayType, typename Put>
class PlainCells final : public CellText {
 public:
  PlainCells(const arrow::Array& array, Put put)
      : CellText(array), values_(static_cast<const ArrayType&>(array)), put_(std::move(put)) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override {
    char room[kWideNumberRoom];
    out.append(room, put_(room, values_, row));
  }

  const ArrayType& values_;
  Put put_;
};

template <typename ArrayType, typename Put>
CellPtr Plain(const arrow::Array& array, Put put) {
  return std::make_unique<PlainCells<ArrayType, Put>>(array, std::move(put));
}

template <typename ArrayType>
CellPtr Integers(const arrow::Array& array) {
  return Plain<ArrayType>(array, [](char* out, const ArrayType& values, int64_t row) {
    return PutInteger(out, int64_t{values.Value(row)});
  });
}

template <typename ArrayType>
CellPtr Floats(const arrow::Array& array) {
  return Plain<ArrayType>(
      array, [](char* out, const ArrayType& values, int64_t row) { return PutDouble(out, double{values.Value(row)}); });
}

template <typename ArrayType>
CellPtr Times(const arrow::Array& array, char tag, arrow::TimeUnit::type arrow_unit) {
  static_assert(static_cast<int>(TimeUnit::kNano) == arrow::TimeUnit::NANO, "the same order");
  const auto unit = static_cast<TimeUnit>(arrow_unit);
  return Plain<ArrayType>(array, [tag, unit](char* out, const ArrayType& values, int64_t row) {
    return PutTime(out, tag, unit, int64_t{values.Value(row)});
  });
}

template <typename ArrayType>
CellPtr Decimals(const arrow::Array& array) {
  const auto& type = static_cast<const arrow::DecimalType&>(*array.type());
  const auto size = static_cast<size_t>(type.byte_width());
  const int scale = type.scale();
  return Plain<ArrayType>(array, [size, scale](char* out, const ArrayType& values, int64_t row) {
    uint8_t bytes[32];
    std::reverse_copy(values.GetValue(row), values.GetValue(row) + size, bytes);
    return PutDecimalBytes(out, bytes, size, scale);
  });
}

class UuidCells final : public CellText {
 public:
  explicit UuidCells(const arrow::Array& array)
      : CellText(array), values_(static_cast<const arrow::FixedSizeBinaryArray&>(array)) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override {
    char room[kValueRoom];
    out.append(room, PutUuid(room, values_.GetValue(row)));
  }

  const arrow::FixedSizeBinaryArray& values_;
};

/// Strings and binary of any length.
template <typename ArrayType>
class BytesCells final : public CellText {
 public:
  BytesCells(const arrow::Array& array, bool text)
      : CellText(array), values_(static_cast<const ArrayType&>(array)), text_(text) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override {
    const std::string_view bytes = values_.GetView(row);
    const size_t before = out.size();
    out.resize(before + (text_ ? TextRoom(bytes.size()) : BytesRoom(bytes.size())));
    char* const begin = out.data() + before;
    const char* const end = text_ ? PutText(begin, bytes.data(), bytes.size())
                                  : PutBinary(begin, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    out.resize(static_cast<size_t>(end - out.data()));
  }

  const ArrayType& values_;
  bool text_;
};

template <typename ArrayType>
class ListCells final : public CellText {
 public:
  ListCells(const arrow::Array& array, CellPtr elements)
      : CellText(array), lists_(static_cast<const ArrayType&>(array)), elements_(std::move(elements)) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override {
    const int64_t first = lists_.value_offset(row);
    out += '[';
    for (int64_t i = 0; i < lists_.value_length(row); ++i) elements_->Append(first + i, out);
    out += ']';
  }

  const ArrayType& lists_;
  CellPtr elements_;
};

class MapCells final : public CellText {
 public:
  MapCells(const arrow::Array& array, CellPtr keys, CellPtr items)
      : CellText(array),
        maps_(static_cast<const arrow::MapArray&>(array)),
        keys_(std::move(keys)),
        items_(std::move(items)) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override {
    std::vector<std::string> entries(static_cast<size_t>(maps_.value_length(row)));
    int64_t entry = maps_.value_offset(row);
    for (std::string& text : entries) {
      keys_->Append(entry, text);
      items_->Append(entry++, text);
    }
    std::sort(entries.begin(), entries.end());
    out += '<';
    for (const std::string& text : entries) out += text;
    out += '>';
  }

  const arrow::MapArray& maps_;
  CellPtr keys_;
  CellPtr items_;
};

struct StructField {
  std::string name_text;
  std::shared_ptr<arrow::Array> values;  // keeps alive what `cells` look at
  CellPtr cells;
};

class StructCells final : public CellText {
 public:
  StructCells(const arrow::Array& array, std::vector<StructField> fields)
      : CellText(array), fields_(std::move(fields)) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override {
    out += '{';
    for (const StructField& field : fields_) {
      out += field.name_text;
      field.cells->Append(row, out);
    }
    out += '}';
  }

  std::vector<StructField> fields_;
};

class DictionaryCells final : public CellText {
 public:
  DictionaryCells(const arrow::Array& array, CellPtr values)
      : CellText(array), codes_(static_cast<const arrow::DictionaryArray&>(array)), values_(std::move(values)) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override { values_->Append(codes_.GetValueIndex(row), out); }

  const arrow::DictionaryArray& codes_;
  CellPtr values_;
};

/// Whose values are those of another array: extension types.
class StorageCells final : public CellText {
 public:
  StorageCells(const arrow::Array& array, CellPtr storage) : CellText(array), storage_(std::move(storage)) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override { storage_->Append(row, out); }

  CellPtr storage_;
};

/// Builds the cells of a column, from its outermost type to its leaves.
class CellMaker {
 public:
  CellMaker(std::string_view column, TextLeaves text) : column_(column), text_(std::move(text)) {}

  Result<CellPtr> Make(const arrow::Array& array, int depth) {
    if (depth > kDeepest) return Unsupported("column " + Quoted(column_) + " is nested too deeply to be signed");
    switch (array.type_id()) {
      case Type::LIST:
        return List<arrow::ListArray>(array, depth);
      case Type::LARGE_LIST:
        return List<arrow::LargeListArray>(array, depth);
      case Type::FIXED_SIZE_LIST:
        return List<arrow::FixedSizeListArray>(array, depth);
      case Type::MAP:
        return Map(static_cast<const arrow::MapArray&>(array), depth);
      case Type::STRUCT:
        return Struct(static_cast<const arrow::StructArray&>(array), depth);
      case Type::DICTIONARY:
        return Dictionary(static_cast<const arrow::DictionaryArray&>(array), depth);
      case Type::EXTENSION:
        return Extension(static_cast<const arrow::ExtensionArray&>(array), depth);
      default:
        return Leaf(array);
    }
  }

 private:
  Status Refuse(const arrow::Array& array) const {
    return Unsupported("column " + Quoted(column_) + " has a type without a signature: " +
                       Quoted(array.type()->ToString()) + "; leave the column out, or cast it");
  }

  template <typename ArrayType>
  Result<CellPtr> List(const arrow::Array& array, int depth) {
    const auto& lists = static_cast<const ArrayType&>(array);
    TG_ASSIGN_OR_RETURN(CellPtr elements, Make(*lists.values(), depth + 1));
    return CellPtr(std::make_unique<ListCells<ArrayType>>(array, std::move(elements)));
  }

  Result<CellPtr> Map(const arrow::MapArray& maps, int depth) {
    TG_ASSIGN_OR_RETURN(CellPtr keys, Make(*maps.keys(), depth + 1));
    TG_ASSIGN_OR_RETURN(CellPtr items, Make(*maps.items(), depth + 1));
    return CellPtr(std::make_unique<MapCells>(maps, std::move(keys), std::move(items)));
  }

  Result<CellPtr> Struct(const arrow::StructArray& structs, int depth) {
    std::vector<StructField> fields;
    std::vector<std::string> names;
    for (int i = 0; i < structs.num_fields(); ++i) {
      std::shared_ptr<arrow::Array> values = structs.field(i);
      TG_ASSIGN_OR_RETURN(CellPtr cells, Make(*values, depth + 1));
      names.push_back(structs.type()->field(i)->name());
      fields.push_back(
          {"s" + std::to_string(names.back().size()) + ":" + names.back(), std::move(values), std::move(cells)});
    }
    std::vector<size_t> order(names.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return names[a] < names[b]; });
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end()) {
      return Unsupported("column " + Quoted(column_) +
                         " has a struct with two fields of one name; leave the column out");
    }
    std::vector<StructField> sorted;
    sorted.reserve(order.size());
    for (const size_t i : order) sorted.push_back(std::move(fields[i]));
    return CellPtr(std::make_unique<StructCells>(structs, std::move(sorted)));
  }

  Result<CellPtr> Dictionary(const arrow::DictionaryArray& codes, int depth) {
    TG_ASSIGN_OR_RETURN(CellPtr values, Make(*codes.dictionary(), depth + 1));
    return CellPtr(std::make_unique<DictionaryCells>(codes, std::move(values)));
  }

  Result<CellPtr> Extension(const arrow::ExtensionArray& array, int depth) {
    const std::string name = array.extension_type()->extension_name();
    const arrow::Array& storage = *array.storage();
    if (name == "arrow.uuid" && storage.type_id() == Type::FIXED_SIZE_BINARY) {
      TakeTextLeaf();
      return CellPtr(std::make_unique<StorageCells>(array, std::make_unique<UuidCells>(storage)));
    }
    if (name != "arrow.json") return Refuse(array);
    TG_ASSIGN_OR_RETURN(CellPtr cells, Make(storage, depth + 1));
    return CellPtr(std::make_unique<StorageCells>(array, std::move(cells)));
  }

  /// Is the next leaf text by what the file says of it?
  bool TakeTextLeaf() {
    if (text_.empty()) return false;
    const bool text = text_.front();
    text_.pop_front();
    return text;
  }

  Result<CellPtr> Leaf(const arrow::Array& array) {
    const bool text = TakeTextLeaf();
    CellPtr cells = Number(array);
    if (cells == nullptr) cells = Time(array);
    if (cells == nullptr) cells = Bytes(array, text);
    if (cells == nullptr) return Refuse(array);
    return cells;
  }

  static CellPtr Number(const arrow::Array& array) {
    switch (array.type_id()) {
      case Type::BOOL:
        return Plain<arrow::BooleanArray>(array, [](char* out, const arrow::BooleanArray& values, int64_t row) {
          return PutBool(out, values.Value(row));
        });
      case Type::INT8:
        return Integers<arrow::Int8Array>(array);
      case Type::UINT8:
        return Integers<arrow::UInt8Array>(array);
      case Type::INT16:
        return Integers<arrow::Int16Array>(array);
      case Type::UINT16:
        return Integers<arrow::UInt16Array>(array);
      case Type::INT32:
        return Integers<arrow::Int32Array>(array);
      case Type::UINT32:
        return Integers<arrow::UInt32Array>(array);
      case Type::INT64:
        return Integers<arrow::Int64Array>(array);
      case Type::UINT64:
        return Plain<arrow::UInt64Array>(array, [](char* out, const arrow::UInt64Array& values, int64_t row) {
          return PutUnsigned(out, values.Value(row));
        });
      case Type::HALF_FLOAT:
        return Plain<arrow::HalfFloatArray>(array, [](char* out, const arrow::HalfFloatArray& values, int64_t row) {
          return PutDouble(out, arrow::util::Float16::FromBits(values.Value(row)).ToDouble());
        });
      case Type::FLOAT:
        return Floats<arrow::FloatArray>(array);
      case Type::DOUBLE:
        return Floats<arrow::DoubleArray>(array);
      default:
        return Decimal(array);
    }
  }

  static CellPtr Decimal(const arrow::Array& array) {
    switch (array.type_id()) {
      case Type::DECIMAL32:
        return Decimals<arrow::Decimal32Array>(array);
      case Type::DECIMAL64:
        return Decimals<arrow::Decimal64Array>(array);
      case Type::DECIMAL128:
        return Decimals<arrow::Decimal128Array>(array);
      case Type::DECIMAL256:
        return Decimals<arrow::Decimal256Array>(array);
      default:
        return nullptr;
    }
  }

  static CellPtr Time(const arrow::Array& array) {
    const arrow::DataType& type = *array.type();
    switch (array.type_id()) {
      case Type::DATE32:
        return Plain<arrow::Date32Array>(array, [](char* out, const arrow::Date32Array& values, int64_t row) {
          return PutDate(out, values.Value(row));
        });
      case Type::DATE64:
        return Plain<arrow::Date64Array>(array, [](char* out, const arrow::Date64Array& values, int64_t row) {
          const int64_t millis = values.Value(row);
          return PutDate(out, millis / kMillisPerDay - (millis % kMillisPerDay < 0 ? 1 : 0));
        });
      case Type::TIME32:
        return Times<arrow::Time32Array>(array, 'T', static_cast<const arrow::TimeType&>(type).unit());
      case Type::TIME64:
        return Times<arrow::Time64Array>(array, 'T', static_cast<const arrow::TimeType&>(type).unit());
      case Type::TIMESTAMP:
        return Times<arrow::TimestampArray>(array, 'P', static_cast<const arrow::TimestampType&>(type).unit());
      default:
        return nullptr;
    }
  }

  static CellPtr Bytes(const arrow::Array& array, bool text) {
    switch (array.type_id()) {
      case Type::STRING:
        return std::make_unique<BytesCells<arrow::StringArray>>(array, true);
      case Type::LARGE_STRING:
        return std::make_unique<BytesCells<arrow::LargeStringArray>>(array, true);
      case Type::STRING_VIEW:
        return std::make_unique<BytesCells<arrow::StringViewArray>>(array, true);
      case Type::BINARY:
        return std::make_unique<BytesCells<arrow::BinaryArray>>(array, text);
      case Type::LARGE_BINARY:
        return std::make_unique<BytesCells<arrow::LargeBinaryArray>>(array, text);
      case Type::BINARY_VIEW:
        return std::make_unique<BytesCells<arrow::BinaryViewArray>>(array, text);
      case Type::FIXED_SIZE_BINARY:
        return std::make_unique<BytesCells<arrow::FixedSizeBinaryArray>>(array, text);
      case Type::NA:  // all are null, and that is found before a value is asked for
        return Plain<arrow::NullArray>(array, [](char* out, const arrow::NullArray&, int64_t) { return PutNull(out); });
      default:
        return nullptr;
    }
  }

  std::string_view column_;
  TextLeaves text_;
};

}  // namespace

void CellText::Append(int64_t row, std::string& out) const {
  if (array_.IsNull(row)) {
    out += 'n';
  } else {
    AppendValue(row, out);
  }
}

Result<std::unique_ptr<CellText>> MakeCellText(const arrow::Array& array, std::string_view column, TextLeaves text) {
  return CellMaker(column, std::move(text)).Make(array, 0);
}

ArrowColumn::ArrowColumn(std::shared_ptr<arrow::Array> array, std::unique_ptr<CellText> cells)
    : array_(std::move(array)), cells_(std::move(cells)) {}

Result<ArrowColumn> ArrowColumn::Make(std::shared_ptr<arrow::Array> array, std::string_view column, TextLeaves text) {
  TG_ASSIGN_OR_RETURN(auto cells, MakeCellText(*array, column, std::move(text)));
  return ArrowColumn(std::move(array), std::move(cells));
}

size_t ArrowColumn::Prepare(int64_t first, size_t most) {
  texts_.clear();
  ends_.clear();
  skipped_ = 0;
  while (ends_.size() < most && (ends_.empty() || texts_.size() < kPreparedBytes)) {
    cells_->Append(first + static_cast<int64_t>(ends_.size()), texts_);
    ends_.push_back(texts_.size());
  }
  return ends_.size();
}

std::string_view ArrowColumn::TextAt(size_t row) const {
  const size_t index = skipped_ + row;
  const size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(texts_).substr(begin, ends_[index] - begin);
}

void ArrowColumn::AddRoom(std::span<uint64_t> room) const {
  for (size_t i = 0; i < room.size(); ++i) room[i] += TextAt(i).size();
}

void ArrowColumn::Write(size_t first, std::span<char*> ends) const {
  for (size_t i = 0; i < ends.size(); ++i) {
    const std::string_view text = TextAt(first + i);
    ends[i] = PutBytes(ends[i], text.data(), text.size());
  }
}

}  // namespace tidegate::signature
