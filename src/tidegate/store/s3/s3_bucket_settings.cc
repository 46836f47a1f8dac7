#include "tidegate/store/s3/s3_bucket_settings.h"

#include <algorithm>
#include <iterator>
#include <pugixml.hpp>
#include <string_view>

#include "tidegate/base/text.h"

namespace tidegate::store {
namespace {

Result<pugi::xml_node> Load(const std::string& xml, const char* root, pugi::xml_document& document) {
  const bool read = static_cast<bool>(document.load_buffer(xml.data(), xml.size()));
  if (!read || std::string_view(document.document_element().name()) != root) {
    return Corruption("the server's answer is no <" + std::string(root) + ">: " + Quoted(xml, 120));
  }
  return document.document_element();
}

void TakeSmaller(int days, std::optional<int>& out) {
  if (days > 0) out = out ? std::min(*out, days) : days;
}

}  // namespace

Result<S3Lifecycle> ReadLifecycle(const std::string& xml) {
  pugi::xml_document document;
  TG_ASSIGN_OR_RETURN(const pugi::xml_node root, Load(xml, "LifecycleConfiguration", document));
  S3Lifecycle out;
  for (const pugi::xml_node rule : root.children("Rule")) {
    if (std::string_view(rule.child_value("Status")) != "Enabled") continue;
    TakeSmaller(rule.child("AbortIncompleteMultipartUpload").child("DaysAfterInitiation").text().as_int(),
                out.aborts_uploads_after_days);
    TakeSmaller(rule.child("Expiration").child("Days").text().as_int(), out.expires_after_days);
    for (const pugi::xml_node move : rule.children("Transition")) {
      const std::string_view to = move.child_value("StorageClass");
      if (to == "GLACIER" || to == "DEEP_ARCHIVE")
        TakeSmaller(move.child("Days").text().as_int(), out.freezes_after_days);
    }
  }
  return out;
}

Result<std::string> ReadVersioning(const std::string& xml) {
  pugi::xml_document document;
  TG_ASSIGN_OR_RETURN(const pugi::xml_node root, Load(xml, "VersioningConfiguration", document));
  return std::string(root.child_value("Status"));
}

Result<size_t> CountUploads(const std::string& xml) {
  pugi::xml_document document;
  TG_ASSIGN_OR_RETURN(const pugi::xml_node root, Load(xml, "ListMultipartUploadsResult", document));
  const auto uploads = root.children("Upload");
  return static_cast<size_t>(std::distance(uploads.begin(), uploads.end()));
}

}  // namespace tidegate::store
