#include "tidegate/signature/cells.h"

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
#include <utility>
#include <vector>

#include "tidegate/base/text.h"
#include "tidegate/signature/value_text.h"

namespace tidegate::signature {
namespace {

using CellsPtr = std::unique_ptr<Cells>;
using arrow::Type;

constexpr int kDeepest = 64;  // levels of nesting
constexpr int64_t kMillisPerDay = 86'400'000;

/// Values of one kind. `put` writes the text of a row's value into room for any, `element_of` gives its element.
template <typename ArrayType, typename Put, typename ElementOfValue>
class PlainCells final : public Cells {
 public:
  PlainCells(const arrow::Array& array, Put put, ElementOfValue element_of)
      : Cells(array),
        values_(static_cast<const ArrayType&>(array)),
        put_(std::move(put)),
        element_of_(std::move(element_of)) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override {
    char room[kWideNumberRoom];
    out.append(room, put_(room, values_, row));
  }
  Element ValueElement(int64_t row) const override { return element_of_(values_, row); }

  const ArrayType& values_;
  Put put_;
  ElementOfValue element_of_;
};

template <typename ArrayType, typename Put, typename ElementOfValue>
CellsPtr Plain(const arrow::Array& array, Put put, ElementOfValue element_of) {
  return std::make_unique<PlainCells<ArrayType, Put, ElementOfValue>>(array, std::move(put), std::move(element_of));
}

/// Values that `value_of` reads, of a type that Put and ElementOf know.
template <typename ArrayType, typename ValueOf>
CellsPtr Numbers(const arrow::Array& array, ValueOf value_of) {
  return Plain<ArrayType>(
      array,
      [value_of](char* out, const ArrayType& values, int64_t row) { return PutInteger(out, value_of(values, row)); },
      [value_of](const ArrayType& values, int64_t row) { return ElementOf(value_of(values, row)); });
}

template <typename ArrayType>
CellsPtr Integers(const arrow::Array& array) {
  return Numbers<ArrayType>(array, [](const ArrayType& values, int64_t row) { return int64_t{values.Value(row)}; });
}

template <typename ArrayType, typename DoubleOf>
CellsPtr Floats(const arrow::Array& array, DoubleOf double_of) {
  return Plain<ArrayType>(
      array,
      [double_of](char* out, const ArrayType& values, int64_t row) {
        return PutDouble(out, double_of(values.Value(row)));
      },
      [double_of](const ArrayType& values, int64_t row) { return FloatElement(double_of(values.Value(row))); });
}

template <typename ArrayType>
CellsPtr Times(const arrow::Array& array, Kind kind, arrow::TimeUnit::type arrow_unit) {
  static_assert(static_cast<int>(TimeUnit::kNano) == arrow::TimeUnit::NANO, "the same order");
  const auto unit = static_cast<TimeUnit>(arrow_unit);
  const char tag = kind == Kind::kTime ? 'T' : 'P';
  return Plain<ArrayType>(
      array,
      [tag, unit](char* out, const ArrayType& values, int64_t row) {
        return PutTime(out, tag, unit, int64_t{values.Value(row)});
      },
      [kind, factor = UnitFactor(unit)](const ArrayType& values, int64_t row) {
        return KindElement(kind) + factor * ElementOf(int64_t{values.Value(row)});
      });
}

template <typename ArrayType, typename DaysOf>
CellsPtr Dates(const arrow::Array& array, DaysOf days_of) {
  return Plain<ArrayType>(
      array,
      [days_of](char* out, const ArrayType& values, int64_t row) { return PutDate(out, days_of(values.Value(row))); },
      [days_of](const ArrayType& values, int64_t row) {
        return KindElement(Kind::kDate) + ElementOf(int64_t{days_of(values.Value(row))});
      });
}

/// The bytes of a decimal, the highest first.
struct DecimalBytes {
  template <typename ArrayType>
  DecimalBytes(const ArrayType& values, int64_t row, size_t size) {
    std::reverse_copy(values.GetValue(row), values.GetValue(row) + size, bytes);
  }
  uint8_t bytes[32];
};

template <typename ArrayType>
CellsPtr Decimals(const arrow::Array& array) {
  const auto& type = static_cast<const arrow::DecimalType&>(*array.type());
  const auto size = static_cast<size_t>(type.byte_width());
  const int scale = type.scale();
  return Plain<ArrayType>(
      array,
      [size, scale](char* out, const ArrayType& values, int64_t row) {
        return PutDecimalBytes(out, DecimalBytes(values, row, size).bytes, size, scale);
      },
      [size, unit = TenTo(-scale)](const ArrayType& values, int64_t row) {
        return unit * ElementOfWide(DecimalBytes(values, row, size).bytes, size);
      });
}

CellsPtr Uuids(const arrow::Array& array) {
  using ArrayType = arrow::FixedSizeBinaryArray;
  return Plain<ArrayType>(
      array,
      [](char* out, const ArrayType& values, int64_t row) {
        *out = 'u';
        return PutUuid(out + 1, values.GetValue(row));
      },
      [](const ArrayType& values, int64_t row) {
        char text[kUuidText];
        PutUuid(text, values.GetValue(row));
        return HashedElement(Kind::kUuid, {text, sizeof text});
      });
}

/// Strings and binary of any length.
template <typename ArrayType>
class BytesCells final : public Cells {
 public:
  BytesCells(const arrow::Array& array, bool text)
      : Cells(array), values_(static_cast<const ArrayType&>(array)), text_(text) {}

