#include "tidegate/app/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tidegate/base/temp_dir_for_test.h"

namespace tidegate::app {
namespace {

std::string Told(const std::string& url, bool write) {
  std::string out;
  const auto checks = Examine(url, {}, {.write = write}, [&](const Check& check) {
    out += check.name + "=" + std::string(CheckStateName(check.state)) + " ";
  });
  std::string again;
  for (const Check& check : checks) again += check.name + "=" + std::string(CheckStateName(check.state)) + " ";
  EXPECT_EQ(out, again);
  return out;
}

TEST(DoctorTest, LooksAtAFolderWithoutChangingIt) {
  const TempDirForTest folder;
  EXPECT_EQ(Told(folder.path(), false), "list=ok read=not done write=not done ");
  std::ofstream(std::filesystem::path(folder.path()) / "a") << "x";
  EXPECT_EQ(Told(folder.path(), false), "list=ok read=ok write=not done ");
}

TEST(DoctorTest, TriesWritingAndRemovesWhatItWrote) {
  const TempDirForTest folder;
  EXPECT_EQ(Told(folder.path(), true), "list=ok read=not done write=ok ");
  const std::filesystem::path path(folder.path());
  EXPECT_FALSE(std::filesystem::exists(path / "_tidegate"));
}

TEST(DoctorTest, APlaceThatIsNotThereFails) {
  EXPECT_EQ(Told("/no/such/place", false), "open=failed ");
  EXPECT_EQ(Told("ftp://bucket", false), "open=failed ");
}

}  // namespace
}  // namespace tidegate::app
