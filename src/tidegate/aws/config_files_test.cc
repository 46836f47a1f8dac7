#include "tidegate/aws/config_files.h"

#include "tidegate/aws/test_machine.h"

namespace tidegate::aws {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ConfigFiles Parsed(const std::string& text, ConfigFileKind kind = ConfigFileKind::kConfig) {
  ConfigFiles out;
  const Status status = ParseConfigText(text, kind, "config", out);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return out;
}

Status Refused(const std::string& text) {
  ConfigFiles out;
  return ParseConfigText(text, ConfigFileKind::kConfig, "/x/config", out);
}

TEST(ConfigFilesTest, SectionsAreToldApart) {
  const ConfigFiles files = Parsed(
      "[default]\nregion = eu-west-1\n[profile a]\nregion=eu-west-2\n[profile \"b c\"]\nregion=eu-west-3\n"
      "[sso-session s]\nsso_region = us-east-2\n[services v]\ns3 =\n  endpoint_url = http://x:1\n[plain]\nregion = no\n"
      "[preview]\ncloudsearch = true\n");
  EXPECT_EQ(files.Profile("default")->Value("region"), "eu-west-1");
  EXPECT_EQ(files.Profile("a")->Value("region"), "eu-west-2");
  EXPECT_EQ(files.Profile("b c")->Value("region"), "eu-west-3");
  EXPECT_EQ(files.sso_sessions.at("s").Value("sso_region"), "us-east-2");
  EXPECT_EQ(files.services.at("v").Nested("s3", "endpoint_url"), "http://x:1");
  EXPECT_EQ(files.Profile("plain"), nullptr);
  EXPECT_EQ(files.Profile("default")->Value("none"), "");
  EXPECT_EQ(files.Profile("default")->Nested("none", "x"), "");
}

TEST(ConfigFilesTest, TheCredentialsFileNamesProfilesPlainly) {
  const ConfigFiles files = Parsed("[a]\naws_access_key_id = I\n", ConfigFileKind::kCredentials);
  EXPECT_EQ(files.Profile("a")->Value("aws_access_key_id"), "I");
}

TEST(ConfigFilesTest, CommentsSpacesAndLineEndsAreWhatOtherToolsMakeOfThem) {
  const ConfigFiles files = Parsed(
      "\xEF\xBB\xBF# one\r\n; two\r\n[profile  a ] # three\r\n  REGION  =  eu-west-1 # four\r\n  output=json\r\n"
      "role_arn = arn:x;y ; five\r\nempty = # six\r\ncredential_process = /bin/x ' ; y' # z\r\nhash = a#b\r\n");
  const ConfigSection& a = *files.Profile("a");
  EXPECT_EQ(a.Value("region"), "eu-west-1");
  EXPECT_EQ(a.Value("output"), "json");
  EXPECT_EQ(a.Value("role_arn"), "arn:x;y");
  EXPECT_EQ(a.Value("empty"), "");
  EXPECT_EQ(a.Value("credential_process"), "/bin/x ' ; y' # z");
  EXPECT_EQ(a.Value("hash"), "a#b");
}

TEST(ConfigFilesTest, ADeeperLineContinuesTheOneAbove) {
  const ConfigFiles files = Parsed(
      "[default]\nca_bundle = a\n  b\n\n  c\nregion = x\ns3 =\n  addressing_style = path\n  # no\n"
      "  max_queue_size = 2\nregion = y\n");
  const ConfigSection& section = *files.Profile("default");
  EXPECT_EQ(section.Value("ca_bundle"), "a\nb\nc");
  EXPECT_EQ(section.Nested("s3", "addressing_style"), "path");
  EXPECT_EQ(section.Nested("s3", "max_queue_size"), "2");
  EXPECT_EQ(section.Value("region"), "y");  // the later one
}

TEST(ConfigFilesTest, ProfileDefaultStandsAboveDefault) {
  EXPECT_EQ(Parsed("[default]\nregion = a\n[profile default]\noutput = b\n").Profile("default")->Value("region"), "");
  EXPECT_EQ(Parsed("[profile default]\nregion = b\n[default]\nregion = a\n").Profile("default")->Value("region"), "b");
}

TEST(ConfigFilesTest, ALineThatCannotBeIsNamedByItsNumberAndNotShown) {
  Secrets secrets;
  const std::string secret = secrets.Make();
  for (const std::string& text :
       {"[default]\n\n" + secret + "\n", "\n\nkey = " + secret + "\n", "\n\n[" + secret + "\n",
        "\n\n[x] " + secret + "\n", "[default]\ns3 =\n  " + secret + "\n", "[default]\n\n= " + secret}) {
    const Status status = Refused(text);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr("'/x/config', line 3"));
    secrets.ExpectNoneIn(status.ToString());
  }
}

