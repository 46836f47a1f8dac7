#include <arrow/util/float16.h>
#include <parquet/types.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/signature/dictionary_texts.h"
#include "tidegate/signature/file_column.h"
#include "tidegate/signature/leaf_pages.h"
#include "tidegate/signature/many_texts.h"
#include "tidegate/signature/value_text.h"

namespace tidegate::signature {
namespace {

using ::parquet::LogicalType;
using ::parquet::Type;

constexpr size_t kMostDecimalBytes = 32;

/// Write the texts of many values at once, as many of the first ones as suit (many_texts.h); or nothing.
template <typename Value>
using WriteMany = std::function<size_t(const Value* values, size_t count, char** ends)>;

/// How a value becomes text: the room it needs, and the writing. A form whose values differ in size has room_of.
template <typename Value, typename Put>
struct FixedForm {
  static constexpr bool kVaries = false;
  size_t room;
  Put put;
  WriteMany<Value> many;
};

template <typename Room, typename Put>
struct VaryingForm {
  static constexpr bool kVaries = true;
  Room room_of;
  Put put;
};

template <typename DType, typename Form>
class LeafColumn final : public FileColumn {
 public:
  using Value = typename DType::c_type;

  LeafColumn(const ::parquet::ColumnDescriptor& leaf, std::unique_ptr<::parquet::PageReader> pages,
             arrow::MemoryPool* pool, Form form)
      : pages_(leaf, std::move(pages), pool, kRowsAtOnce), form_(std::move(form)) {}

  Result<size_t> Ready() override {
    if (at_ == pages_.rows()) {
      if (!pages_.Decode()) return size_t{0};
      at_ = 0;
      if (pages_.coded() && !dictionary_.made()) MakeDictionary();
    }
    return pages_.rows() - at_;
  }

  void Skip(size_t rows) override { at_ += rows; }

  size_t FixedRoom() const override {
    if (pages_.coded()) return 1 + dictionary_.FixedRoom();
    if constexpr (Form::kVaries) return 1;
    if constexpr (!Form::kVaries) return form_.room;
  }

  bool Varies() const override { return pages_.coded() ? dictionary_.FixedRoom() == 0 : Form::kVaries; }

  void AddRoom(std::span<uint64_t> room) const override {
    if (pages_.coded()) {
      if (dictionary_.FixedRoom() > 0) return;
      ForEach(
          0, room, [&](uint64_t& needed, size_t row) { needed += dictionary_.RoomOf(pages_.codes()[row]); },
          [](uint64_t&) {});
    } else if constexpr (Form::kVaries) {
      ForEach(
          0, room, [&](uint64_t& needed, size_t row) { needed += form_.room_of(pages_.values()[row]); },
          [](uint64_t&) {});
    }
  }

  void Write(size_t first, std::span<char*> ends) const override {
    if (pages_.coded()) return WriteCoded(first, ends);
    if constexpr (!Form::kVaries) {
      if (form_.many) return WriteTogether(first, ends);
    }
    ForEach(
        first, ends, [&](char*& end, size_t row) { end = form_.put(end, pages_.values()[row]); }, PutNullAt);
  }

 private:
  static void PutNullAt(char*& end) { end = PutNull(end); }

  void WriteCoded(size_t first, std::span<char*> ends) const {
    const int32_t* const codes = pages_.codes();
    if (dictionary_.AreWords()) {
      ForEach(
          first, ends,
          [codes, words = dictionary_.AsWords()](char*& end, size_t row) { end = words.Put(end, codes[row]); },
          PutNullAt);
    } else {
      ForEach(
          first, ends, [&](char*& end, size_t row) { end = dictionary_.Put(end, codes[row]); }, PutNullAt);
    }
  }