  std::optional<Kind> HashedKind() const override { return text_ ? Kind::kText : Kind::kBinary; }
  std::string_view BytesAt(int64_t row) const override { return values_.GetView(row); }

 private:
  void AppendValue(int64_t row, std::string& out) const override {
    const std::string_view bytes = values_.GetView(row);
    const size_t before = out.size();
    out.resize(before + (text_ ? TextRoom(bytes.size()) : BinaryRoom(bytes.size())));
    char* const begin = out.data() + before;
    const char* const end = text_ ? PutText(begin, bytes) : PutBinary(begin, bytes);
    out.resize(static_cast<size_t>(end - out.data()));
  }
  Element ValueElement(int64_t row) const override { return HashedElement(*HashedKind(), values_.GetView(row)); }

  const ArrayType& values_;
  bool text_;
};

template <typename ArrayType>
class ListCells final : public Cells {
 public:
  ListCells(const arrow::Array& array, CellsPtr elements)
      : Cells(array), lists_(static_cast<const ArrayType&>(array)), elements_(std::move(elements)) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override {
    const int64_t first = lists_.value_offset(row);
    out += '[';
    for (int64_t i = 0; i < lists_.value_length(row); ++i) elements_->AppendText(first + i, out);
    out += ']';
  }

  const ArrayType& lists_;
  CellsPtr elements_;
};

class MapCells final : public Cells {
 public:
  MapCells(const arrow::Array& array, CellsPtr keys, CellsPtr items)
      : Cells(array),
        maps_(static_cast<const arrow::MapArray&>(array)),
        keys_(std::move(keys)),
        items_(std::move(items)) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override {
    std::vector<std::string> entries(static_cast<size_t>(maps_.value_length(row)));
    int64_t entry = maps_.value_offset(row);
    for (std::string& text : entries) {
      keys_->AppendText(entry, text);
      items_->AppendText(entry++, text);
    }
    std::sort(entries.begin(), entries.end());
    out += '<';
    for (const std::string& text : entries) out += text;
    out += '>';
  }

