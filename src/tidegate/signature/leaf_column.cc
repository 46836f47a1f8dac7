#include <arrow/util/float16.h>
#include <parquet/types.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "tidegate/base/text.h"
#include "tidegate/signature/file_column.h"
#include "tidegate/signature/hashed_terms.h"
#include "tidegate/signature/leaf_pages.h"
#include "tidegate/signature/value_element.h"
#include "tidegate/signature/value_text.h"

namespace tidegate::signature {
namespace {

using ::parquet::LogicalType;
using ::parquet::Type;

constexpr size_t kMostDecimalBytes = 32;
constexpr size_t kUuidBytes = 16;

/// Which of some rows are null, by their levels; none where there are no levels.
class Nulls {
 public:
  explicit Nulls(const int16_t* levels) : levels_(levels) {}
  bool any() const { return levels_ != nullptr; }
  bool operator()(size_t row) const { return levels_[row] == 0; }

 private:
  const int16_t* levels_;
};

// A form: what values of a column add to their rows. TermsOf: of some that are not null. AddMany: of some rows, the
// values of null rows being any.

/// Has TermsOf by Term, which is of one value.
template <typename Form>
class TermByTerm {
 public:
  template <typename Value>
  void TermsOf(const Value* values, size_t count, Element* out) const {
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<const Form&>(*this).Term(values[i]);
  }
};

/// Numbers of 64 bits and less, each the same kind of value and in the same unit.
template <typename Value>
class NumberForm : public TermByTerm<NumberForm<Value>> {
 public:
  NumberForm(const Element& key, Kind kind, const Element& unit, bool is_unsigned = false)
      : key_(key * unit),
        kind_term_(key * KindElement(kind)),
        null_term_(key * NullElement() - kind_term_),
        high_term_(key_ * ElementOf(Int128{1} << 64)),
        is_unsigned_(is_unsigned) {}

  Element Term(Value value) const {
    const Element term = kind_term_ + key_ * ElementOf(Widened(value));
    return IsHigh(value) ? term + high_term_ : term;
  }

  void AddMany(const Value* values, size_t rows, Nulls nulls, RowTerms& terms) {
    terms.AddToAll(kind_term_);
    if (is_unsigned_ || nulls.any()) terms.RoomForTerms();  // a row that is null is not high
    if constexpr (sizeof(Value) == sizeof(int64_t)) {
      if (is_unsigned_) AddHigh(values, rows, nulls, terms);
      if (!nulls.any()) return terms.AddProducts(values, key_);
    }
    for (size_t row = 0; row < rows; ++row) wide_[row] = Widened(values[row]);
    if (nulls.any()) {
      for (size_t row = 0; row < rows; ++row) {
        if (!nulls(row)) continue;
        wide_[row] = 0;
        terms.Add(row, null_term_);
      }
    }
    terms.AddProducts(wide_, key_);
  }

 private:
  int64_t Widened(Value value) const {
    if constexpr (sizeof(Value) == sizeof(int32_t)) {
      if (is_unsigned_) return int64_t{static_cast<uint32_t>(value)};
    }
    return int64_t{value};
  }

  /// Is it an unsigned number that looks negative?
  bool IsHigh(Value value) const {
    if constexpr (sizeof(Value) == sizeof(int64_t)) return is_unsigned_ && value < 0;
    return false;
  }

  void AddHigh(const Value* values, size_t rows, Nulls nulls, RowTerms& terms) const {
    for (size_t row = 0; row < rows; ++row) {
      if (IsHigh(values[row]) && !(nulls.any() && nulls(row))) terms.Add(row, high_term_);
    }
  }

  Element key_;
  Element kind_term_;
  Element null_term_;  // beside the kind, which each row gets
  Element high_term_;
  bool is_unsigned_;
  int64_t wide_[kRowsAtOnce];
};

/// Are all below 2^51 and none a whole number? Then their bits are what counts. Of any others it may say no, too.
bool AreFractions(const double* values, size_t count) {
  typedef double Pair __attribute__((vector_size(16)));
  typedef int64_t Mask __attribute__((vector_size(16)));
  constexpr double kLimit = 2251799813685248.0;         // 2^51
  constexpr double kRounding = 3 * 2251799813685248.0;  // what is added to it loses its fraction
  constexpr Mask kMagnitude = {INT64_MAX, INT64_MAX};
  Mask right = ~Mask{};
  for (size_t i = 0; i + 2 <= count; i += 2) {
    Pair pair;
    std::memcpy(&pair, values + i, sizeof pair);
    const auto magnitude = reinterpret_cast<Pair>(reinterpret_cast<Mask>(pair) & kMagnitude);
    right &= (magnitude < kLimit) & ((pair + kRounding) - kRounding != pair);
  }
  if (count % 2 != 0 && (IsWhole(values[count - 1]) || !(std::fabs(values[count - 1]) < kLimit))) return false;
  return right[0] != 0 && right[1] != 0;
}

template <typename Value>
class FloatForm : public TermByTerm<FloatForm<Value>> {
 public:
  explicit FloatForm(const Element& key)
      : key_(key), float_term_(key * KindElement(Kind::kFloat)), null_term_(key * NullElement()) {}