  /// Null rows have some value, which is written over.
  void WriteTogether(size_t first, std::span<char*> ends) const {
    const Value* const values = pages_.values() + at_ + first;
    char* begins[kRowsAtOnce];
    if (pages_.has_nulls()) std::copy(ends.begin(), ends.end(), begins);
    for (size_t done = 0; done < ends.size();) {
      done += form_.many(values + done, ends.size() - done, ends.data() + done);
      const size_t stop = std::min(ends.size(), done + kManyAtOnce);
      for (; done < stop; ++done) ends[done] = form_.put(ends[done], values[done]);
    }
    if (!pages_.has_nulls()) return;
    for (size_t i = 0; i < ends.size(); ++i) {
      if (pages_.IsNull(at_ + first + i)) ends[i] = PutNull(begins[i]);
    }
  }

  template <typename T, typename Present, typename Null>
  void ForEach(size_t first, std::span<T> items, const Present& present, const Null& null) const {
    const size_t begin = at_ + first;
    if (!pages_.has_nulls()) {
      for (size_t i = 0; i < items.size(); ++i) present(items[i], begin + i);
      return;
    }
    for (size_t i = 0; i < items.size(); ++i) {
      if (pages_.IsNull(begin + i)) {
        null(items[i]);
      } else {
        present(items[i], begin + i);
      }
    }
  }

  size_t RoomOf(const Value& value) const {
    if constexpr (Form::kVaries) return form_.room_of(value);
    if constexpr (!Form::kVaries) return form_.room;
  }

  void MakeDictionary() {
    dictionary_.Make(pages_.dictionary_size(), [&](size_t i, std::string& texts) {
      const size_t before = texts.size();
      texts.resize(before + RoomOf(pages_.dictionary()[i]) + kOvershoot);
      const char* const end = form_.put(texts.data() + before, pages_.dictionary()[i]);
      texts.resize(static_cast<size_t>(end - texts.data()));
    });
  }

  LeafPages<DType> pages_;
  Form form_;
  DictionaryTexts dictionary_;
  size_t at_ = 0;
};

using ColumnPtr = std::unique_ptr<FileColumn>;

/// Chooses the form by what the file says of the column.
class LeafMaker {
 public:
  LeafMaker(const ::parquet::ColumnDescriptor& leaf, std::unique_ptr<::parquet::PageReader> pages,
            const LeafReading& how)
      : leaf_(leaf), logical_(*leaf.logical_type()), pages_(std::move(pages)), how_(how) {}

  Result<ColumnPtr> Make() {
    switch (leaf_.physical_type()) {
      case Type::BOOLEAN:
        return Fixed<::parquet::BooleanType>(1, [](char* out, bool value) { return PutBool(out, value); });
      case Type::INT32:
        return MakeInt<::parquet::Int32Type, uint32_t>();
      case Type::INT64:
        return MakeInt<::parquet::Int64Type, uint64_t>();
      case Type::INT96:
        return Fixed<::parquet::Int96Type>(kValueRoom, [](char* out, const ::parquet::Int96& value) {
          return PutInt96(out, value.value[2], uint64_t{value.value[1]} << 32 | value.value[0]);
        });
      case Type::FLOAT:
        return Fixed<::parquet::FloatType>(
            kDoubleRoom, [](char* out, float value) { return PutDouble(out, double{value}); }, Many<float>());
      case Type::DOUBLE:
        return Fixed<::parquet::DoubleType>(
            kDoubleRoom, [](char* out, double value) { return PutDouble(out, value); }, Many<double>());
      case Type::BYTE_ARRAY:
        return MakeBytes();
      case Type::FIXED_LEN_BYTE_ARRAY:
        return MakeFixedBytes();
      default:
        return NoText(leaf_);
    }
  }

 private:
  template <typename DType, typename Form>
  ColumnPtr Column(Form form) {
    return std::make_unique<LeafColumn<DType, Form>>(leaf_, std::move(pages_), how_.pool, std::move(form));
  }

