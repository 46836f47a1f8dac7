#include "tidegate/app/open_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::app {
namespace {

TEST(OpenCatalogTest, MetastoresAreNamedByHostAndPort) {
  const auto opened = [](const std::string& url) { return (*OpenCatalog(url, {}, {}))->Describe(); };
  EXPECT_EQ(opened("hive://meta.example"), "the Hive Metastore at meta.example:9083");
  EXPECT_EQ(opened("thrift://meta.example:19083/"), "the Hive Metastore at meta.example:19083");
  EXPECT_EQ(opened("hive://[::1]:1"), "the Hive Metastore at ::1:1");
  EXPECT_EQ(opened("hive://[::1]"), "the Hive Metastore at ::1:9083");
}

TEST(OpenCatalogTest, OtherAddressesAreRefused) {
  for (const std::string url :
       {"hive://", "hive://:9083", "hive://a:", "hive://a:0", "hive://a:65536", "hive://a:9083x", "hive://a/b",
        "hive://[::1", "hive://[::1]9083", "hive://a,b:9083", "hive://a:-1"}) {
    const Status refused = OpenCatalog(url, {}, {}).status();
    EXPECT_EQ(refused.code(), Code::kInvalidArgument) << url;
    EXPECT_THAT(refused.message(), testing::HasSubstr("write it as hive://host:9083")) << url;
  }
}

TEST(OpenCatalogTest, AMistypedSchemeIsNoFile) {
  for (const char* url : {"glu://us-east-1", "glue:us-east-1", "Glue://us-east-1", "sqlite:///x.db"}) {
    const Status refused = OpenCatalog(url, {}, {}).status();
    EXPECT_EQ(refused.code(), Code::kInvalidArgument) << url;
    EXPECT_THAT(refused.message(), testing::HasSubstr("write it as glue://eu-central-1")) << url;
  }
}

TEST(OpenCatalogTest, CatalogsAreToldFromFiles) {
  for (const char* url : {"glue://", "glue://eu-central-1", "hive://h", "thrift://h:9083"})
    EXPECT_TRUE(IsCatalogUrl(url));
  for (const char* url : {"hive.db", "./hive", "s3://hive", "hive:/x"}) EXPECT_FALSE(IsCatalogUrl(url));
}

}  // namespace
}  // namespace tidegate::app