  Element Term(Value value) const { return key_ * FloatElement(double{value}); }

  void AddMany(const Value* values, size_t rows, Nulls nulls, RowTerms& terms) {
    const double* const doubles = Widened(values, rows);
    if (!nulls.any() && AreFractions(doubles, rows)) {
      terms.AddToAll(float_term_);
      std::memcpy(wide_, doubles, rows * sizeof(double));
    } else {
      AddAny(doubles, rows, nulls, terms);
    }
    terms.AddProducts(wide_, key_);
  }

 private:
  const double* Widened(const Value* values, size_t rows) {
    if constexpr (sizeof(Value) == sizeof(double)) return values;
    for (size_t row = 0; row < rows; ++row) doubles_[row] = double{values[row]};
    return doubles_;
  }

  void AddAny(const double* doubles, size_t rows, Nulls nulls, RowTerms& terms) {
    terms.RoomForTerms();
    for (size_t row = 0; row < rows; ++row) {
      if (nulls.any() && nulls(row)) {
        wide_[row] = 0;
        terms.Add(row, null_term_);
      } else if (IsWhole(doubles[row])) {
        wide_[row] = static_cast<int64_t>(doubles[row]);
      } else {
        wide_[row] = FloatBits(doubles[row]);
        terms.Add(row, float_term_);
      }
    }
  }

  Element key_;
  Element float_term_;
  Element null_term_;
  double doubles_[kRowsAtOnce];
  int64_t wide_[kRowsAtOnce];
};

/// Bytes, which `bytes_of` gives of a value and its row.
template <typename Value, typename BytesOf>
class HashedForm {
 public:
  HashedForm(const ColumnReading& how, Kind kind, BytesOf bytes_of)
      : many_(kind, how.key, how.machine), bytes_of_(std::move(bytes_of)) {}

  void TermsOf(const Value* values, size_t count, Element* out) {
    for (size_t first = 0; first < count; first += kRowsAtOnce) {
      many_.TermsOf(
          std::min(kRowsAtOnce, count - first), [&](size_t i) { return bytes_of_(values[first + i], i); }, out + first);
    }
  }

  void AddMany(const Value* values, size_t rows, Nulls nulls, RowTerms& terms) {
    many_.Add(
        rows, nulls.any(), nulls, [&](size_t row) { return bytes_of_(values[row], row); }, terms);
  }

 private:
  HashedTerms many_;
  BytesOf bytes_of_;
};

/// Values of which `element_of` gives the element.
template <typename Value, typename ElementOfValue>
class ElementForm : public TermByTerm<ElementForm<Value, ElementOfValue>> {
 public:
  ElementForm(const Element& key, ElementOfValue element_of)
      : key_(key), null_term_(key * NullElement()), element_of_(std::move(element_of)) {}

  Element Term(const Value& value) const { return key_ * element_of_(value); }

  void AddMany(const Value* values, size_t rows, Nulls nulls, RowTerms& terms) const {
    terms.RoomForTerms();
    for (size_t row = 0; row < rows; ++row) terms.Add(row, nulls.any() && nulls(row) ? null_term_ : Term(values[row]));
  }

 private:
  Element key_;
  Element null_term_;
  ElementOfValue element_of_;
};

template <typename DType, typename Form>
class LeafColumn final : public FileColumn {
 public:
  using Value = typename DType::c_type;

  LeafColumn(const ::parquet::ColumnDescriptor& leaf, std::unique_ptr<::parquet::PageReader> pages,
             const ColumnReading& how, Form form)
      : pages_(leaf, std::move(pages), how.pool, kRowsAtOnce),
        form_(std::move(form)),
        null_term_(how.key * NullElement()) {}

  Result<size_t> Ready() override {
    if (at_ == pages_.rows()) {
      if (!pages_.Decode()) return size_t{0};
      at_ = 0;
      if (pages_.coded()) MakeDictionary();
    }
    return pages_.rows() - at_;
  }

