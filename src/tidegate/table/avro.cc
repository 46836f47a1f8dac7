#include "tidegate/table/avro.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "tidegate/base/hash.h"
#include "tidegate/base/json.h"
#include "tidegate/base/text.h"

namespace tidegate::table {
namespace {

constexpr std::string_view kMagic("Obj\1", 4);
constexpr size_t kSyncBytes = 16;
constexpr int kMaxDepth = 64;
constexpr size_t kMaxTypes = 10'000;
constexpr size_t kMaxHeaderEntries = 10'000;
constexpr size_t kMaxBlockBytes = size_t{128} << 20;  // unpacked
constexpr size_t kMaxTotalBytes = size_t{2} << 30;    // unpacked, all blocks
constexpr size_t kMaxRowValues = 4'000'000;
constexpr size_t kFlushBytes = size_t{256} << 10;

constexpr std::pair<std::string_view, AvroKind> kPrimitives[] = {
    {"null", AvroKind::kNull},   {"boolean", AvroKind::kBoolean}, {"int", AvroKind::kInt},
    {"long", AvroKind::kLong},   {"float", AvroKind::kFloat},     {"double", AvroKind::kDouble},
    {"bytes", AvroKind::kBytes}, {"string", AvroKind::kString},
};

// ---------------------------------------------------------------------------------------------------------------------
// Schemas

class SchemaParser {
 public:
  Result<AvroSchema> Parse(const Json& json) {
    TG_ASSIGN_OR_RETURN(const size_t root, ParseType(json, "", 0));
    // A schema that is a name only has its type elsewhere than at 0; the whole of a file is always spelled out.
    if (root != 0) return Corruption("avro: the schema of the file is a reference");
    return std::move(schema_);
  }

 private:
  Result<size_t> ParseType(const Json& json, const std::string& space, int depth);
  Result<size_t> ParseName(const std::string& name, const std::string& space);
  Result<size_t> ParseUnion(const Json& json, const std::string& space, int depth);
  Result<size_t> ParseObject(const Json& json, const std::string& space, int depth);
  Result<size_t> ParseNamed(const Json& json, const std::string& kind, const std::string& space, int depth);
  Status ParseFields(const Json& json, const std::string& space, int depth, size_t record);
  Result<size_t> Add(AvroKind kind) {
    if (schema_.types.size() >= kMaxTypes) return Corruption("avro: a schema of too many types");
    schema_.types.push_back({});
    schema_.types.back().kind = kind;
    return schema_.types.size() - 1;
  }

  AvroSchema schema_;
  std::map<std::string, size_t> named_;
};

Result<std::string> TextOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string())
    return Corruption(std::string("avro: a schema without text in '") + key + "'");
  return found->get<std::string>();
}

Result<size_t> SchemaParser::ParseType(const Json& json, const std::string& space, int depth) {
  if (depth > kMaxDepth) return Corruption("avro: a schema nested deeper than " + std::to_string(kMaxDepth));
  if (json.is_string()) return ParseName(json.get_ref<const std::string&>(), space);
  if (json.is_array()) return ParseUnion(json, space, depth);
  if (json.is_object()) return ParseObject(json, space, depth);
  return Corruption("avro: a schema that is neither text, list nor object");
}

Result<size_t> SchemaParser::ParseName(const std::string& name, const std::string& space) {
  for (const auto& [primitive, kind] : kPrimitives) {
    if (name == primitive) return Add(kind);
  }
  auto found = named_.find(space.empty() ? name : space + "." + name);
  if (found == named_.end()) found = named_.find(name);
  if (found == named_.end()) return Corruption("avro: a schema names an unknown type: " + Quoted(name));
  return found->second;
}

Result<size_t> SchemaParser::ParseUnion(const Json& json, const std::string& space, int depth) {
  TG_ASSIGN_OR_RETURN(const size_t self, Add(AvroKind::kUnion));
  for (const Json& branch : json) {
    TG_ASSIGN_OR_RETURN(const size_t child, ParseType(branch, space, depth + 1));
    schema_.types[self].children.push_back(child);
  }
  return self;
}

