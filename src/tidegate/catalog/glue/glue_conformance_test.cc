// The conformance suite against Glue's API on a server (moto). tests/servers/run_with.py starts it and says where it
// is: TIDEGATE_TEST_S3_MOTO (the endpoint), …_REGION.
#include "tidegate/catalog/conformance_test_suite.h"
#include "tidegate/catalog/glue/glue_catalog.h"
#include "tidegate/catalog/glue/test_glue_server.h"

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

OpenCatalog MakeGlue() {
  std::shared_ptr<net::HttpClient> http = *net::MakeHttpClient({});
  EmptyGlue(http);
  return [http] { return std::make_unique<GlueCatalog>(GlueOnServer(http)); };
}

INSTANTIATE_TEST_SUITE_P(Glue, CatalogConformanceTest, testing::Values(CatalogCase{"glue", MakeGlue}), CatalogCaseName);

TEST(GlueCatalogTest, FourHundredAndFiftyPartitionsTakeFiveUpdates) {
  MakeGlue();
  auto http = std::make_shared<CountingHttp>(*net::MakeHttpClient({}));
  GlueCatalog catalog(GlueOnServer(http));
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
  GlueCatalog catalog(GlueOnServer(*net::MakeHttpClient({})));
  const Status made = catalog.CreateTable({.name = {"nowhere", "daily"}});
  EXPECT_EQ(made.code(), Code::kNotFound);
  EXPECT_THAT(made.message(), testing::HasSubstr("there is no database 'nowhere'"));
}

}  // namespace
}  // namespace tidegate::catalog
