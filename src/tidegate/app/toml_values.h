// Values of a settings file, each with a name and an error that says where it stands.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "tidegate/base/status.h"
#include "tidegate/base/text.h"
#include "tidegate/contract/toml_document.h"

namespace tidegate::app {

Status ReadInt(const toml::table& section, const char* name, const std::string& where, int least, int most,
               std::optional<int>* out);

Status ReadFlag(const toml::table& section, const char* name, const std::string& where, bool* out);

/// A number from 0 to `most`; `what` says in an error what it means.
Status ReadShare(const toml::table& section, const char* name, const std::string& where, double most,
                 const std::string& what, std::optional<double>* out);

/// Errors: InvalidArgument naming a setting that is not known.
Status CheckNames(const toml::table& section, const std::set<std::string>& known, const std::string& where);

/// A section of the file; null where it has none.
Result<const toml::table*> FindSection(const toml::table& root, const std::string& name, const std::string& source);

/// A setting that is a text with a meaning of its own, read by `parse`.
template <typename T, typename Parse>
Status ReadText(const toml::table& section, const char* name, const std::string& where, Parse parse, T* out) {
  if (!section.contains(name)) return {};
  const auto text = section[name].value<std::string>();
  if (!text) return InvalidArgument(where + ": " + name + " must be a text in quotes");
  const auto value = parse(*text);
  if (!value.ok()) return value.status().WithContext(where + ": " + name);
  *out = *value;
  return {};
}

/// The text as it is.
inline Result<std::string> AsItIs(const std::string& text) { return text; }

}  // namespace tidegate::app
