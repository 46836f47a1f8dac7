#include "tidegate/app/toml_values.h"

namespace tidegate::app {

Status ReadInt(const toml::table& section, const char* name, const std::string& where, int least, int most,
               std::optional<int>* out) {
  if (!section.contains(name)) return {};
  const auto value = section[name].value<int64_t>();
  if (!value || *value < least || *value > most) {
    return InvalidArgument(where + ": " + name + " must be a whole number from " + std::to_string(least) + " to " +
                           std::to_string(most));
  }
  *out = static_cast<int>(*value);
  return {};
}

Status ReadFlag(const toml::table& section, const char* name, const std::string& where, bool* out) {
  if (!section.contains(name)) return {};
  const auto value = section[name].value_exact<bool>();
  if (!value) return InvalidArgument(where + ": " + name + " must be true or false");
  *out = *value;
  return {};
}

Status ReadShare(const toml::table& section, const char* name, const std::string& where, double most,
                 const std::string& what, std::optional<double>* out) {
  if (!section.contains(name)) return {};
  const auto share = section[name].value<double>();
  if (!share || !(*share >= 0.0 && *share <= most)) return InvalidArgument(where + ": " + name + " must be " + what);
  *out = *share;
  return {};
}

Status CheckNames(const toml::table& section, const std::set<std::string>& known, const std::string& where) {
  for (const auto& [name, value] : section) {
    if (known.count(std::string(name.str())) == 0) {
      return InvalidArgument(where + ": unknown setting " + Quoted(name.str()));
    }
  }
  return {};
}

Result<const toml::table*> FindSection(const toml::table& root, const std::string& name, const std::string& source) {
  const toml::node* node = root.get(name);
  if (node != nullptr && !node->is_table()) {
    return InvalidArgument(source + ": a section is written [" + name + "], with its settings below");
  }
  return node == nullptr ? nullptr : node->as_table();
}

}  // namespace tidegate::app