TEST(ConfigFilesTest, HostileTextIsRefusedOrPassedOver) {
  EXPECT_EQ(Refused(std::string("[default]\nregion = a\0b\n", 23)).code(), Code::kInvalidArgument);
  EXPECT_EQ(Refused(std::string(kMaxConfigBytes + 1, '\n')).code(), Code::kInvalidArgument);
  EXPECT_TRUE(Refused(std::string(kMaxConfigBytes, '\n')).ok());
  EXPECT_TRUE(Refused("").ok());
  EXPECT_TRUE(Refused("[]\nx=y\n[profile]\nx=y\n[profile ]\nx=y\n[profilex]\nx=y").ok());
  std::string text = "[default]\na = b\n";
  for (int seed = 0; seed < 2000; ++seed) {  // any bytes: an answer, never a crash
    std::string mutant = text + "[profile x]\ns3 =\n  a = b\n";
    for (int i = 0; i < 4; ++i) {
      const Hash128 hash = HashBytes("mutant", static_cast<uint64_t>(seed * 4 + i));
      mutant[hash.low % mutant.size()] = static_cast<char>(hash.high);
    }
    ConfigFiles out;
    (void)ParseConfigText(mutant, ConfigFileKind::kConfig, "x", out);
  }
}

TEST(ConfigFilesTest, BothFilesMakeOneProfile) {
  Machine machine;
  machine.files["/home/me/.aws/config"] =
      "[profile a]\nregion = eu-west-1\naws_access_key_id = OLD\n"
      "aws_secret_access_key = OLD\naws_session_token = OLD\n";
  machine.files["/home/me/.aws/credentials"] = "[a]\naws_access_key_id = NEW\naws_secret_access_key = NEWER\n";
  const auto files = LoadConfigFiles(machine.Make());
  ASSERT_TRUE(files.ok()) << files.status().ToString();
  const ConfigSection& a = *files->Profile("a");
  EXPECT_EQ(a.Value("region"), "eu-west-1");
  EXPECT_EQ(a.Value("aws_access_key_id"), "NEW");
  EXPECT_EQ(a.Value("aws_secret_access_key"), "NEWER");
  EXPECT_EQ(a.Value("aws_session_token"), "");  // no token of one file with the key of the other
}

TEST(ConfigFilesTest, TheEnvironmentNamesOtherFiles) {
  Machine machine;
  machine.variables["AWS_CONFIG_FILE"] = "~/c";
  machine.variables["AWS_SHARED_CREDENTIALS_FILE"] = "/d";
  machine.files["/home/me/c"] = "[default]\nregion = a\n";
  machine.files["/d"] = "[default]\noutput = b\n";
  const auto files = LoadConfigFiles(machine.Make());
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(files->config_path, "/home/me/c");
  EXPECT_EQ(files->Profile("default")->Value("region"), "a");
  EXPECT_EQ(files->Profile("default")->Value("output"), "b");
}

TEST(ConfigFilesTest, FilesThatAreNotThereAreEmptyAndBrokenOnesAreNot) {
  Machine machine;
  EXPECT_TRUE(LoadConfigFiles(machine.Make())->profiles.empty());
  machine.files["/home/me/.aws/credentials"] = "broken";
  EXPECT_THAT(LoadConfigFiles(machine.Make()).status().message(), HasSubstr("/home/me/.aws/credentials"));
}

TEST(ConfigFilesTest, TheProfileIsTheOneAskedForThenTheEnvironments) {
  Machine machine;
  const Surroundings surroundings = machine.Make();
  EXPECT_EQ(ProfileName("", surroundings.variable), "default");
  machine.variables["AWS_DEFAULT_PROFILE"] = "c";
  EXPECT_EQ(ProfileName("", surroundings.variable), "c");
  machine.variables["AWS_PROFILE"] = "b";
  EXPECT_EQ(ProfileName("", surroundings.variable), "b");
  EXPECT_EQ(ProfileName("a", surroundings.variable), "a");
}

}  // namespace
}  // namespace tidegate::aws
