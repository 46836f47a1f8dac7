// The conformance suite on a catalog that Athena's statements change, against the facade of its API:
// tests/servers/run_with.py --athena starts it and says where it is: TIDEGATE_TEST_ATHENA (the endpoint), and of the
// Glue below it as for that suite.
#include "tidegate/catalog/athena/athena_catalog.h"
#include "tidegate/catalog/conformance_test_suite.h"
#include "tidegate/catalog/glue/test_glue_server.h"

namespace tidegate::catalog {
namespace {

/// A facade has no queue: what it ran is done when it is asked.
class ShortSleeper final : public aws::Sleeper {
 public:
  Status Sleep(std::chrono::milliseconds time) override { return inner_.Sleep(time / 20); }

 private:
  aws::SystemSleeper inner_{nullptr};
};

std::unique_ptr<AthenaCatalog> Open(const std::shared_ptr<net::HttpClient>& http) {
  const GlueSettings glue = GlueOnServer(http);
  athena::AthenaSettings settings{
      .region = glue.region,
      .origin = Variable("TIDEGATE_TEST_ATHENA"),
      .result_location = "s3://" + Variable("TIDEGATE_TEST_S3_SEAWEEDFS_BUCKET") + "/results/",
      .credentials = glue.credentials};
  settings.http = http;
  settings.sleeper = std::make_shared<ShortSleeper>();
  return std::make_unique<AthenaCatalog>(std::make_unique<GlueCatalog>(glue),
                                         std::make_unique<athena::AthenaClient>(settings));
}

OpenCatalog MakeAthena() {
  std::shared_ptr<net::HttpClient> http = *net::MakeHttpClient({});
  EmptyGlue(http);
  return [http] { return Open(http); };
}

INSTANTIATE_TEST_SUITE_P(Athena, CatalogConformanceTest,
                         testing::Values(CatalogCase{.name = "athena",
                                                     .make = MakeAthena,
                                                     .refused_values = {"a\\b", "it's", "\x01"},
                                                     .locations_alone = true,
                                                     .many = 130}),
                         CatalogCaseName);

}  // namespace
}  // namespace tidegate::catalog
