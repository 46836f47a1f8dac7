#include "tidegate/aws/process_source.h"

#include <utility>

namespace tidegate::aws {

ProcessSource::ProcessSource(std::string described, std::vector<std::string> argv, const Surroundings& surroundings)
    : described_(std::move(described)), argv_(std::move(argv)), surroundings_(surroundings) {}

Result<Credentials> ProcessSource::Fetch() {
  const Result<std::string> printed = surroundings_.run(argv_);
  if (!printed.ok()) return printed.status().WithContext(described_);
  TG_ASSIGN_OR_RETURN(const Json document, ObjectFrom(*printed, described_));
  const auto version = document.find("Version");
  if (version == document.end() || *version != 1) {
    return Corruption(described_ + ": what the command printed does not say \"Version\": 1; other forms are not known");
  }
  return KeysFromJson(document, "SessionToken", described_);
}

}  // namespace tidegate::aws