  template <typename DType, typename Put>
  ColumnPtr Fixed(size_t room, Put put, WriteMany<typename DType::c_type> many = {}) {
    return Column<DType>(FixedForm<typename DType::c_type, Put>{room, std::move(put), std::move(many)});
  }

  /// Nothing where this machine cannot, or the shape does not suit.
  template <typename Value>
  WriteMany<Value> Many(const NumberShape::Options& options = {}) const {
    if (how_.machine != Machine::kAvx2 || options.scale > kManyMostScale) return {};
    return [shape = NumberShape(options)](const Value* values, size_t count, char** ends) {
      return WriteManyAvx2(shape, values, count, ends);
    };
  }

  template <typename DType, typename Room, typename Put>
  ColumnPtr Varying(Room room, Put put) {
    return Column<DType>(VaryingForm<Room, Put>{std::move(room), std::move(put)});
  }

  template <typename DType, typename Unsigned>
  Result<ColumnPtr> MakeInt() {
    using Value = typename DType::c_type;
    if (logical_.is_decimal()) return MakeIntDecimal<DType>();
    if (logical_.is_date()) {
      return Fixed<DType>(
          1 + kIntegerRoom, [](char* out, Value days) { return PutDate(out, days); }, Many<Value>({.tag = 'D'}));
    }
    if (logical_.is_time()) {
      return MakeTime<DType>('T', static_cast<const ::parquet::TimeLogicalType&>(logical_).time_unit());
    }
    if (logical_.is_timestamp()) {
      return MakeTime<DType>('P', static_cast<const ::parquet::TimestampLogicalType&>(logical_).time_unit());
    }
    if (logical_.is_int() && !static_cast<const ::parquet::IntLogicalType&>(logical_).is_signed()) {
      return Fixed<DType>(
          kIntegerRoom, [](char* out, Value value) { return PutUnsigned(out, static_cast<Unsigned>(value)); },
          Many<Value>({.is_unsigned = true}));
    }
    if (!logical_.is_int() && !logical_.is_none() && !logical_.is_null()) return NoText(leaf_);
    return Integers<DType>();
  }

  template <typename DType>
  ColumnPtr Integers() {
    using Value = typename DType::c_type;
    return Fixed<DType>(
        sizeof(Value) == 4 ? kShortIntegerRoom : kIntegerRoom,
        [](char* out, Value value) { return PutInteger(out, int64_t{value}); }, Many<Value>());
  }

  template <typename DType>
  Result<ColumnPtr> MakeTime(char tag, LogicalType::TimeUnit::unit file_unit) {
    using Value = typename DType::c_type;
    TimeUnit unit = TimeUnit::kMilli;
    if (file_unit == LogicalType::TimeUnit::MICROS) unit = TimeUnit::kMicro;
    if (file_unit == LogicalType::TimeUnit::NANOS) unit = TimeUnit::kNano;
    if (file_unit == LogicalType::TimeUnit::UNKNOWN) return NoText(leaf_);
    const int64_t micros = unit == TimeUnit::kMilli ? 1'000 : 1;
    return Fixed<DType>(
        kTimeRoom, [tag, unit](char* out, Value value) { return PutTime(out, tag, unit, int64_t{value}); },
        unit == TimeUnit::kNano ? WriteMany<Value>() : Many<Value>({.tag = tag, .factor = micros}));
  }

  int Scale() const { return static_cast<const ::parquet::DecimalLogicalType&>(logical_).scale(); }

  template <typename DType>
  Result<ColumnPtr> MakeIntDecimal() {
    using Value = typename DType::c_type;
    const int scale = Scale();
    if (scale < 0 || scale > kMostScale) return NoText(leaf_);
    if (scale == 0) return Integers<DType>();
    const WriteMany<Value> many = Many<Value>({.scale = scale});
    if (scale <= 8) {
      return Fixed<DType>(
          kShortDecimalRoom,
          [form = ShortScale(scale)](char* out, Value value) { return form.Put(out, int64_t{value}); }, many);
    }
    const auto put = [scale](char* out, Value value) {
      const uint64_t bytes = __builtin_bswap64(static_cast<uint64_t>(int64_t{value}));
      return PutDecimalBytes(out, reinterpret_cast<const uint8_t*>(&bytes), sizeof bytes, scale);
    };
    return Fixed<DType>(kWideNumberRoom, put, many);
  }

