#include "tidegate/app/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tidegate/base/temp_dir_for_test.h"

namespace tidegate::app {
namespace {

using ::testing::HasSubstr;

/// Each test works in a folder of its own and without the caller's environment.
class SettingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("TIDEGATE_CONFIG");
    std::filesystem::current_path(temp_.path());
  }
  void TearDown() override {
    unsetenv("TIDEGATE_CONFIG");
    std::filesystem::current_path(before_);
  }
  void Write(const std::string& name, const std::string& text) { std::ofstream(name, std::ios::binary) << text; }
  Status Refused(const std::string& text) {
    Write("bad.toml", text);
    return LoadSettings("bad.toml").status();
  }

  const std::filesystem::path before_ = std::filesystem::current_path();
  const TempDirForTest temp_;
};

constexpr const char* kOneTable = "[[table]]\nname = \"shop.orders\"\nmode = \"parts\"\n";

TEST_F(SettingsTest, WithoutAFileTheBuiltInCatalogHolds) {
  const auto settings = LoadSettings("");
  ASSERT_TRUE(settings.ok()) << settings.status().ToString();
  EXPECT_EQ(settings->source, "built-in");
  EXPECT_EQ(settings->catalog.entries().size(), 19u);
  EXPECT_FALSE(settings->ingest_jobs);
}

TEST_F(SettingsTest, TheFileBesideTheWorkIsFound) {
  Write("tidegate.toml", std::string(kOneTable) + "[ingest]\njobs = 3\n[query]\nmemory_limit = \"2GB\"\nthreads = 2\n");
  const auto settings = LoadSettings("");
  ASSERT_TRUE(settings.ok()) << settings.status().ToString();
  EXPECT_EQ(settings->source, "tidegate.toml");
  EXPECT_EQ(settings->catalog.entries().size(), 1u);
  EXPECT_EQ(settings->ingest_jobs, 3);
  EXPECT_EQ(settings->query_memory_limit, "2GB");
  EXPECT_EQ(settings->query_threads, 2);
}

