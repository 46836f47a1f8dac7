#include "tidegate/catalog/partition_path.h"

#include "tidegate/base/text.h"

namespace tidegate::catalog {
namespace {

bool IsEscaped(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F || std::string_view("\"#%'*/:=?\\{[]^").find(c) != std::string_view::npos;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::string ColumnNames(const std::vector<HiveColumn>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const HiveColumn& column : columns) names.push_back(column.name + "=…");
  return Join(names, "/");
}

Result<std::string> ValueText(const HiveColumn& column, const std::optional<std::string>& value) {
  if (!value) return std::string(kNullPartition);
  if (value->empty()) {
    return InvalidArgument("the partition value of " + Quoted(column.name) +
                           " is empty: Hive writes an empty value like a null, and readers could not tell them apart; "
                           "publish null or another value");
  }
  if (*value == kNullPartition) {
    return InvalidArgument("the partition value of " + Quoted(column.name) + " is " + std::string(kNullPartition) +
                           ", the text that stands for null: publish null");
  }
  return EscapePartitionValue(*value);
}

}  // namespace

std::string EscapePartitionValue(std::string_view value) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : value) {
    if (!IsEscaped(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

Result<std::string> UnescapePartitionValue(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return InvalidArgument("not an escaped partition value: " + Quoted(text) +
                             ": after a '%' come two hex digits; write the '%' itself as %25");
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

Result<std::string> PartitionPath(const std::vector<HiveColumn>& columns, const PartitionValues& values) {
  if (columns.size() != values.size()) {
    return InvalidArgument("a partition of this table has " + std::to_string(columns.size()) + " values (" +
                           ColumnNames(columns) + "), not " + std::to_string(values.size()));
  }
  std::vector<std::string> parts;
  for (size_t i = 0; i < columns.size(); ++i) {
    TG_ASSIGN_OR_RETURN(const std::string value, ValueText(columns[i], values[i]));
    parts.push_back(EscapePartitionValue(columns[i].name) + "=" + value);
  }
  return Join(parts, "/");
}

Result<PartitionValues> ParsePartitionPath(const std::vector<HiveColumn>& columns, std::string_view text) {
  const Status wrong =
      InvalidArgument("not a partition of this table: " + Quoted(text) + ": write it as " + ColumnNames(columns));
  PartitionValues out(columns.size());
  std::vector<bool> given(columns.size());
  const std::vector<std::string_view> parts = Split(text, '/');
  if (parts.size() != columns.size()) return wrong;
  for (const std::string_view part : parts) {
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) return wrong;
    TG_ASSIGN_OR_RETURN(const std::string name, UnescapePartitionValue(part.substr(0, equals)));
    size_t i = 0;
    while (i < columns.size() && columns[i].name != name) ++i;
    if (i == columns.size() || given[i]) return wrong;
    given[i] = true;
    const std::string_view value = part.substr(equals + 1);
    if (value == kNullPartition) continue;
    TG_ASSIGN_OR_RETURN(out[i], UnescapePartitionValue(value));
    TG_RETURN_IF_ERROR(ValueText(columns[i], out[i]).status());
  }
  return out;
}

}  // namespace tidegate::catalog