Result<size_t> SchemaParser::ParseObject(const Json& json, const std::string& space, int depth) {
  const auto inner = json.find("type");
  if (inner == json.end()) return Corruption("avro: a schema without 'type'");
  if (!inner->is_string()) return ParseType(*inner, space, depth + 1);
  const std::string kind = inner->get<std::string>();
  if (kind == "record" || kind == "error" || kind == "fixed" || kind == "enum") {
    return ParseNamed(json, kind, space, depth);
  }
  if (kind != "array" && kind != "map") return ParseName(kind, space);
  TG_ASSIGN_OR_RETURN(const size_t self, Add(kind == "array" ? AvroKind::kArray : AvroKind::kMap));
  const auto child = json.find(kind == "array" ? "items" : "values");
  if (child == json.end()) return Corruption("avro: a list or map without the type of its items");
  TG_ASSIGN_OR_RETURN(const size_t type, ParseType(*child, space, depth + 1));
  schema_.types[self].children.push_back(type);
  return self;
}

Result<size_t> SchemaParser::ParseNamed(const Json& json, const std::string& kind, const std::string& space,
                                        int depth) {
  TG_ASSIGN_OR_RETURN(std::string name, TextOf(json, "name"));
  std::string own = space;
  if (json.contains("namespace")) {
    TG_ASSIGN_OR_RETURN(own, TextOf(json, "namespace"));
  }
  if (const size_t dot = name.rfind('.'); dot != std::string::npos)
    own = name.substr(0, dot);
  else if (!own.empty())
    name = own + "." + name;
  const AvroKind type = kind == "fixed" ? AvroKind::kFixed : kind == "enum" ? AvroKind::kEnum : AvroKind::kRecord;
  TG_ASSIGN_OR_RETURN(const size_t self, Add(type));
  if (!named_.emplace(name, self).second) return Corruption("avro: a type is defined twice: " + Quoted(name));
  if (type == AvroKind::kFixed) {
    const auto size = json.find("size");
    if (size == json.end() || !size->is_number_unsigned()) return Corruption("avro: a fixed type without a size");
    schema_.types[self].fixed_bytes = size->get<size_t>();
  } else if (type == AvroKind::kEnum) {
    const auto symbols = json.find("symbols");
    if (symbols == json.end() || !symbols->is_array()) return Corruption("avro: an enum without symbols");
    schema_.types[self].symbols = symbols->size();
  } else {
    TG_RETURN_IF_ERROR(ParseFields(json, own, depth, self));
  }
  return self;
}

Status SchemaParser::ParseFields(const Json& json, const std::string& space, int depth, size_t record) {
  const auto fields = json.find("fields");
  if (fields == json.end() || !fields->is_array()) return Corruption("avro: a record without a list of fields");
  for (const Json& one : *fields) {
    if (!one.is_object() || !one.contains("type")) return Corruption("avro: a field without a type");
    AvroSchema::Field field;
    TG_ASSIGN_OR_RETURN(field.name, TextOf(one, "name"));
    const auto id = one.find("field-id");
    if (id != one.end()) {
      const bool whole = id->is_number_unsigned() && id->get<uint64_t>() <= uint64_t{std::numeric_limits<int>::max()};
      if (!whole) return Corruption("avro: a 'field-id' that is not a whole number");
      field.id = id->get<int>();
    }
    TG_ASSIGN_OR_RETURN(field.type, ParseType(one["type"], space, depth + 1));
    schema_.types[record].fields.push_back(std::move(field));
  }
  return Status::Ok();
}

// ---------------------------------------------------------------------------------------------------------------------
// Bytes