TEST_F(SettingsTest, TheShrinkGuardIsSetByRowsAndShare) {  // C-29
  EXPECT_EQ(LoadSettings("")->shrink_guard.zero_from_more_than, 1'000);
  Write("tidegate.toml", "[ingest]\nshrink_guard_rows = 2\nshrink_guard_share = 0.9\nshrink_guard_share_rows = 50\n");
  const auto settings = LoadSettings("");
  ASSERT_TRUE(settings.ok()) << settings.status().ToString();
  EXPECT_TRUE(settings->shrink_guard.Holds(3, 0));
  EXPECT_FALSE(settings->shrink_guard.Holds(50, 5));
  EXPECT_TRUE(settings->shrink_guard.Holds(50, 4));
  for (const char* share : {"-0.1", "1.5", "nan", "\"half\""}) {
    EXPECT_THAT(Refused("[ingest]\nshrink_guard_share = " + std::string(share)).message(), HasSubstr("from 0 to 1"));
  }
}

TEST_F(SettingsTest, MemoryIsASize) {
  EXPECT_FALSE(LoadSettings("")->ingest_memory);
  Write("tidegate.toml", "[ingest]\nmemory = \"2GB\"\n");
  EXPECT_EQ(LoadSettings("")->ingest_memory, 2'000'000'000);
  EXPECT_THAT(Refused("[ingest]\nmemory = \"much\"\n").message(), HasSubstr("memory"));
}

TEST_F(SettingsTest, HowOftenTheWholeBucketIsListedIsADuration) {
  EXPECT_EQ(LoadSettings("")->list_all_every, std::chrono::hours(7 * 24));
  Write("tidegate.toml", "[ingest]\nlist_all_every = \"6h\"\n");
  EXPECT_EQ(LoadSettings("")->list_all_every, std::chrono::hours(6));
  EXPECT_THAT(Refused("[ingest]\nlist_all_every = \"often\"\n").message(), HasSubstr("list_all_every"));
}

TEST_F(SettingsTest, TheFlagWinsOverTheEnvironmentAndThatOverTheFileBesideTheWork) {
  Write("tidegate.toml", "[ingest]\njobs = 1\n");
  Write("environment.toml", "[ingest]\njobs = 2\n");
  Write("flag.toml", "[ingest]\njobs = 3\n");
  EXPECT_EQ(LoadSettings("")->ingest_jobs, 1);
  setenv("TIDEGATE_CONFIG", "environment.toml", 1);
  EXPECT_EQ(LoadSettings("")->ingest_jobs, 2);
  EXPECT_EQ(LoadSettings("flag.toml")->ingest_jobs, 3);
  setenv("TIDEGATE_CONFIG", "", 1);
  EXPECT_EQ(LoadSettings("")->ingest_jobs, 1);
}

TEST_F(SettingsTest, AFileThatWasNamedMustBeThere) {
  const Status status = LoadSettings("none.toml").status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("none.toml"));
  setenv("TIDEGATE_CONFIG", "gone.toml", 1);
  EXPECT_EQ(LoadSettings("").status().code(), Code::kNotFound);
  std::filesystem::create_directory("folder.toml");
  EXPECT_FALSE(LoadSettings("folder.toml").ok());
}

TEST_F(SettingsTest, AValueOutOfRangeIsRefusedWithItsBounds) {
  for (const char* text : {"[ingest]\njobs = 0\n", "[ingest]\njobs = 257\n", "[ingest]\njobs = \"two\"\n",
                           "[ingest]\njobs = 1.5\n", "[query]\nthreads = -1\n"}) {
    const Status status = Refused(text);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << text;
    EXPECT_THAT(status.message(), HasSubstr("whole number from 1 to")) << text;
    EXPECT_THAT(status.message(), HasSubstr("bad.toml")) << text;
  }
  EXPECT_THAT(Refused("[query]\nmemory_limit = 2\n").message(), HasSubstr("memory_limit must be a text"));
}

TEST_F(SettingsTest, HowMuchOfALakeIsKeptIsSaidByNumberAndTime) {
  Write("tidegate.toml", "[lake]\nkeep_snapshots = 24\nkeep_for = \"30d\"\n");
  const auto settings = LoadSettings("");
  ASSERT_TRUE(settings.ok()) << settings.status().ToString();
  EXPECT_EQ(settings->keep_snapshots, 24);
  EXPECT_EQ(settings->keep_for, std::chrono::hours(30 * 24));
  EXPECT_THAT(Refused("[lake]\nkeep_for = 7\n").message(), HasSubstr("keep_for must be a text"));
  EXPECT_THAT(Refused("[lake]\nkeep_for = \"a week\"\n").message(), HasSubstr("[lake]: keep_for: a length of time is"));
  EXPECT_EQ(Refused("[lake]\nkeep_snapshots = 0\n").code(), Code::kInvalidArgument);
  EXPECT_THAT(Refused("[lake]\nkeep = 1\n").message(), HasSubstr("'keep'"));
}

TEST_F(SettingsTest, TheBucketSectionSaysWhenObjectsFreeze) {
  Write("tidegate.toml", "[bucket]\nfreezes_after = \"90d\"\n");
  const auto settings = LoadSettings("");
  ASSERT_TRUE(settings.ok()) << settings.status().ToString();
  EXPECT_EQ(settings->freezes_after, std::chrono::hours(90 * 24));
  EXPECT_THAT(Refused("[bucket]\nfreezes = 7\n").message(), HasSubstr("unknown setting"));
}

TEST_F(SettingsTest, AnUnknownSettingIsNamed) {
  EXPECT_THAT(Refused("[ingest]\njobz = 1\n").message(), HasSubstr("'jobz'"));
  EXPECT_THAT(Refused("[query]\nlimit = 1\n").message(), HasSubstr("'limit'"));
}

TEST_F(SettingsTest, ASectionThatIsNoSectionIsRefused) {
  EXPECT_EQ(Refused("ingest = 3\n").code(), Code::kInvalidArgument);
  EXPECT_EQ(Refused("[[query]]\nthreads = 3\n").code(), Code::kInvalidArgument);
}

TEST_F(SettingsTest, TextThatIsNoTomlIsRefusedWithItsPlace) {
  const Status status = Refused("[ingest]\njobs = \n");
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("bad.toml"));
  EXPECT_FALSE(Refused(std::string("\0\xff\xfe", 3)).ok());
}

