#include "tidegate/athena/unload.h"

#include <algorithm>

#include "tidegate/athena/sql_text.h"
#include "tidegate/base/text.h"

namespace tidegate::athena {
namespace {

Result<std::string> CompressionName(const std::string& name) {
  if (name == "snappy") return std::string("SNAPPY");
  if (name == "zstd") return std::string("ZSTD");
  return InvalidArgument("Athena writes compression snappy or zstd, not " + Quoted(name));
}

std::string_view WithoutQuotes(std::string_view line) {
  if (line.size() >= 2 && line.front() == '"' && line.back() == '"') return line.substr(1, line.size() - 2);
  return line;
}

}  // namespace

Result<std::string> UnloadStatement(const Unload& unload) {
  if (!unload.to.starts_with("s3://")) {
    return InvalidArgument("Athena writes into S3 alone, not to " + Quoted(unload.to, 1200));
  }
  TG_ASSIGN_OR_RETURN(const std::string to, TextLiteral(unload.to));
  TG_ASSIGN_OR_RETURN(const std::string compression, CompressionName(unload.compression));
  // On lines of its own the SELECT may end in a comment.
  return "UNLOAD (\n" + unload.select + "\n) TO " + to + " WITH (format = 'PARQUET', compression = '" + compression +
         "')";
}

Result<std::vector<std::string>> ReadManifest(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view raw : Split(text, '\n')) {
    const std::string_view line = WithoutQuotes(Trim(raw));
    if (line.empty()) continue;
    if (!line.starts_with("s3://"))
      return Corruption("not a location of S3 in Athena's manifest: " + Quoted(line, 1200));
    out.emplace_back(line);
  }
  std::sort(out.begin(), out.end());
  const auto twice = std::adjacent_find(out.begin(), out.end());
  if (twice != out.end()) return Corruption("twice in Athena's manifest: " + Quoted(*twice, 1200));
  return out;
}

}  // namespace tidegate::athena
