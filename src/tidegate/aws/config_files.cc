#include "tidegate/aws/config_files.h"

#include <optional>
#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Without a comment behind the value: a '#' or ';' that follows a space.
std::string_view WithoutComment(std::string_view value) {
  for (size_t i = 1; i < value.size(); ++i) {
    if ((value[i] == '#' || value[i] == ';') && IsSpace(value[i - 1])) return Trim(value.substr(0, i));
  }
  return value;
}

/// A command may hold '#' and ';' in its words.
bool HoldsCommand(std::string_view name) { return name == "credential_process"; }

struct Setting {
  std::string name;
  std::string value;
};

std::optional<Setting> SplitSetting(std::string_view line) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  Setting out{ToLower(Trim(line.substr(0, equals))), {}};
  const std::string_view value = Trim(line.substr(equals + 1));
  const bool only_comment = value.starts_with('#') || value.starts_with(';');
  if (!only_comment) out.value = HoldsCommand(out.name) ? value : WithoutComment(value);
  if (out.name.empty()) return std::nullopt;
  return out;
}

/// "x", 'x' or x
std::string_view Unquoted(std::string_view name) {
  const bool quoted = name.size() >= 2 && (name.front() == '"' || name.front() == '\'') && name.back() == name.front();
  return quoted ? name.substr(1, name.size() - 2) : name;
}

/// The name behind a word and space: "profile x" -> "x".
std::optional<std::string> NameBehind(std::string_view word, std::string_view header) {
  if (!header.starts_with(word) || header.size() == word.size() || !IsSpace(header[word.size()])) return std::nullopt;
  return std::string(Unquoted(Trim(header.substr(word.size()))));
}

class Parser {
 public:
  Parser(ConfigFileKind kind, const std::string& source, ConfigFiles& out) : kind_(kind), source_(source), out_(out) {}

  Status Line(std::string_view line) {
    ++number_;
    const std::string_view text = Trim(line);
    if (text.empty() || text[0] == '#' || text[0] == ';') return {};
    const size_t indent = static_cast<size_t>(text.data() - line.data());
    if (!setting_.empty() && indent > setting_indent_) return Continuation(text);
    if (text[0] == '[') return Header(text);
    setting_indent_ = indent;
    return Plain(text);
  }

 private:
  Status Wrong(std::string_view what) const {
    return InvalidArgument(std::string(what) + ": " + Quoted(source_) + ", line " + std::to_string(number_) +
                           "; mend the line");
  }

  Status Header(std::string_view text) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return Wrong("the header of a section has no ']'");
    const std::string_view behind = Trim(text.substr(end + 1));
    if (!behind.empty() && behind[0] != '#' && behind[0] != ';') return Wrong("something stands behind a header");
    in_section_ = true;
    setting_.clear();
    section_ = Find(Trim(text.substr(1, end - 1)));
    return {};
  }

  /// Null: a section that is nothing to us.
  ConfigSection* Find(std::string_view header) {
    if (kind_ == ConfigFileKind::kCredentials) return &out_.profiles[std::string(header)];
    if (header == "default") return default_is_profile_ ? nullptr : &out_.profiles["default"];
    if (const auto name = NameBehind("profile", header)) return FindProfile(*name);
    if (const auto name = NameBehind("sso-session", header)) return &out_.sso_sessions[*name];
    if (const auto name = NameBehind("services", header)) return &out_.services[*name];
    return nullptr;
  }

  ConfigSection* FindProfile(const std::string& name) {
    if (name == "default" && !default_is_profile_) {  // [profile default] stands above [default]
      default_is_profile_ = true;
      out_.profiles["default"] = {};
    }
    return &out_.profiles[name];
  }

  Status Plain(std::string_view text) {
    setting_.clear();
    if (!in_section_) return Wrong("no section such as [default] stands above the line");
    const auto setting = SplitSetting(text);
    if (!setting) return Wrong("a line is neither a header nor name = value");
    if (section_ == nullptr) return {};
    setting_ = setting->name;
    section_->values[setting->name] = setting->value;
    section_->nested.erase(setting->name);
    return {};
  }

  Status Continuation(std::string_view text) {
    std::string& value = section_->values[setting_];
    if (!value.empty()) {
      value += "\n" + std::string(text);
      return {};
    }
    const auto setting = SplitSetting(text);
    if (!setting) return Wrong("a line below a setting without a value is not name = value");
    section_->nested[setting_][setting->name] = setting->value;
    return {};
  }

  ConfigFileKind kind_;
  const std::string& source_;
  ConfigFiles& out_;
  size_t number_ = 0;
  bool in_section_ = false;
  bool default_is_profile_ = false;
  ConfigSection* section_ = nullptr;  // where settings go; null: passed over
  std::string setting_{};             // what a line that is indented deeper continues; "": nothing
  size_t setting_indent_ = 0;
};

