#include "tidegate/base/network_file_system.h"

#include <gtest/gtest.h>

namespace tidegate {
namespace {

TEST(NetworkFileSystemTest, KnownOnesHaveANameAndLocalOnesHaveNone) {
  EXPECT_EQ(NetworkFileSystemName(0x6969), "NFS");
  EXPECT_EQ(NetworkFileSystemName(0xFE534D42), "SMB2");
  EXPECT_FALSE(NetworkFileSystemName(0xEF53));      // ext4
  EXPECT_FALSE(NetworkFileSystemName(0x01021994));  // tmpfs
}

TEST(NetworkFileSystemTest, AFolderOfThisMachineLiesOnNone) {
  EXPECT_FALSE(NetworkFileSystemOf("/proc"));
  EXPECT_FALSE(NetworkFileSystemOf("/no/such/folder"));
}

}  // namespace
}  // namespace tidegate