TEST_F(SettingsTest, AHugeFileIsRefusedUnread) {
  Write("bad.toml", "");
  std::filesystem::resize_file("bad.toml", 5'000'000'000);
  EXPECT_EQ(LoadSettings("bad.toml").status().code(), Code::kInvalidArgument);
}

TEST_F(SettingsTest, TheTimesOfAWatchAreRead) {
  Write("watch.toml", "[ingest]\npoll = \"30s\"\nsweep = \"1h\"\nexpect_within = \"50m\"\ndaily_at = \"06:30\"\n");
  const auto settings = LoadSettings("watch.toml");
  ASSERT_TRUE(settings.ok()) << settings.status().ToString();
  using namespace std::chrono_literals;
  EXPECT_EQ(settings->watch, (WatchTimes{30s, 1h, 50min, 6h + 30min}));
}

TEST_F(SettingsTest, TimesThatMakeNoScheduleAreRefusedByName) {
  EXPECT_THAT(Refused("[ingest]\npoll = 30\n").message(), HasSubstr("poll must be a text"));
  EXPECT_THAT(Refused("[ingest]\npoll = \"often\"\n").message(), HasSubstr("poll: a length of time"));
  EXPECT_THAT(Refused("[ingest]\npoll = \"20m\"\n").message(), HasSubstr("100ms to 15m"));
  EXPECT_THAT(Refused("[ingest]\npoll = \"50ms\"\n").message(), HasSubstr("100ms to 15m"));
  EXPECT_THAT(Refused("[ingest]\nsweep = \"30s\"\n").message(), HasSubstr("from poll to 24h"));
  EXPECT_THAT(Refused("[ingest]\nexpect_within = \"25h\"\n").message(), HasSubstr("at most 24h"));
  EXPECT_THAT(Refused("[ingest]\ndaily_at = \"7am\"\n").message(), HasSubstr("daily_at: a time of day"));
}

TEST_F(SettingsTest, BucketsHaveSectionsOfTheirOwn) {
  Write("t.toml", std::string(kOneTable) +
                      "[[store]]\nurl = \"s3://vendor\"\nprofile = \"v\"\nrequester_pays = true\n"
                      "[[store]]\nurl = \"s3://lakes/a\"\nendpoint_url = \"http://127.0.0.1:1\"\nrole_arn = \"r\"\n"
                      "web_identity_token_command = \"print a token\"\n");
  const auto settings = LoadSettings("t.toml");
  ASSERT_TRUE(settings.ok()) << settings.status().ToString();
  ASSERT_EQ(settings->stores.size(), 2U);
  EXPECT_EQ(settings->stores[0].settings.s3.profile, "v");
  EXPECT_TRUE(settings->stores[0].settings.requester_pays);
  EXPECT_EQ(settings->stores[1].settings.s3.endpoint_url, "http://127.0.0.1:1");
  EXPECT_EQ(settings->stores[1].settings.web_identity.token_command, "print a token");
}

TEST_F(SettingsTest, ASectionOfABucketIsReadStrictly) {
  const std::string table = kOneTable;
  EXPECT_THAT(Refused(table + "[store]\nurl = \"s3://b\"\n").message(), HasSubstr("[[store]]"));
  EXPECT_THAT(Refused(table + "[[store]]\nprofile = \"p\"\n").message(), HasSubstr("url must be a bucket"));
  EXPECT_THAT(Refused(table + "[[store]]\nurl = \"gs://b\"\nprofile = \"p\"\n").message(),
              HasSubstr("is for S3 alone"));
  EXPECT_THAT(Refused(table + "[[store]]\nurl = \"./folder\"\n").message(), HasSubstr("url must be a bucket"));
  EXPECT_THAT(Refused(table + "[[store]]\nurl = \"s3://b\"\nprofil = \"p\"\n").message(), HasSubstr("'profil'"));
  EXPECT_THAT(Refused(table + "[[store]]\nurl = \"s3://b\"\nanonymous = \"yes\"\n").message(),
              HasSubstr("true or false"));
}

TEST_F(SettingsTest, AFileThatLiesThereByChanceMakesUsRunNothing) {
  Write("tidegate.toml", std::string(kOneTable) +
                             "[[store]]\nurl = \"s3://b\"\nrole_arn = \"r\"\nweb_identity_token_command = \"print\"\n");
  EXPECT_THAT(LoadSettings("").status().message(), HasSubstr("--config"));
  EXPECT_TRUE(LoadSettings("tidegate.toml").ok());
}

}  // namespace
}  // namespace tidegate::app