  const arrow::MapArray& maps_;
  CellsPtr keys_;
  CellsPtr items_;
};

struct StructField {
  std::string name_text;
  std::shared_ptr<arrow::Array> values;  // keeps alive what `cells` look at
  CellsPtr cells;
};

class StructCells final : public Cells {
 public:
  StructCells(const arrow::Array& array, std::vector<StructField> fields) : Cells(array), fields_(std::move(fields)) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override {
    out += '{';
    for (const StructField& field : fields_) {
      out += field.name_text;
      field.cells->AppendText(row, out);
    }
    out += '}';
  }

  std::vector<StructField> fields_;
};

class DictionaryCells final : public Cells {
 public:
  DictionaryCells(const arrow::Array& array, CellsPtr values)
      : Cells(array), codes_(static_cast<const arrow::DictionaryArray&>(array)), values_(std::move(values)) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override {
    values_->AppendText(codes_.GetValueIndex(row), out);
  }
  Element ValueElement(int64_t row) const override { return values_->ElementAt(codes_.GetValueIndex(row)); }

  const arrow::DictionaryArray& codes_;
  CellsPtr values_;
};

/// Whose values are those of another array: extension types.
class StorageCells final : public Cells {
 public:
  StorageCells(const arrow::Array& array, CellsPtr storage) : Cells(array), storage_(std::move(storage)) {}

 private:
  void AppendValue(int64_t row, std::string& out) const override { storage_->AppendText(row, out); }
  Element ValueElement(int64_t row) const override { return storage_->ElementAt(row); }

  CellsPtr storage_;
};

/// Builds the cells of a column, from its outermost type to its leaves.
class CellMaker {
 public:
  CellMaker(std::string_view column, TextLeaves text) : column_(column), text_(std::move(text)) {}