/// Takes values off the front of bytes that nobody vouches for.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}

  std::string_view rest() const { return rest_; }
  bool done() const { return rest_.empty(); }

  Result<std::string_view> Take(uint64_t size) {
    if (size > rest_.size()) return Corruption("avro: a length points past the end");
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }

  Result<int64_t> Long() {
    uint64_t bits = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift == 63 && byte > 1) break;
      bits |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return static_cast<int64_t>(bits >> 1 ^ (~(bits & 1) + 1));
    }
    return Corruption("avro: a number that is cut off or too long");
  }

  /// A length: bytes that follow it here.
  Result<std::string_view> Sized() {
    TG_ASSIGN_OR_RETURN(const int64_t size, Long());
    if (size < 0) return Corruption("avro: a negative length");
    return Take(static_cast<uint64_t>(size));
  }

  /// The head of a run of items in an array or map: how many; 0 ends it.
  /// An item takes at least a byte in every schema that Iceberg has, so a count beyond the bytes is a lie.
  Result<uint64_t> ItemCount() {
    TG_ASSIGN_OR_RETURN(const int64_t count, Long());
    if (count < 0) {
      TG_ASSIGN_OR_RETURN(const int64_t bytes, Long());
      if (bytes < 0) return Corruption("avro: a negative length");
    }
    const uint64_t items = count < 0 ? ~static_cast<uint64_t>(count) + 1 : static_cast<uint64_t>(count);
    if (items > rest_.size()) return Corruption("avro: more items than bytes");
    return items;
  }

 private:
  std::string_view rest_;
};

class Decoder {
 public:
  Decoder(const AvroSchema& schema, std::string_view block, size_t* budget)
      : schema_(schema), cursor_(block), budget_(budget) {}

  Result<AvroValue> Row() {
    row_values_ = 0;
    return Value(0, 0);
  }
  bool done() const { return cursor_.done(); }

 private:
  Result<AvroValue> Value(size_t type, int depth);
  Result<AvroValue> Number(const AvroSchema::Type& type);
  Result<AvroValue> Real(bool wide);
  Result<AvroValue::Items> Record(const AvroSchema::Type& type, int depth);
  Result<AvroValue::Items> List(const AvroSchema::Type& type, int depth);
  Status Count() {
    if (++row_values_ > kMaxRowValues || *budget_ == 0) return Corruption("avro: more values than the file can mean");
    --*budget_;
    return Status::Ok();
  }

  const AvroSchema& schema_;
  Cursor cursor_;
  size_t row_values_ = 0;
  size_t* budget_;
};

AvroValue Wrap(std::string_view bytes) {
  AvroValue out;
  out.data = std::string(bytes);
  return out;
}

Result<AvroValue> Decoder::Number(const AvroSchema::Type& type) {
  TG_ASSIGN_OR_RETURN(const int64_t number, cursor_.Long());
  if (type.kind == AvroKind::kInt && number != static_cast<int32_t>(number)) {
    return Corruption("avro: an int that does not fit 32 bits");
  }
  if (type.kind == AvroKind::kEnum && (number < 0 || static_cast<uint64_t>(number) >= type.symbols)) {
    return Corruption("avro: an enum value that its type lacks");
  }
  AvroValue out;
  out.data = number;
  return out;
}

Result<AvroValue> Decoder::Real(bool wide) {
  TG_ASSIGN_OR_RETURN(const std::string_view bytes, cursor_.Take(wide ? sizeof(double) : sizeof(float)));
  double value = 0;
  float narrow = 0;
  if (wide)
    std::memcpy(&value, bytes.data(), sizeof value);
  else
    std::memcpy(&narrow, bytes.data(), sizeof narrow);
  AvroValue out;
  out.data = wide ? value : double{narrow};
  return out;
}

Result<AvroValue::Items> Decoder::Record(const AvroSchema::Type& type, int depth) {
  AvroValue::Items items;
  items.reserve(type.fields.size());
  for (const AvroSchema::Field& field : type.fields) {
    TG_ASSIGN_OR_RETURN(AvroValue item, Value(field.type, depth + 1));
    items.push_back(std::move(item));
  }
  return items;
}

