#include "tidegate/store/s3/s3_xml.h"

#include <algorithm>
#include <charconv>
#include <pugixml.hpp>
#include <sstream>

#include "tidegate/base/text.h"

namespace tidegate::store {
namespace {

constexpr unsigned kParse = pugi::parse_minimal | pugi::parse_escapes | pugi::parse_cdata;

Result<pugi::xml_node> Load(const std::string& xml, pugi::xml_document& document) {
  if (!document.load_buffer(xml.data(), xml.size(), kParse)) {
    return Corruption("the server's answer is not XML: " + Quoted(xml, 120));
  }
  return document.document_element();
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// As forms are encoded: '+' is a space.
std::string UrlDecode(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    const int high = text[at] == '%' && at + 2 < text.size() ? HexValue(text[at + 1]) : -1;
    const int low = high >= 0 ? HexValue(text[at + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      at += 2;
    } else {
      out += text[at] == '+' ? ' ' : text[at];
    }
  }
  return out;
}

UtcTime TimeOf(const char* text) {
  const auto time = ParseRfc3339(text);
  return time.ok() ? UtcTime(std::chrono::floor<std::chrono::seconds>(*time)) : UtcTime();
}

/// "STANDARD" is what is not said elsewhere.
std::string StorageClassOf(std::string_view name) { return name == "STANDARD" ? "" : std::string(name); }

/// A name of a listing. Errors: Corruption where it holds bytes that an encoded name cannot have: it was damaged.
Result<std::string> ReadName(const char* text, bool encoded) {
  const std::string_view name(text);
  if (!encoded) return std::string(name);
  const bool damaged =
      std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (damaged) return Corruption("the server's listing was damaged on its way: " + Quoted(name, 120));
  return UrlDecode(name);
}

bool IsColdClass(std::string_view storage_class) {
  return storage_class == "GLACIER" || storage_class == "DEEP_ARCHIVE";
}

ArchiveState StateOf(bool cold, bool thawing, bool thawed) {
  if (!cold) return ArchiveState::kReadable;
  if (thawing) return ArchiveState::kThawing;
  return thawed ? ArchiveState::kThawed : ArchiveState::kFrozen;
}

Result<ObjectInfo> ReadObject(const pugi::xml_node& node, bool encoded) {
  ObjectInfo out;
  TG_ASSIGN_OR_RETURN(out.key, ReadName(node.child_value("Key"), encoded));
  const std::string_view size = node.child_value("Size");
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), out.size_bytes);
  if (out.key.empty() || error != std::errc() || end != size.data() + size.size()) {
    return Corruption("the server lists an object without a key or a size: " + Quoted(out.key));
  }
  out.etag = BareEtag(node.child_value("ETag"));
  out.modified = TimeOf(node.child_value("LastModified"));
  out.storage_class = StorageClassOf(node.child_value("StorageClass"));
  const pugi::xml_node restore = node.child("RestoreStatus");
  const bool thawing = std::string_view(restore.child_value("IsRestoreInProgress")) == "true";
  const bool thawed = !std::string_view(restore.child_value("RestoreExpiryDate")).empty();
  out.archive = StateOf(IsColdClass(out.storage_class), thawing, thawed);
  return out;
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string BareEtag(std::string_view etag) {
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') etag = etag.substr(1, etag.size() - 2);
  return std::string(etag);
}

ArchiveState ArchiveStateOf(std::string_view storage_class, std::string_view restore_header,
                            std::string_view archive_status) {
  const auto says = [&](std::string_view text) { return restore_header.find(text) != std::string_view::npos; };
  return StateOf(IsColdClass(storage_class) || !archive_status.empty(), says("ongoing-request=\"true\""),
                 says("ongoing-request=\"false\""));
}

Result<S3ListPage> ReadListPage(const std::string& xml) {
  pugi::xml_document document;
  TG_ASSIGN_OR_RETURN(const pugi::xml_node root, Load(xml, document));
  if (std::string_view(root.name()) != "ListBucketResult") {
    return Corruption("the server's answer is no listing but " + Quoted(root.name()) +
                      ": is this the address of an S3 server?");
  }
  const bool encoded = std::string_view(root.child_value("EncodingType")) == "url";
  S3ListPage page;
  for (const pugi::xml_node node : root.children("Contents")) {
    TG_ASSIGN_OR_RETURN(ObjectInfo object, ReadObject(node, encoded));
    page.objects.push_back(std::move(object));
  }
  for (const pugi::xml_node node : root.children("CommonPrefixes")) {
    TG_ASSIGN_OR_RETURN(std::string prefix, ReadName(node.child_value("Prefix"), encoded));
    page.prefixes.push_back(std::move(prefix));
  }
  const bool more = std::string_view(root.child_value("IsTruncated")) == "true";
  page.next = root.child_value("NextContinuationToken");
  if (more && page.next.empty())
    return Corruption("the server's listing says that there is more, but not where it goes on");
  if (!more) page.next.clear();
  return page;
}

Result<std::string> ReadElement(const std::string& xml, const char* name) {
  pugi::xml_document document;
  TG_ASSIGN_OR_RETURN(const pugi::xml_node root, Load(xml, document));
  std::string out = root.child_value(name);
  if (out.empty()) return Corruption("the server's answer has no <" + std::string(name) + ">: " + Quoted(xml, 120));
  return out;
}

UtcTime ReadTimeElement(const std::string& xml, const char* name) {
  const auto text = ReadElement(xml, name);
  return text.ok() ? TimeOf(text->c_str()) : UtcTime();
}

bool IsErrorDocument(const std::string& xml) {
  pugi::xml_document document;
  const auto root = Load(xml, document);
  return root.ok() && std::string_view(root->name()) == "Error";
}

Result<std::vector<S3DeleteError>> ReadDeleteErrors(const std::string& xml) {
  pugi::xml_document document;
  TG_ASSIGN_OR_RETURN(const pugi::xml_node root, Load(xml, document));
  std::vector<S3DeleteError> out;
  for (const pugi::xml_node node : root.children("Error")) {
    out.push_back({node.child_value("Key"), node.child_value("Code"), node.child_value("Message")});
  }
  return out;
}

std::string WriteDelete(std::span<const std::string> keys) {
  std::string out = "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>";
  for (const std::string& key : keys) out += "<Object><Key>" + Escaped(key) + "</Key></Object>";
  return out + "</Delete>";
}

std::string WriteComplete(const std::vector<S3Part>& parts) {
  std::string out = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (const S3Part& part : parts) {
    out += "<Part><PartNumber>" + std::to_string(part.number) + "</PartNumber><ETag>&quot;" + Escaped(part.etag) +
           "&quot;</ETag>";
    if (!part.checksum.empty()) out += "<ChecksumCRC32C>" + part.checksum + "</ChecksumCRC32C>";
    out += "</Part>";
  }
  return out + "</CompleteMultipartUpload>";
}

std::string WriteRestore(const RestoreRequest& request) {
  return "<RestoreRequest xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Days>" + std::to_string(request.days) +
         "</Days><GlacierJobParameters><Tier>" + Escaped(request.tier) +
         "</Tier></GlacierJobParameters></RestoreRequest>";
}

}  // namespace tidegate::store
