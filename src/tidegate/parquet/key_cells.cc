#include "tidegate/parquet/key_cells.h"

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_primitive.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <bit>
#include <utility>
#include <vector>

#include "tidegate/base/text.h"
#include "tidegate/parquet/memcmp_order.h"

namespace tidegate::parquet {
namespace {

// Tags of the canonical form: part of what lakes keep, never to be changed. See docs/formats/keys.md.
constexpr char kNullTag = 'N';
constexpr char kBoolTag = 'B';
constexpr char kIntTag = 'I';
constexpr char kDecimalTag = 'D';
constexpr char kFloatTag = 'F';
constexpr char kBytesTag = 'S';
constexpr char kDateTag = 'd';
constexpr char kTimeTag = 't';
constexpr char kTimestampTag = 'T';

constexpr int64_t kMicrosPerMilli = 1'000;
constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kNanosPerMicro = 1'000;

void AppendHead(char tag, uint32_t length, std::string& out) {
  out += tag;
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(length >> shift);
}

class CellsOfArray : public KeyCells {
 public:
  explicit CellsOfArray(const arrow::Array& array) : array_(array) {}
  bool IsNull(int64_t row) const override { return array_.IsNull(row); }

 private:
  const arrow::Array& array_;
};

class NullCells final : public KeyCells {
 public:
  bool IsNull(int64_t) const override { return true; }
  void AppendKey(int64_t, std::string&) const override {}
  void AppendOrder(int64_t, std::string&) const override {}
};

class IntCells final : public CellsOfArray {
 public:
  IntCells(const arrow::Array& array, char tag, std::vector<int64_t> values)
      : CellsOfArray(array), tag_(tag), values_(std::move(values)) {}

  void AppendKey(int64_t row, std::string& out) const override {
    AppendHead(tag_, sizeof(int64_t), out);
    AppendBigEndian(static_cast<uint64_t>(values_[static_cast<size_t>(row)]), out);
  }
  void AppendOrder(int64_t row, std::string& out) const override {
    AppendOrderedInt(values_[static_cast<size_t>(row)], out);
  }

 private:
  char tag_;
  std::vector<int64_t> values_;  // null cells hold anything
};

class BoolCells final : public CellsOfArray {
 public:
  explicit BoolCells(const arrow::BooleanArray& array) : CellsOfArray(array), values_(array) {}
  void AppendKey(int64_t row, std::string& out) const override {
    AppendHead(kBoolTag, 1, out);
    AppendOrder(row, out);
  }
  void AppendOrder(int64_t row, std::string& out) const override { out += values_.Value(row) ? '\1' : '\0'; }

 private:
  const arrow::BooleanArray& values_;
};

template <typename ArrayType>
class FloatCells final : public CellsOfArray {
 public:
  explicit FloatCells(const ArrayType& array) : CellsOfArray(array), values_(array) {}
  void AppendKey(int64_t row, std::string& out) const override {
    AppendHead(kFloatTag, sizeof(double), out);
    AppendBigEndian(std::bit_cast<uint64_t>(CanonicalDouble(double{values_.Value(row)})), out);
  }
  void AppendOrder(int64_t row, std::string& out) const override {
    AppendOrderedDouble(double{values_.Value(row)}, out);
  }

 private:
  const ArrayType& values_;
};

template <typename ArrayType>
class BytesCells final : public CellsOfArray {
 public:
  explicit BytesCells(const ArrayType& array) : CellsOfArray(array), values_(array) {}
  void AppendKey(int64_t row, std::string& out) const override {
    const std::string_view bytes = values_.GetView(row);
    AppendHead(kBytesTag, static_cast<uint32_t>(bytes.size()), out);
    out += bytes;
  }
  void AppendOrder(int64_t row, std::string& out) const override { AppendOrderedBytes(values_.GetView(row), out); }

 private:
  const ArrayType& values_;
};

class DecimalCells final : public CellsOfArray {
 public:
  DecimalCells(const arrow::Array& array, int scale, std::vector<arrow::Decimal128> values)
      : CellsOfArray(array), scale_(scale), values_(std::move(values)) {}

  void AppendKey(int64_t row, std::string& out) const override {
    const arrow::Decimal128& value = values_[static_cast<size_t>(row)];
    AppendHead(kDecimalTag, 1 + 2 * sizeof(uint64_t), out);
    out += static_cast<char>(scale_);
    AppendBigEndian(static_cast<uint64_t>(value.high_bits()), out);
    AppendBigEndian(value.low_bits(), out);
  }
  void AppendOrder(int64_t row, std::string& out) const override {
    const arrow::Decimal128& value = values_[static_cast<size_t>(row)];
    AppendOrderedInt128(value.high_bits(), value.low_bits(), out);
  }