Result<AvroValue::Items> Decoder::List(const AvroSchema::Type& type, int depth) {
  AvroValue::Items items;
  for (;;) {
    TG_ASSIGN_OR_RETURN(const uint64_t count, cursor_.ItemCount());
    if (count == 0) return items;
    for (uint64_t i = 0; i < count; ++i) {
      AvroValue key;
      if (type.kind == AvroKind::kMap) {
        TG_ASSIGN_OR_RETURN(const std::string_view text, cursor_.Sized());
        key = Wrap(text);
      }
      TG_ASSIGN_OR_RETURN(AvroValue item, Value(type.children[0], depth + 1));
      if (type.kind == AvroKind::kMap) {
        AvroValue pair;
        pair.data = AvroValue::Items{std::move(key), std::move(item)};
        item = std::move(pair);
      }
      items.push_back(std::move(item));
    }
  }
}

Result<AvroValue> Decoder::Value(size_t index, int depth) {
  if (depth > kMaxDepth) return Corruption("avro: values nested deeper than " + std::to_string(kMaxDepth));
  TG_RETURN_IF_ERROR(Count());
  const AvroSchema::Type& type = schema_.types[index];
  AvroValue out;
  switch (type.kind) {
    case AvroKind::kNull:
      break;
    case AvroKind::kBoolean: {
      TG_ASSIGN_OR_RETURN(const std::string_view byte, cursor_.Take(1));
      if (byte[0] != 0 && byte[0] != 1) return Corruption("avro: a boolean that is neither 0 nor 1");
      out.data = byte[0] == 1;
      break;
    }
    case AvroKind::kInt:
    case AvroKind::kLong:
    case AvroKind::kEnum: {
      TG_ASSIGN_OR_RETURN(out, Number(type));
      break;
    }
    case AvroKind::kFloat:
    case AvroKind::kDouble: {
      TG_ASSIGN_OR_RETURN(out, Real(type.kind == AvroKind::kDouble));
      break;
    }
    case AvroKind::kBytes:
    case AvroKind::kString: {
      TG_ASSIGN_OR_RETURN(const std::string_view bytes, cursor_.Sized());
      out = Wrap(bytes);
      break;
    }
    case AvroKind::kFixed: {
      TG_ASSIGN_OR_RETURN(const std::string_view bytes, cursor_.Take(type.fixed_bytes));
      out = Wrap(bytes);
      break;
    }
    case AvroKind::kRecord: {
      TG_ASSIGN_OR_RETURN(out.data, Record(type, depth));
      break;
    }
    case AvroKind::kArray:
    case AvroKind::kMap: {
      TG_ASSIGN_OR_RETURN(out.data, List(type, depth));
      break;
    }
    case AvroKind::kUnion: {
      TG_ASSIGN_OR_RETURN(const int64_t branch, cursor_.Long());
      if (branch < 0 || static_cast<uint64_t>(branch) >= type.children.size()) {
        return Corruption("avro: a union names a branch that it lacks");
      }
      return Value(type.children[static_cast<size_t>(branch)], depth + 1);
    }
  }
  out.type = index;
  return out;
}

/// Unpack raw deflate; what comes out may not be larger than kMaxBlockBytes.
Result<std::string> Inflate(std::string_view packed) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return Internal("avro: zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  std::array<char, 65536> chunk;
  int code = Z_OK;
  while (code == Z_OK && out.size() <= kMaxBlockBytes) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    code = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk.data(), chunk.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (out.size() > kMaxBlockBytes)
    return Corruption("avro: a block unpacks to more than " + HumanBytes(kMaxBlockBytes));
  if (code != Z_STREAM_END) return Corruption("avro: a block that does not unpack");
  return out;
}