  void Skip(size_t rows) override { at_ += rows; }

  void AddTerms(size_t rows, RowTerms& terms) override {
    const Nulls nulls(pages_.has_nulls() ? pages_.levels() + at_ : nullptr);
    if (!pages_.coded()) return form_.AddMany(pages_.values() + at_, rows, nulls, terms);
    const int32_t* const codes = pages_.codes() + at_;
    terms.RoomForTerms();
    for (size_t row = 0; row < rows; ++row)
      terms.Add(row, nulls.any() && nulls(row) ? null_term_ : dictionary_[static_cast<size_t>(codes[row])]);
  }

 private:
  /// A chunk has one dictionary at most.
  void MakeDictionary() {
    if (dictionary_.size() == pages_.dictionary_size()) return;
    dictionary_.resize(pages_.dictionary_size());
    form_.TermsOf(pages_.dictionary(), dictionary_.size(), dictionary_.data());
  }

  LeafPages<DType> pages_;
  Form form_;
  Element null_term_;
  std::vector<Element> dictionary_;  // the term of each value
  size_t at_ = 0;
};

/// The text of a UUID, in the place of its row.
class UuidTexts {
 public:
  std::string_view operator()(const ::parquet::FLBA& value, size_t row) {
    char* const begin = texts_[row];
    return {begin, static_cast<size_t>(PutUuid(begin, value.ptr) - begin)};
  }

 private:
  char texts_[kRowsAtOnce][kUuidText];
};

using ColumnPtr = std::unique_ptr<FileColumn>;

/// Chooses the form by what the file says of the column.
class LeafMaker {
 public:
  LeafMaker(const ::parquet::ColumnDescriptor& leaf, std::unique_ptr<::parquet::PageReader> pages,
            const ColumnReading& how)
      : leaf_(leaf), logical_(*leaf.logical_type()), pages_(std::move(pages)), how_(how) {}

  Result<ColumnPtr> Make() {
    switch (leaf_.physical_type()) {
      case Type::BOOLEAN:
        return Number<::parquet::BooleanType>(Kind::kBoolean);
      case Type::INT32:
        return MakeInt<::parquet::Int32Type>();
      case Type::INT64:
        return MakeInt<::parquet::Int64Type>();
      case Type::INT96:
        return Elements<::parquet::Int96Type>([](const ::parquet::Int96& value) {
          return KindElement(Kind::kTimestamp) +
                 ElementOf(Int96Micros(value.value[2], uint64_t{value.value[1]} << 32 | value.value[0]));
        });
      case Type::FLOAT:
        return Column<::parquet::FloatType>(FloatForm<float>(how_.key));
      case Type::DOUBLE:
        return Column<::parquet::DoubleType>(FloatForm<double>(how_.key));
      case Type::BYTE_ARRAY:
        return MakeBytes();
      case Type::FIXED_LEN_BYTE_ARRAY:
        return MakeFixedBytes();
      default:
        return NoSignature(leaf_);
    }
  }

 private:
  template <typename DType, typename Form>
  ColumnPtr Column(Form form) {
    return std::make_unique<LeafColumn<DType, Form>>(leaf_, std::move(pages_), how_, std::move(form));
  }

  template <typename DType>
  ColumnPtr Number(Kind kind, const Element& unit = TenTo(0), bool is_unsigned = false) {
    return Column<DType>(NumberForm<typename DType::c_type>(how_.key, kind, unit, is_unsigned));
  }

  template <typename DType, typename ElementOfValue>
  ColumnPtr Elements(ElementOfValue element_of) {
    return Column<DType>(ElementForm<typename DType::c_type, ElementOfValue>(how_.key, std::move(element_of)));
  }

  template <typename DType, typename BytesOf>
  ColumnPtr Hashed(Kind kind, BytesOf bytes_of) {
    return Column<DType>(HashedForm<typename DType::c_type, BytesOf>(how_, kind, std::move(bytes_of)));
  }

  template <typename DType>
  Result<ColumnPtr> MakeInt() {
    if (logical_.is_decimal()) {
      TG_ASSIGN_OR_RETURN(const Element unit, DecimalUnit());
      return Number<DType>(Kind::kNumber, unit);
    }
    if (logical_.is_date()) return Number<DType>(Kind::kDate);
    if (logical_.is_time()) {
      return MakeTime<DType>(Kind::kTime, static_cast<const ::parquet::TimeLogicalType&>(logical_).time_unit());
    }
    if (logical_.is_timestamp()) {
      return MakeTime<DType>(Kind::kTimestamp,
                             static_cast<const ::parquet::TimestampLogicalType&>(logical_).time_unit());
    }
    if (!logical_.is_int() && !logical_.is_none() && !logical_.is_null()) return NoSignature(leaf_);
    const bool is_unsigned = logical_.is_int() && !static_cast<const ::parquet::IntLogicalType&>(logical_).is_signed();
    return Number<DType>(Kind::kNumber, TenTo(0), is_unsigned);
  }