  Result<ColumnPtr> MakeBytes() {
    using ::parquet::ByteArray;
    using ::parquet::ByteArrayType;
    if (logical_.is_string() || logical_.is_enum() || logical_.is_JSON()) {
      return Varying<ByteArrayType>([](const ByteArray& value) { return TextRoom(value.len); },
                                    [](char* out, const ByteArray& value) {
                                      return PutText(out, reinterpret_cast<const char*>(value.ptr), value.len);
                                    });
    }
    if (logical_.is_decimal()) {
      const int scale = Scale();
      if (scale < 0 || scale > kMostScale) return NoText(leaf_);
      return Fixed<ByteArrayType>(kWideNumberRoom, [scale](char* out, const ByteArray& value) {
        if (value.len < 1 || value.len > kMostDecimalBytes)
          throw ::parquet::ParquetException("a decimal has no bytes or too many");
        return PutDecimalBytes(out, value.ptr, value.len, scale);
      });
    }
    if (!logical_.is_none() && !logical_.is_BSON() && !logical_.is_null()) return NoText(leaf_);
    return Varying<ByteArrayType>(
        [](const ByteArray& value) { return BytesRoom(value.len); },
        [](char* out, const ByteArray& value) { return PutBinary(out, value.ptr, value.len); });
  }

  Result<ColumnPtr> MakeFixedBytes() {
    using ::parquet::FLBA;
    using ::parquet::FLBAType;
    const auto size = static_cast<size_t>(std::max(0, leaf_.type_length()));
    if (logical_.is_UUID() && size == 16) {
      return Fixed<FLBAType>(kValueRoom, [](char* out, const FLBA& value) { return PutUuid(out, value.ptr); });
    }
    if (logical_.is_float16() && size == 2) {
      return Fixed<FLBAType>(kValueRoom, [](char* out, const FLBA& value) {
        return PutDouble(out, arrow::util::Float16::FromLittleEndian(value.ptr).ToDouble());
      });
    }
    if (logical_.is_decimal()) {
      const int scale = Scale();
      if (scale < 0 || scale > kMostScale || size < 1 || size > kMostDecimalBytes) return NoText(leaf_);
      return Fixed<FLBAType>(kWideNumberRoom, [size, scale](char* out, const FLBA& value) {
        return PutDecimalBytes(out, value.ptr, size, scale);
      });
    }
    if (!logical_.is_none() && !logical_.is_null()) return NoText(leaf_);
    return Fixed<FLBAType>(BytesRoom(size),
                           [size](char* out, const FLBA& value) { return PutBinary(out, value.ptr, size); });
  }

  const ::parquet::ColumnDescriptor& leaf_;
  const LogicalType& logical_;
  std::unique_ptr<::parquet::PageReader> pages_;
  LeafReading how_;
};

}  // namespace

Result<std::unique_ptr<FileColumn>> MakeLeafColumn(const ::parquet::ColumnDescriptor& leaf,
                                                   std::unique_ptr<::parquet::PageReader> pages,
                                                   const LeafReading& how) {
  return LeafMaker(leaf, std::move(pages), how).Make();
}

Status NoText(const ::parquet::ColumnDescriptor& leaf) {
  const LogicalType& logical = *leaf.logical_type();
  return Unsupported("column " + Quoted(leaf.path()->ToDotString()) + " has a type without a signature: " +
                     Quoted(logical.is_none() ? ::parquet::TypeToString(leaf.physical_type()) : logical.ToString()) +
                     "; leave the column out, or cast it");
}

}  // namespace tidegate::signature