std::string Deflate(std::string_view plain) {
  z_stream stream = {};
  std::string out;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) return out;
  out.resize(deflateBound(&stream, plain.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);  // one call does it: the output has room for the worst case
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

void AppendLong(std::string& out, int64_t value) {
  uint64_t bits = static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
  while (bits >= 0x80) {
    out += static_cast<char>(bits | 0x80);
    bits >>= 7;
  }
  out += static_cast<char>(bits);
}

void AppendBytes(std::string& out, std::string_view bytes) {
  AppendLong(out, static_cast<int64_t>(bytes.size()));
  out += bytes;
}

Result<std::map<std::string, std::string>> ReadHeaderMap(Cursor& cursor) {
  std::map<std::string, std::string> out;
  for (;;) {
    TG_ASSIGN_OR_RETURN(const uint64_t count, cursor.ItemCount());
    if (count == 0) return out;
    for (uint64_t i = 0; i < count; ++i) {
      TG_ASSIGN_OR_RETURN(const std::string_view key, cursor.Sized());
      TG_ASSIGN_OR_RETURN(const std::string_view value, cursor.Sized());
      out[std::string(key)] = std::string(value);
      if (out.size() > kMaxHeaderEntries) return Corruption("avro: a header of too many entries");
    }
  }
}

Status WrongType(std::string_view name) {
  return Corruption("avro: a field of another type than it must have: " + std::string(name));
}

Status MissingField(std::string_view name) { return Corruption("avro: a field is missing: " + std::string(name)); }

}  // namespace

Result<AvroSchema> ParseAvroSchema(std::string_view text) {
  Result<Json> json = ParseJson(text);
  if (!json.ok()) return json.status().WithContext("avro: the schema of the file");
  return SchemaParser().Parse(*json);
}

const AvroValue* AvroRecord::Find(int id, std::string_view name) const {
  const std::vector<AvroSchema::Field>& fields = type().fields;
  const auto wanted = [&](const AvroSchema::Field& field) { return field.id ? *field.id == id : field.name == name; };
  const auto found = std::find_if(fields.begin(), fields.end(), wanted);
  if (found == fields.end()) return nullptr;
  const AvroValue& value = items()[static_cast<size_t>(found - fields.begin())];
  return value.is_null() ? nullptr : &value;
}

Result<std::optional<int64_t>> AvroRecord::FindLong(int id, std::string_view name) const {
  const AvroValue* value = Find(id, name);
  if (value == nullptr) return std::optional<int64_t>();
  const int64_t* number = std::get_if<int64_t>(&value->data);
  if (number == nullptr) return WrongType(name);
  return std::optional<int64_t>(*number);
}

Result<std::optional<std::string>> AvroRecord::FindText(int id, std::string_view name) const {
  const AvroValue* value = Find(id, name);
  if (value == nullptr) return std::optional<std::string>();
  const std::string* text = std::get_if<std::string>(&value->data);
  if (text == nullptr) return WrongType(name);
  return std::optional<std::string>(*text);
}

Result<std::optional<AvroRecord>> AvroRecord::FindRecord(int id, std::string_view name) const {
  const AvroValue* value = Find(id, name);
  if (value == nullptr) return std::optional<AvroRecord>();
  if (schema_->types[value->type].kind != AvroKind::kRecord) return WrongType(name);
  return std::optional<AvroRecord>(AvroRecord(*schema_, *value));
}

Result<int64_t> AvroRecord::Long(int id, std::string_view name) const {
  TG_ASSIGN_OR_RETURN(const std::optional<int64_t> value, FindLong(id, name));
  if (!value) return MissingField(name);
  return *value;
}

Result<std::string> AvroRecord::Text(int id, std::string_view name) const {
  TG_ASSIGN_OR_RETURN(std::optional<std::string> value, FindText(id, name));
  if (!value) return MissingField(name);
  return *std::move(value);
}

