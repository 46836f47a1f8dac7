#include "tidegate/aws/surroundings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tidegate/base/temp_dir_for_test.h"

namespace tidegate::aws {
namespace {

using ::testing::HasSubstr;

class SurroundingsTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (temp_.path() / name).string(); }
  void Write(const std::string& name, const std::string& text) { std::ofstream(Path(name), std::ios::binary) << text; }

  const TempDirForTest temp_;
  const Surroundings real_ = RealSurroundings(nullptr, nullptr, nullptr);
};

TEST_F(SurroundingsTest, AVariableThatIsEmptyIsNotSet) {
  setenv("TIDEGATE_TEST_VARIABLE", "", 1);
  EXPECT_FALSE(real_.variable("TIDEGATE_TEST_VARIABLE"));
  setenv("TIDEGATE_TEST_VARIABLE", "x", 1);
  EXPECT_EQ(real_.variable("TIDEGATE_TEST_VARIABLE"), "x");
  unsetenv("TIDEGATE_TEST_VARIABLE");
  EXPECT_FALSE(real_.variable("TIDEGATE_TEST_VARIABLE"));
}

TEST_F(SurroundingsTest, AFileIsReadUpToALimit) {
  Write("a", "12345");
  EXPECT_EQ(*real_.read_file(Path("a"), 5), "12345");
  EXPECT_EQ(real_.read_file(Path("a"), 4).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(real_.read_file("/dev/zero", 1000).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(real_.read_file(Path("none"), 4).status().code(), Code::kNotFound);
  EXPECT_EQ(real_.read_file(Path("a/b"), 4).status().code(), Code::kNotFound);
  EXPECT_EQ(real_.read_file(temp_.path().string(), 4).status().code(), Code::kNotFound);
}

TEST_F(SurroundingsTest, APipeWithoutAWriterDoesNotHang) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(*real_.read_file(Path("pipe"), 10), "");
}

TEST_F(SurroundingsTest, AFileIsReplacedAsAWholeForItsOwnerAlone) {
  Write("a", "old");
  ASSERT_TRUE(real_.replace_file(Path("a"), "new").ok());
  EXPECT_EQ(*real_.read_file(Path("a"), 10), "new");
  struct stat facts = {};
  ASSERT_EQ(stat(Path("a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  EXPECT_EQ(real_.replace_file(Path("none/a"), "new").code(), Code::kNotFound);
  EXPECT_FALSE(real_.replace_file(Path("."), "new").ok());
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(temp_.path())) files += entry.is_regular_file();
  EXPECT_EQ(files, 1u);  // nothing is left beside it
}

TEST_F(SurroundingsTest, ACommandRuns) { EXPECT_EQ(*real_.run({"printf", "x"}), "x"); }

TEST_F(SurroundingsTest, ATildeIsTheHome) {
  const VariableLookup home = [](const std::string& name) -> std::optional<std::string> {
    return name == "HOME" ? std::optional<std::string>("/home/me") : std::nullopt;
  };
  EXPECT_EQ(ExpandHome(home, "~/.aws/config"), "/home/me/.aws/config");
  EXPECT_EQ(ExpandHome(home, "/x/~/y"), "/x/~/y");
  EXPECT_EQ(ExpandHome([](const std::string&) { return std::optional<std::string>(); }, "~/x"), "~/x");
}

TEST_F(SurroundingsTest, MetadataAreAskedWithoutAProxyAndAreNear) {
  const net::HttpOptions options = MetadataHttpOptions(nullptr);
  EXPECT_FALSE(options.use_proxy);
  EXPECT_LE(options.connect_limit, std::chrono::seconds(1));
}

}  // namespace
}  // namespace tidegate::aws
