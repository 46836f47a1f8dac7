#include "tidegate/app/athena_access.h"

#include "tidegate/app/aws_access.h"
#include "tidegate/app/toml_values.h"
#include "tidegate/base/text.h"

namespace tidegate::app {

Result<AthenaOptions> ReadAthena(const toml::table& root, const std::string& source) {
  AthenaOptions out;
  TG_ASSIGN_OR_RETURN(const toml::table* section, FindSection(root, "athena", source));
  if (section == nullptr) return out;
  const std::string where = source + " [athena]";
  TG_RETURN_IF_ERROR(CheckNames(*section, {"workgroup", "result_location", "database", "catalog", "region"}, where));
  for (const auto& [name, to] :
       {std::pair{"workgroup", &out.workgroup}, std::pair{"result_location", &out.result_location},
        std::pair{"database", &out.database}, std::pair{"catalog", &out.catalog}, std::pair{"region", &out.region}}) {
    TG_RETURN_IF_ERROR(ReadText(*section, name, where, AsItIs, to));
  }
  if (out.workgroup.empty()) return InvalidArgument(where + ": workgroup names one, as \"primary\"");
  if (out.result_location.empty() || IsS3Url(out.result_location)) return out;
  return InvalidArgument(where + ": result_location lies in S3, as \"s3://bucket/athena-results/\", not at " +
                         Quoted(out.result_location, 1200));
}

Result<std::unique_ptr<athena::AthenaClient>> OpenAthena(const AthenaOptions& options, const StoreAccess& access) {
  const std::string place = "athena://" + options.region;
  TG_ASSIGN_OR_RETURN(const AwsAccess caller, ResolveAwsAccess(place, access));
  TG_ASSIGN_OR_RETURN(const ServicePlace service, FindService(caller, "athena", options.region,
                                                              "set region in [athena] of the settings, or AWS_REGION"));
  athena::AthenaSettings out{.region = service.region, .origin = service.origin, .workgroup = options.workgroup};
  out.result_location = options.result_location;
  out.catalog = options.catalog;
  out.database = options.database;
  out.credentials = caller.credentials;
  out.http = caller.surroundings.http;
  out.sleeper = caller.surroundings.sleeper;
  return std::make_unique<athena::AthenaClient>(std::move(out));
}

}  // namespace tidegate::app