Result<AvroReader> AvroReader::Open(std::string_view file) {
  if (!file.starts_with(kMagic)) return Corruption("avro: not an Avro container file");
  Cursor cursor(file.substr(kMagic.size()));
  AvroReader reader;
  TG_ASSIGN_OR_RETURN(reader.metadata_, ReadHeaderMap(cursor));
  TG_ASSIGN_OR_RETURN(reader.sync_, cursor.Take(kSyncBytes));
  reader.blocks_ = cursor.rest();
  const auto codec = reader.metadata_.find("avro.codec");
  const std::string name = codec == reader.metadata_.end() ? "null" : codec->second;
  reader.deflate_ = name == "deflate";
  if (!reader.deflate_ && name != "null") {
    return Unsupported("avro: a codec that this version does not read (null and deflate it does): " + Quoted(name));
  }
  TG_ASSIGN_OR_RETURN(reader.schema_, ParseAvroSchema(reader.metadata_["avro.schema"]));
  if (reader.schema_.types[0].kind != AvroKind::kRecord) return Corruption("avro: the rows of the file are no records");
  return reader;
}

Status AvroReader::ForEach(const std::function<Status(const AvroRecord&)>& sink) const {
  Cursor cursor(blocks_);
  size_t total = 0;
  while (!cursor.done()) {
    TG_ASSIGN_OR_RETURN(const int64_t rows, cursor.Long());
    TG_ASSIGN_OR_RETURN(const std::string_view packed, cursor.Sized());
    TG_ASSIGN_OR_RETURN(const std::string_view sync, cursor.Take(kSyncBytes));
    if (sync != sync_) return Corruption("avro: a block does not end where it says");
    std::string unpacked;
    if (deflate_) {
      TG_ASSIGN_OR_RETURN(unpacked, Inflate(packed));
    }
    const std::string_view block = deflate_ ? std::string_view(unpacked) : packed;
    total += block.size();
    if (total > kMaxTotalBytes) return Corruption("avro: the file unpacks to more than " + HumanBytes(kMaxTotalBytes));
    if (rows < 0 || static_cast<uint64_t>(rows) > block.size())
      return Corruption("avro: a block of more rows than bytes");
    size_t budget = 10'000 + 8 * block.size();
    Decoder decoder(schema_, block, &budget);
    for (int64_t i = 0; i < rows; ++i) {
      TG_ASSIGN_OR_RETURN(const AvroValue row, decoder.Row());
      TG_RETURN_IF_ERROR(sink(AvroRecord(schema_, row)));
    }
    if (!decoder.done()) return Corruption("avro: a block with bytes after its last row");
  }
  return Status::Ok();
}

AvroWriter::AvroWriter(std::string_view schema, const std::map<std::string, std::string>& metadata) : out_(kMagic) {
  std::map<std::string, std::string> header = metadata;
  header["avro.schema"] = schema;
  header["avro.codec"] = "deflate";
  AppendLong(out_, static_cast<int64_t>(header.size()));
  for (const auto& [key, value] : header) {
    AppendBytes(out_, key);
    AppendBytes(out_, value);
  }
  AppendLong(out_, 0);
  // Derived from the header, not random: the same rows give the same bytes.
  const Hash128 hash = HashBytes(out_);
  for (const uint64_t half : {hash.high, hash.low}) sync_.append(reinterpret_cast<const char*>(&half), sizeof half);
  out_ += sync_;
}

void AvroWriter::Long(int64_t value) { AppendLong(row_, value); }

void AvroWriter::Bytes(std::string_view value) { AppendBytes(row_, value); }

void AvroWriter::BeginItems(size_t count) {
  if (count > 0) Long(static_cast<int64_t>(count));  // a count of 0 would be the end already
}

void AvroWriter::EndRow() {
  ++rows_;
  if (row_.size() >= kFlushBytes) FlushBlock();
}

void AvroWriter::FlushBlock() {
  if (rows_ == 0) return;
  AppendLong(out_, rows_);
  AppendBytes(out_, Deflate(row_));
  out_ += sync_;
  row_.clear();
  rows_ = 0;
}

std::string AvroWriter::Finish() {
  FlushBlock();
  return std::move(out_);
}

}  // namespace tidegate::table