  Result<CellsPtr> Make(const arrow::Array& array, int depth) {
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
  Result<CellsPtr> List(const arrow::Array& array, int depth) {
    const auto& lists = static_cast<const ArrayType&>(array);
    TG_ASSIGN_OR_RETURN(CellsPtr elements, Make(*lists.values(), depth + 1));
    return CellsPtr(std::make_unique<ListCells<ArrayType>>(array, std::move(elements)));
  }

  Result<CellsPtr> Map(const arrow::MapArray& maps, int depth) {
    TG_ASSIGN_OR_RETURN(CellsPtr keys, Make(*maps.keys(), depth + 1));
    TG_ASSIGN_OR_RETURN(CellsPtr items, Make(*maps.items(), depth + 1));
    return CellsPtr(std::make_unique<MapCells>(maps, std::move(keys), std::move(items)));
  }

  Result<CellsPtr> Struct(const arrow::StructArray& structs, int depth) {
    std::vector<StructField> fields;
    std::vector<std::string> names;
    for (int i = 0; i < structs.num_fields(); ++i) {
      std::shared_ptr<arrow::Array> values = structs.field(i);
      TG_ASSIGN_OR_RETURN(CellsPtr cells, Make(*values, depth + 1));
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
    return CellsPtr(std::make_unique<StructCells>(structs, std::move(sorted)));
  }

  Result<CellsPtr> Dictionary(const arrow::DictionaryArray& codes, int depth) {
    TG_ASSIGN_OR_RETURN(CellsPtr values, Make(*codes.dictionary(), depth + 1));
    return CellsPtr(std::make_unique<DictionaryCells>(codes, std::move(values)));
  }

  Result<CellsPtr> Extension(const arrow::ExtensionArray& array, int depth) {
    const std::string name = array.extension_type()->extension_name();
    const arrow::Array& storage = *array.storage();
    if (name == "arrow.uuid" && storage.type_id() == Type::FIXED_SIZE_BINARY) {
      TakeTextLeaf();
      return CellsPtr(std::make_unique<StorageCells>(array, Uuids(storage)));
    }
    if (name != "arrow.json") return Refuse(array);
    TG_ASSIGN_OR_RETURN(CellsPtr cells, Make(storage, depth + 1));
    return CellsPtr(std::make_unique<StorageCells>(array, std::move(cells)));
  }

  /// Is the next leaf text by what the file says of it?
  bool TakeTextLeaf() {
    if (text_.empty()) return false;
    const bool text = text_.front();
    text_.pop_front();
    return text;
  }

  Result<CellsPtr> Leaf(const arrow::Array& array) {
    const bool text = TakeTextLeaf();
    CellsPtr cells = Number(array);
    if (cells == nullptr) cells = Time(array);
    if (cells == nullptr) cells = Bytes(array, text);
    if (cells == nullptr) return Refuse(array);
    return cells;
  }

  static CellsPtr Number(const arrow::Array& array) {
    switch (array.type_id()) {
      case Type::BOOL:
        return Plain<arrow::BooleanArray>(
            array,
            [](char* out, const arrow::BooleanArray& values, int64_t row) { return PutBool(out, values.Value(row)); },
            [](const arrow::BooleanArray& values, int64_t row) {
              return KindElement(Kind::kBoolean) + ElementOf(int64_t{values.Value(row)});
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
        return Numbers<arrow::UInt64Array>(
            array, [](const arrow::UInt64Array& values, int64_t row) { return values.Value(row); });
      case Type::HALF_FLOAT:
        return Floats<arrow::HalfFloatArray>(
            array, [](uint16_t bits) { return arrow::util::Float16::FromBits(bits).ToDouble(); });
      case Type::FLOAT:
        return Floats<arrow::FloatArray>(array, [](float value) { return double{value}; });
      case Type::DOUBLE:
        return Floats<arrow::DoubleArray>(array, [](double value) { return value; });
      default:
        return Decimal(array);
    }
  }

  static CellsPtr Decimal(const arrow::Array& array) {
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

  static CellsPtr Time(const arrow::Array& array) {
    const arrow::DataType& type = *array.type();
    switch (array.type_id()) {
      case Type::DATE32:
        return Dates<arrow::Date32Array>(array, [](int32_t days) { return days; });
      case Type::DATE64:
        return Dates<arrow::Date64Array>(
            array, [](int64_t millis) { return millis / kMillisPerDay - (millis % kMillisPerDay < 0 ? 1 : 0); });
      case Type::TIME32:
        return Times<arrow::Time32Array>(array, Kind::kTime, static_cast<const arrow::TimeType&>(type).unit());
      case Type::TIME64:
        return Times<arrow::Time64Array>(array, Kind::kTime, static_cast<const arrow::TimeType&>(type).unit());
      case Type::TIMESTAMP:
        return Times<arrow::TimestampArray>(array, Kind::kTimestamp,
                                            static_cast<const arrow::TimestampType&>(type).unit());
      default:
        return nullptr;
    }
  }

  static CellsPtr Bytes(const arrow::Array& array, bool text) {
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
        return Plain<arrow::NullArray>(
            array, [](char* out, const arrow::NullArray&, int64_t) { return PutNull(out); },
            [](const arrow::NullArray&, int64_t) { return NullElement(); });
      default:
        return nullptr;
    }
  }

  std::string_view column_;
  TextLeaves text_;
};

}  // namespace

bool Cells::IsNull(int64_t row) const { return array_.IsNull(row); }

void Cells::AppendText(int64_t row, std::string& out) const {
  if (array_.IsNull(row)) {
    out += 'n';
  } else {
    AppendValue(row, out);
  }
}

Element Cells::ElementAt(int64_t row) const { return array_.IsNull(row) ? NullElement() : ValueElement(row); }

Element Cells::ValueElement(int64_t row) const {
  std::string text;
  AppendValue(row, text);
  return HashedElement(Kind::kNested, text);
}

Result<std::unique_ptr<Cells>> MakeCells(const arrow::Array& array, std::string_view column, TextLeaves text) {
  return CellMaker(column, std::move(text)).Make(array, 0);
}

}  // namespace tidegate::signature