Status LoadFile(const Surroundings& surroundings, const std::string& path, ConfigFileKind kind, ConfigFiles& out) {
  const Result<std::string> text = surroundings.read_file(path, kMaxConfigBytes);
  if (!text.ok() && text.status().code() == Code::kNotFound) return {};
  if (!text.ok()) return text.status();
  return ParseConfigText(*text, kind, path, out);
}

/// Settings of the credentials file replace those of the config file; a pair of keys does as a whole, so that the token
/// of one never goes with the key of the other.
void AddCredentialsFile(ConfigFiles from, ConfigFiles& to) {
  for (auto& [name, section] : from.profiles) {
    ConfigSection& profile = to.profiles[name];
    if (section.values.contains("aws_access_key_id")) {
      for (const char* key : {"aws_access_key_id", "aws_secret_access_key", "aws_session_token"}) {
        profile.values.erase(key);
      }
    }
    for (auto& [setting, value] : section.values) profile.values[setting] = std::move(value);
    for (auto& [setting, values] : section.nested) profile.nested[setting] = std::move(values);
  }
}

std::string PathOf(const VariableLookup& variable, const char* name, const char* usual) {
  return ExpandHome(variable, variable(name).value_or(usual));
}

}  // namespace

std::string ConfigSection::Value(const std::string& name) const {
  const auto found = values.find(name);
  return found == values.end() ? "" : found->second;
}

std::string ConfigSection::Nested(const std::string& outer, const std::string& name) const {
  const auto found = nested.find(outer);
  if (found == nested.end()) return "";
  const auto inner = found->second.find(name);
  return inner == found->second.end() ? "" : inner->second;
}

const ConfigSection* ConfigFiles::Profile(const std::string& name) const {
  const auto found = profiles.find(name);
  return found == profiles.end() ? nullptr : &found->second;
}

Status ParseConfigText(std::string_view text, ConfigFileKind kind, const std::string& source, ConfigFiles& out) {
  if (text.size() > kMaxConfigBytes) {
    return InvalidArgument("the file is larger than " + HumanBytes(kMaxConfigBytes) + ": " + Quoted(source));
  }
  if (text.find('\0') != std::string_view::npos) {
    return InvalidArgument("the file is no text, it has a byte 0: " + Quoted(source));
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Parser parser(kind, source, out);
  for (const std::string_view line : Split(text, '\n')) TG_RETURN_IF_ERROR(parser.Line(line));
  return {};
}

Result<ConfigFiles> LoadConfigFiles(const Surroundings& surroundings) {
  ConfigFiles out;
  out.config_path = PathOf(surroundings.variable, "AWS_CONFIG_FILE", "~/.aws/config");
  out.credentials_path = PathOf(surroundings.variable, "AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials");
  TG_RETURN_IF_ERROR(LoadFile(surroundings, out.config_path, ConfigFileKind::kConfig, out));
  ConfigFiles credentials;
  TG_RETURN_IF_ERROR(LoadFile(surroundings, out.credentials_path, ConfigFileKind::kCredentials, credentials));
  AddCredentialsFile(std::move(credentials), out);
  return out;
}

std::string ProfileName(const std::string& asked, const VariableLookup& variable) {
  if (!asked.empty()) return asked;
  return variable("AWS_PROFILE").value_or(variable("AWS_DEFAULT_PROFILE").value_or("default"));
}

}  // namespace tidegate::aws