 private:
  int scale_;
  std::vector<arrow::Decimal128> values_;
};

using CellsPtr = std::unique_ptr<KeyCells>;

template <typename ArrayType>
CellsPtr Ints(const arrow::Array& array, char tag) {
  const auto& typed = static_cast<const ArrayType&>(array);
  std::vector<int64_t> values(static_cast<size_t>(array.length()));
  for (int64_t row = 0; row < array.length(); ++row) values[static_cast<size_t>(row)] = int64_t{typed.Value(row)};
  return std::make_unique<IntCells>(array, tag, std::move(values));
}

/// value * multiplier / divisor, exactly.
struct Scale {
  int64_t multiplier = 1;
  int64_t divisor = 1;
};

Scale ToMicros(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return {kMicrosPerSecond, 1};
    case arrow::TimeUnit::MILLI:
      return {kMicrosPerMilli, 1};
    case arrow::TimeUnit::MICRO:
      return {1, 1};
    case arrow::TimeUnit::NANO:
      break;
  }
  return {1, kNanosPerMicro};
}

template <typename ArrayType>
Result<CellsPtr> Micros(const arrow::Array& array, arrow::TimeUnit::type unit, char tag, std::string_view column) {
  const auto& typed = static_cast<const ArrayType&>(array);
  const Scale scale = ToMicros(unit);
  std::vector<int64_t> values(static_cast<size_t>(array.length()));
  for (int64_t row = 0; row < array.length(); ++row) {
    if (array.IsNull(row)) continue;
    int64_t& value = values[static_cast<size_t>(row)];
    if (__builtin_mul_overflow(int64_t{typed.Value(row)}, scale.multiplier, &value) || value % scale.divisor != 0) {
      return Corruption(
          "key column " + Quoted(column) +
          ": a time is not a whole number of microseconds, or out of range: " + std::to_string(typed.Value(row)));
    }
    value /= scale.divisor;
  }
  return CellsPtr(std::make_unique<IntCells>(array, tag, std::move(values)));
}

CellsPtr UnsignedLongs(const arrow::Array& array) {
  const auto& typed = static_cast<const arrow::UInt64Array&>(array);
  std::vector<arrow::Decimal128> values(static_cast<size_t>(array.length()));
  for (int64_t row = 0; row < array.length(); ++row)
    values[static_cast<size_t>(row)] = arrow::Decimal128(typed.Value(row));
  return std::make_unique<DecimalCells>(array, 0, std::move(values));
}

CellsPtr Decimals(const arrow::Array& array) {
  const auto& typed = static_cast<const arrow::Decimal128Array&>(array);
  std::vector<arrow::Decimal128> values(static_cast<size_t>(array.length()));
  for (int64_t row = 0; row < array.length(); ++row)
    values[static_cast<size_t>(row)] = arrow::Decimal128(typed.GetValue(row));
  const int scale = static_cast<const arrow::Decimal128Type&>(*array.type()).scale();
  return std::make_unique<DecimalCells>(array, scale, std::move(values));
}

template <template <typename> class Cells, typename ArrayType>
CellsPtr Wrap(const arrow::Array& array) {
  return std::make_unique<Cells<ArrayType>>(static_cast<const ArrayType&>(array));
}

}  // namespace

void AppendNullKey(std::string& out) { AppendHead(kNullTag, 0, out); }

Result<CellsPtr> MakeKeyCells(const arrow::Array& array, std::string_view column) {
  const arrow::DataType& type = *array.type();
  switch (type.id()) {
    case arrow::Type::NA:
      return CellsPtr(std::make_unique<NullCells>());
    case arrow::Type::BOOL:
      return CellsPtr(std::make_unique<BoolCells>(static_cast<const arrow::BooleanArray&>(array)));
    case arrow::Type::INT8:
      return Ints<arrow::Int8Array>(array, kIntTag);
    case arrow::Type::INT16:
      return Ints<arrow::Int16Array>(array, kIntTag);
    case arrow::Type::INT32:
      return Ints<arrow::Int32Array>(array, kIntTag);
    case arrow::Type::INT64:
      return Ints<arrow::Int64Array>(array, kIntTag);
    case arrow::Type::UINT8:
      return Ints<arrow::UInt8Array>(array, kIntTag);
    case arrow::Type::UINT16:
      return Ints<arrow::UInt16Array>(array, kIntTag);
    case arrow::Type::UINT32:
      return Ints<arrow::UInt32Array>(array, kIntTag);
    case arrow::Type::UINT64:
      return UnsignedLongs(array);  // a decimal(20,0) in the lake (C-28)
    case arrow::Type::FLOAT:
      return Wrap<FloatCells, arrow::FloatArray>(array);
    case arrow::Type::DOUBLE:
      return Wrap<FloatCells, arrow::DoubleArray>(array);
    case arrow::Type::DECIMAL128:
      return Decimals(array);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return Wrap<BytesCells, arrow::BinaryArray>(array);
    case arrow::Type::FIXED_SIZE_BINARY:
      return Wrap<BytesCells, arrow::FixedSizeBinaryArray>(array);
    case arrow::Type::DATE32:
      return Ints<arrow::Date32Array>(array, kDateTag);
    case arrow::Type::TIME32:
      return Micros<arrow::Time32Array>(array, static_cast<const arrow::Time32Type&>(type).unit(), kTimeTag, column);
    case arrow::Type::TIME64:
      return Micros<arrow::Time64Array>(array, static_cast<const arrow::Time64Type&>(type).unit(), kTimeTag, column);
    case arrow::Type::TIMESTAMP:
      return Micros<arrow::TimestampArray>(array, static_cast<const arrow::TimestampType&>(type).unit(), kTimestampTag,
                                           column);
    default:
      return Unsupported("key column " + Quoted(column) + ": a " + type.name() + " cannot be a key or an order");
  }
}

}  // namespace tidegate::parquet