  template <typename DType>
  Result<ColumnPtr> MakeTime(Kind kind, LogicalType::TimeUnit::unit file_unit) {
    switch (file_unit) {
      case LogicalType::TimeUnit::MILLIS:
        return Number<DType>(kind, UnitFactor(TimeUnit::kMilli));
      case LogicalType::TimeUnit::MICROS:
        return Number<DType>(kind, UnitFactor(TimeUnit::kMicro));
      case LogicalType::TimeUnit::NANOS:
        return Number<DType>(kind, UnitFactor(TimeUnit::kNano));
      default:
        return NoSignature(leaf_);
    }
  }

  /// What a decimal's unscaled number counts.
  Result<Element> DecimalUnit() const {
    const int scale = static_cast<const ::parquet::DecimalLogicalType&>(logical_).scale();
    if (scale < 0 || scale > kMostScale) return NoSignature(leaf_);
    return TenTo(-scale);
  }

  Result<ColumnPtr> MakeBytes() {
    using ::parquet::ByteArray;
    using ::parquet::ByteArrayType;
    const auto bytes_of = [](const ByteArray& value, size_t) {
      return std::string_view(reinterpret_cast<const char*>(value.ptr), value.len);
    };
    if (logical_.is_string() || logical_.is_enum() || logical_.is_JSON())
      return Hashed<ByteArrayType>(Kind::kText, bytes_of);
    if (logical_.is_decimal()) {
      TG_ASSIGN_OR_RETURN(const Element unit, DecimalUnit());
      return Elements<ByteArrayType>([unit](const ByteArray& value) {
        if (value.len < 1 || value.len > kMostDecimalBytes)
          throw ::parquet::ParquetException("a decimal has no bytes or too many");
        return unit * ElementOfWide(value.ptr, value.len);
      });
    }
    if (!logical_.is_none() && !logical_.is_BSON() && !logical_.is_null()) return NoSignature(leaf_);
    return Hashed<ByteArrayType>(Kind::kBinary, bytes_of);
  }

  Result<ColumnPtr> MakeFixedBytes() {
    using ::parquet::FLBA;
    using ::parquet::FLBAType;
    const auto size = static_cast<size_t>(std::max(0, leaf_.type_length()));
    if (logical_.is_UUID() && size == kUuidBytes) return Hashed<FLBAType>(Kind::kUuid, UuidTexts());
    if (logical_.is_float16() && size == 2) {
      return Elements<FLBAType>(
          [](const FLBA& value) { return FloatElement(arrow::util::Float16::FromLittleEndian(value.ptr).ToDouble()); });
    }
    if (logical_.is_decimal()) {
      TG_ASSIGN_OR_RETURN(const Element unit, DecimalUnit());
      if (size < 1 || size > kMostDecimalBytes) return NoSignature(leaf_);
      return Elements<FLBAType>([size, unit](const FLBA& value) { return unit * ElementOfWide(value.ptr, size); });
    }
    if (!logical_.is_none() && !logical_.is_null()) return NoSignature(leaf_);
    return Hashed<FLBAType>(Kind::kBinary, [size](const FLBA& value, size_t) {
      return std::string_view(reinterpret_cast<const char*>(value.ptr), size);
    });
  }

  const ::parquet::ColumnDescriptor& leaf_;
  const LogicalType& logical_;
  std::unique_ptr<::parquet::PageReader> pages_;
  ColumnReading how_;
};

}  // namespace

Result<std::unique_ptr<FileColumn>> MakeLeafColumn(const ::parquet::ColumnDescriptor& leaf,
                                                   std::unique_ptr<::parquet::PageReader> pages,
                                                   const ColumnReading& how) {
  return LeafMaker(leaf, std::move(pages), how).Make();
}

Status NoSignature(const ::parquet::ColumnDescriptor& leaf) {
  const LogicalType& logical = *leaf.logical_type();
  return Unsupported("column " + Quoted(leaf.path()->ToDotString()) + " has a type without a signature: " +
                     Quoted(logical.is_none() ? ::parquet::TypeToString(leaf.physical_type()) : logical.ToString()) +
                     "; leave the column out, or cast it");
}

}  // namespace tidegate::signature
