// The conformance suite against Glue's API on a server (moto). tests/servers/run_with.py starts it and says where it
// is: TIDEGATE_TEST_S3_MOTO (the endpoint), …_REGION.
#include <cstdlib>

#include "tidegate/aws/retry.h"
#include "tidegate/aws/test_keys.h"
#include "tidegate/catalog/conformance_test_suite.h"
#include "tidegate/catalog/glue/glue_catalog.h"

namespace tidegate::catalog {
namespace {

/// Counts what is asked.
class CountingHttp final : public net::HttpClient {
 public:
  explicit CountingHttp(std::unique_ptr<net::HttpClient> inner) : inner_(std::move(inner)) {}
  net::HttpOutcome Send(const net::HttpRequest& request) override {
    for (const net::HttpHeader& header : request.headers) {
      if (header.name == "x-amz-target") ++calls[header.value];
    }
    return inner_->Send(request);
  }
  std::map<std::string, int> calls;

 private:
  std::unique_ptr<net::HttpClient> inner_;
};

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

GlueSettings Settings(std::shared_ptr<net::HttpClient> http) {
  GlueSettings out{.region = Variable("TIDEGATE_TEST_S3_MOTO_REGION"), .origin = Variable("TIDEGATE_TEST_S3_MOTO")};
  out.http = std::move(http);
  out.credentials = std::make_shared<aws::TestKeys>();
  out.sleeper = std::make_shared<aws::SystemSleeper>(nullptr);
  return out;
}

OpenCatalog MakeGlue() {
  std::shared_ptr<net::HttpClient> http = *net::MakeHttpClient({});
  GlueClient client(Settings(http));
  static_cast<void>(client.Call("CreateDatabase", {{"DatabaseInput", OrderedJson{{"Name", "sales"}}}}, "sales"));
  static_cast<void>(GlueCatalog(Settings(http)).DropTable({"sales", "daily"}));
  return [http] { return std::make_unique<GlueCatalog>(Settings(http)); };
}

INSTANTIATE_TEST_SUITE_P(Glue, CatalogConformanceTest, testing::Values(CatalogCase{"glue", MakeGlue}), CatalogCaseName);

TEST(GlueCatalogTest, FourHundredAndFiftyPartitionsTakeFiveUpdates) {
  MakeGlue();
  auto http = std::make_shared<CountingHttp>(*net::MakeHttpClient({}));
  GlueCatalog catalog(Settings(http));
  const HiveTable table{
      .name = {"sales", "daily"}, .columns = {{"a", "int"}}, .partition_columns = {{"day", "string"}}};
  ASSERT_TRUE(catalog.CreateTable(table).ok());
  std::vector<HivePartition> partitions;
  partitions.reserve(450);
  for (int i = 0; i < 450; ++i) partitions.push_back({.values = {std::to_string(1000 + i)}, .location = "s3://w/old"});
  ASSERT_TRUE(catalog.AddPartitions(table.name, partitions).ok());
  partitions = *catalog.ListPartitions(table.name);
  for (HivePartition& one : partitions) one.location = "s3://w/new";
  const auto began = std::chrono::steady_clock::now();
  const auto updated = catalog.UpdatePartitions(table.name, partitions);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  ASSERT_TRUE(updated.ok()) << updated.status().ToString();
  for (const Status& one : *updated) EXPECT_TRUE(one.ok()) << one.ToString();
  EXPECT_EQ(http->calls["AWSGlue.BatchUpdatePartition"], 5);
  EXPECT_EQ(http->calls["AWSGlue.BatchCreatePartition"], 5);
  std::printf("450 partitions flipped in %.2f s, %d update calls\n", took.count(),
              http->calls["AWSGlue.BatchUpdatePartition"]);
}

TEST(GlueCatalogTest, ADatabaseThatIsNotThereIsSaid) {
  GlueCatalog catalog(Settings(*net::MakeHttpClient({})));
  const Status made = catalog.CreateTable({.name = {"nowhere", "daily"}});
  EXPECT_EQ(made.code(), Code::kNotFound);
  EXPECT_THAT(made.message(), testing::HasSubstr("there is no database 'nowhere'"));
}

}  // namespace
}  // namespace tidegate::catalog
