#include "tidegate/store/local/local_object_store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tidegate/base/log.h"
#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/store/local/errno_status.h"

namespace tidegate::store {
namespace {

namespace fs = std::filesystem;
constexpr auto kOver = PutMode::kOverwrite;

struct stat StatOf(const fs::path& path) {
  struct stat found {};
  EXPECT_EQ(lstat(path.c_str(), &found), 0) << path;
  return found;
}

void WriteFile(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

void SetModified(const fs::path& path, int64_t seconds, long nanoseconds) {
  const timespec times[2] = {{0, UTIME_OMIT}, {seconds, nanoseconds}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

// Collects warnings while it lives.
class WarningsForTest {
 public:
  WarningsForTest() {
    SetLogSink([this](LogLevel level, std::string_view line) {
      if (level == LogLevel::kWarning) lines_.emplace_back(line);
    });
  }
  ~WarningsForTest() { SetLogSink(nullptr); }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

// Each test runs with all system calls and with the portable ones.
class LocalObjectStoreTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { store_ = Make(root()); }

  std::unique_ptr<LocalObjectStore> Make(const fs::path& path) {
    auto made = LocalObjectStore::Make(path, {.create_root = true, .portable_calls_only = GetParam()});
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return made.ok() ? *std::move(made) : nullptr;
  }

  fs::path root() const { return folder_.path() / "bucket"; }
  fs::path outside() const { return folder_.path() / "outside"; }
  LocalObjectStore& store() { return *store_; }

  std::vector<std::string> Keys() {
    std::vector<std::string> keys;
    const auto listing = store().List({});
    EXPECT_TRUE(listing.ok()) << listing.status().ToString();
    for (const ObjectInfo& info : listing->objects) keys.push_back(info.key);
    return keys;
  }

  // Every file below the root, the hidden ones too.
  size_t FilesOnDisk() const {
    size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root())) files += entry.is_regular_file() ? 1 : 0;
    return files;
  }

 private:
  TempDirForTest folder_;
  std::unique_ptr<LocalObjectStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Calls, LocalObjectStoreTest, testing::Bool(),
                         [](const auto& calls) { return calls.param ? "portable" : "all"; });

TEST_P(LocalObjectStoreTest, AMissingRootIsAnErrorUnlessItMayBeMade) {
  const fs::path missing = outside() / "no" / "such";
  const auto made = LocalObjectStore::Make(missing);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().code(), Code::kNotFound);
  EXPECT_THAT(made.status().message(), testing::HasSubstr("check the path"));
  EXPECT_FALSE(fs::exists(outside()));
  EXPECT_NE(Make(missing), nullptr);
  EXPECT_TRUE(fs::is_directory(missing));
}

TEST_P(LocalObjectStoreTest, ARootThatIsAFileIsRefused) {
  WriteFile(outside(), "x");
  EXPECT_EQ(LocalObjectStore::Make(outside()).status().code(), Code::kInvalidArgument);
}

TEST_P(LocalObjectStoreTest, TheRootMayBeASymlinkAndIsResolvedOnce) {
  fs::create_directory_symlink(root(), outside());
  const auto linked = Make(outside());
  ASSERT_TRUE(linked->Put("a", "x", kOver).ok());
  EXPECT_EQ(linked->url(), "file://" + root().string());
  EXPECT_EQ(linked->Location("a"), "file://" + root().string() + "/a");
  EXPECT_EQ(Keys(), std::vector<std::string>{"a"});
}

TEST_P(LocalObjectStoreTest, ReadingWritesNothing) {
  WriteFile(root() / "a/b", "x");
  ASSERT_TRUE(store().Read("a/b", 9).ok() && store().Head("a/b").ok() && store().List({}).ok());
  EXPECT_FALSE(fs::exists(root() / ".tidegate-tmp"));
}

TEST_P(LocalObjectStoreTest, SymlinksAreSkippedInListingsWithOneWarning) {
  WriteFile(outside() / "secret", "x");
  WriteFile(root() / "d/real", "x");
  fs::create_symlink(outside() / "secret", root() / "d/link");
  fs::create_directory_symlink(outside(), root() / "folder");
  fs::create_symlink(root() / "gone", root() / "broken");
  WarningsForTest warnings;
  EXPECT_EQ(Keys(), std::vector<std::string>{"d/real"});
  EXPECT_EQ(Keys(), std::vector<std::string>{"d/real"});
  const auto below = store().List({.prefix = "folder/"});
  ASSERT_TRUE(below.ok());
  EXPECT_TRUE(below->objects.empty());
  EXPECT_TRUE(store().List({.prefix = "", .delimited = true})->prefixes == std::vector<std::string>{"d/"});
  ASSERT_EQ(warnings.lines().size(), 1U);
  EXPECT_THAT(warnings.lines()[0], testing::HasSubstr("symlink"));
}

TEST_P(LocalObjectStoreTest, OpeningASymlinkIsAnErrorThatSaysSo) {
  WriteFile(outside() / "secret", "x");
  fs::create_symlink(outside() / "secret", root() / "link");
  fs::create_directory_symlink(outside(), root() / "folder");
  for (const char* key : {"link", "folder/secret"}) {
    SCOPED_TRACE(key);
    for (const Status& status : {store().Head(key).status(), store().Open({.key = key}).status(),
                                 store().Read(key, 9).status(), store().Delete({key})}) {
      EXPECT_EQ(status.code(), Code::kUnsupported);
      EXPECT_THAT(status.message(), testing::HasSubstr("symlink"));
    }
  }
  EXPECT_TRUE(fs::exists(outside() / "secret"));
}

TEST_P(LocalObjectStoreTest, NothingIsWrittenThroughASymlink) {
  fs::create_directories(outside());
  WriteFile(outside() / "target", "kept");
  fs::create_directory_symlink(outside(), root() / "folder");
  fs::create_symlink(outside() / "target", root() / "link");
  for (const PutMode mode : {PutMode::kOverwrite, PutMode::kCreateOnly}) {
    for (const char* key : {"folder/new", "folder/deep/new", "link"}) {
      const auto put = store().Put(key, "new", mode);
      ASSERT_FALSE(put.ok()) << key;
      EXPECT_EQ(put.status().code(), Code::kUnsupported) << put.status().ToString();
    }
  }
  EXPECT_TRUE(fs::is_symlink(root() / "link"));
  EXPECT_EQ(StatOf(outside() / "target").st_size, 4);
  EXPECT_EQ(std::distance(fs::directory_iterator(outside()), fs::directory_iterator()), 1);
}

TEST_P(LocalObjectStoreTest, AFifoNeitherHangsNorIsListed) {
  ASSERT_EQ(mkfifo((root() / "fifo").c_str(), 0600), 0);
  WarningsForTest warnings;
  EXPECT_TRUE(Keys().empty());
  EXPECT_EQ(warnings.lines().size(), 1U);
  for (const Status& status :
       {store().Head("fifo").status(), store().Open({.key = "fifo"}).status(), store().Read("fifo", 9).status(),
        store().Put("fifo", "", kOver).status(), store().Delete({"fifo"})}) {
    EXPECT_EQ(status.code(), Code::kUnsupported) << status.ToString();
  }
  EXPECT_TRUE(S_ISFIFO(StatOf(root() / "fifo").st_mode));
}

TEST_P(LocalObjectStoreTest, ASocketIsRefused) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = root() / "s";
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const UniqueFd socket_fd(socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(bind(socket_fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(store().Read("s", 9).status().code(), Code::kUnsupported);
  EXPECT_EQ(store().Head("s").status().code(), Code::kUnsupported);
  const WarningsForTest warnings;
  EXPECT_TRUE(Keys().empty());
  EXPECT_EQ(warnings.lines().size(), 1U);
}

TEST_P(LocalObjectStoreTest, FilesWhoseNamesCannotBeKeysAreSkippedWithAWarning) {
  WriteFile(root() / "good", "");
  WriteFile(root() / "bad\nname", "");
  WriteFile(root() / "bad\xFF", "");
  WarningsForTest warnings;
  EXPECT_EQ(Keys(), std::vector<std::string>{"good"});
  ASSERT_EQ(warnings.lines().size(), 1U);
  EXPECT_EQ(warnings.lines()[0].find('\n'), std::string::npos);
}

TEST_P(LocalObjectStoreTest, FoldersDeeperThanAKeyCanBeAreSkipped) {
  const fs::path before = fs::current_path();
  fs::current_path(root());
  const std::string name(200, 'd');
  for (int depth = 0; depth < 30; ++depth) {
    ASSERT_EQ(mkdir(name.c_str(), 0777), 0);
    ASSERT_EQ(chdir(name.c_str()), 0);
  }
  fs::current_path(before);
  WriteFile(root() / "z", "");
  WarningsForTest warnings;
  EXPECT_EQ(Keys(), std::vector<std::string>{"z"});
}

TEST_P(LocalObjectStoreTest, AFolderIsNoObject) {
  fs::create_directories(root() / "d/e");
  EXPECT_EQ(store().Head("d").status().code(), Code::kNotFound);
  EXPECT_EQ(store().Read("d", 9).status().code(), Code::kNotFound);
  EXPECT_TRUE(store().Delete({"d"}).ok());
  EXPECT_TRUE(fs::exists(root() / "d/e"));
  EXPECT_TRUE(store().List({.delimited = true})->prefixes.empty());
}

TEST_P(LocalObjectStoreTest, NamesTooLongForAFileAreInvalidToWriteAndAbsentToRead) {
  const std::string key(300, 'n');
  EXPECT_EQ(store().Put(key, "", kOver).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(store().Put(key + "/x", "", kOver).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(store().Head(key).status().code(), Code::kNotFound);
  EXPECT_TRUE(store().Delete({key, key + "/x"}).ok());
  EXPECT_TRUE(store().List({.prefix = key + "/"})->objects.empty());
}

TEST_P(LocalObjectStoreTest, TheFolderOfTemporaryFilesIsNoPartOfTheBucket) {
  ASSERT_TRUE(store().Put("a", "1", kOver).ok());
  ASSERT_TRUE(store().Put("a", "2", kOver).ok());
  WriteFile(root() / ".tidegate-tmp/x", "");
  EXPECT_EQ(Keys(), std::vector<std::string>{"a"});
  EXPECT_TRUE(store().List({.prefix = ".tidegate-tmp/"})->objects.empty());
  EXPECT_TRUE(store().List({.prefix = ".t", .delimited = true})->prefixes.empty());
  EXPECT_EQ(store().Read(".tidegate-tmp/x", 9).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(store().Put(".tidegate-tmp", "", kOver).status().code(), Code::kInvalidArgument);
  EXPECT_FALSE(store().LocalPath(".tidegate-tmp/x").has_value());
  EXPECT_TRUE(store().Put("b/.tidegate-tmp/x", "", kOver).ok());
}

TEST_P(LocalObjectStoreTest, TheUmaskDecidesPermissions) {
  const mode_t before = umask(0027);
  ASSERT_TRUE(store().Put("d/e/k", "1", kOver).ok());
  umask(0002);
  ASSERT_TRUE(store().Put("k", "1", PutMode::kCreateOnly).ok());
  umask(before);
  EXPECT_EQ(StatOf(root() / "d/e/k").st_mode & 0777, 0640U);
  EXPECT_EQ(StatOf(root() / "d/e").st_mode & 0777, 0750U);
  EXPECT_EQ(StatOf(root() / "d").st_mode & 0777, 0750U);
  EXPECT_EQ(StatOf(root() / "k").st_mode & 0777, 0664U);
}

TEST_P(LocalObjectStoreTest, NoFileIsLeftBesideTheObjects) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(store().Put("d/k", std::to_string(i), kOver).ok());
  EXPECT_FALSE(store().Put("d/k", "", PutMode::kCreateOnly).ok());
  auto unfinished = *store().NewWriter("d/l", kOver);
  ASSERT_TRUE(unfinished->Append(std::string(1 << 20, 'x')).ok());
  unfinished.reset();
  EXPECT_EQ(FilesOnDisk(), 1U);
}

TEST_P(LocalObjectStoreTest, LeftoversOfDeadProcessesGoWithTheNextUse) {
  WriteFile(root() / ".tidegate-tmp/0123456789abcdef", "half an object");
  ASSERT_TRUE(store().Put("k", "1", kOver).ok());
  ASSERT_TRUE(store().Put("k", "2", kOver).ok());
  EXPECT_EQ(FilesOnDisk(), 1U);
}

TEST_P(LocalObjectStoreTest, TemporaryFilesOfALivingProcessStay) {
  const fs::path in_use = root() / ".tidegate-tmp/0123456789abcdef";
  WriteFile(in_use, "being written");
  const UniqueFd other(open(in_use.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(flock(other.get(), LOCK_SH), 0);
  ASSERT_TRUE(store().Put("k", "1", kOver).ok());
  ASSERT_TRUE(store().Put("k", "2", kOver).ok());
  EXPECT_TRUE(fs::exists(in_use));
}

TEST_P(LocalObjectStoreTest, TheEtagSurvivesACopyThatKeepsTimes) {
  ASSERT_TRUE(store().Put("a/k", "bytes", kOver).ok());
  const struct stat original = StatOf(root() / "a/k");
  fs::copy(root(), outside(), fs::copy_options::recursive);
  SetModified(outside() / "a/k", original.st_mtim.tv_sec, original.st_mtim.tv_nsec);
  EXPECT_EQ(*Make(outside())->Head("a/k"), *store().Head("a/k"));
}

TEST_P(LocalObjectStoreTest, TheEtagChangesWithTimeAndWithSize) {
  WriteFile(root() / "k", "abc");
  SetModified(root() / "k", 1'700'000'000, 123'456'789);
  const ObjectInfo first = *store().Head("k");
  EXPECT_EQ(first.etag, "6553f100.075bcd15-3");
  EXPECT_EQ(FormatRfc3339(first.modified), "2023-11-14T22:13:20.123456Z");
  SetModified(root() / "k", 1'700'000'000, 123'456'790);
  EXPECT_NE(store().Head("k")->etag, first.etag);
  WriteFile(root() / "k", "abcd");
  SetModified(root() / "k", 1'700'000'000, 123'456'789);
  EXPECT_NE(store().Head("k")->etag, first.etag);
}

TEST_P(LocalObjectStoreTest, TimesOutOfAnyReasonAreTakenAsTheyCome) {
  WriteFile(root() / "k", "abc");
  for (const int64_t seconds : {INT64_MIN / 4, INT64_C(-1), INT64_C(0), INT64_MAX / 4}) {
    SetModified(root() / "k", seconds, 999'999'999);
    const auto info = store().Head("k");
    ASSERT_TRUE(info.ok());
    EXPECT_TRUE(ParseRfc3339(FormatRfc3339(info->modified)).ok()) << seconds;
    EXPECT_TRUE(store().Open(*info).ok());
  }
}

TEST_P(LocalObjectStoreTest, AReaderNoticesAChangeInPlace) {
  WriteFile(root() / "k", "0123456789");
  SetModified(root() / "k", 1'700'000'000, 0);
  auto reader = *OpenCurrent(store(), "k");
  std::string out(4, '\0');
  ASSERT_TRUE(reader->ReadAt(0, out).ok());
  std::fstream(root() / "k", std::ios::in | std::ios::out) << "XX";  // same size
  const auto read = reader->ReadAt(4, out);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().code(), Code::kPreconditionFailed);
  EXPECT_THAT(read.status().message(), testing::HasSubstr("in place"));
}

TEST_P(LocalObjectStoreTest, AReaderNoticesThatItsFileShrank) {
  WriteFile(root() / "k", "0123456789");
  auto reader = *OpenCurrent(store(), "k");
  fs::resize_file(root() / "k", 2);
  std::string out(10, '\0');
  EXPECT_EQ(reader->ReadAt(0, out).status().code(), Code::kPreconditionFailed);
}

TEST_P(LocalObjectStoreTest, AReaderNoticesAReplacementEvenIfTheFileHasAnotherName) {
  WriteFile(root() / "k", "old");
  fs::create_hard_link(root() / "k", outside());
  auto reader = *OpenCurrent(store(), "k");
  std::string out(3, '\0');
  fs::create_hard_link(root() / "k", root() / "second");  // a further name changes nothing
  EXPECT_TRUE(reader->ReadAt(0, out).ok());
  ASSERT_TRUE(store().Put("k", "new", kOver).ok());
  EXPECT_EQ(reader->ReadAt(0, out).status().code(), Code::kPreconditionFailed);
}

TEST_P(LocalObjectStoreTest, AdoptSharesTheBlocksOrTheInode) {
  const auto source_store = Make(outside());
  const ObjectInfo source = *source_store->Put("in/a.parquet", "bytes", kOver);
  AdoptMethod method = AdoptMethod::kCopy;
  const auto adopted = store().Adopt(*source_store, source, "data/a.parquet", &method);
  ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
  EXPECT_EQ(*source_store->Head("in/a.parquet"), source);
  EXPECT_EQ(*store().Head("data/a.parquet"), *adopted);
  EXPECT_NE(method, AdoptMethod::kCopy);
  const bool one_inode = StatOf(root() / "data/a.parquet").st_ino == StatOf(outside() / "in/a.parquet").st_ino;
  EXPECT_EQ(one_inode, method == AdoptMethod::kHardLink);
}

TEST_P(LocalObjectStoreTest, AdoptingTwiceChangesNothing) {
  const auto source_store = Make(outside());
  const ObjectInfo source = *source_store->Put("a", "bytes", kOver);
  AdoptMethod method;
  ASSERT_TRUE(store().Adopt(*source_store, source, "a", &method).ok());
  ASSERT_TRUE(store().Adopt(*source_store, source, "a", &method).ok());
  EXPECT_EQ(*store().Read("a", 9), "bytes");
  EXPECT_EQ(FilesOnDisk(), 1U);
}

TEST_P(LocalObjectStoreTest, OverwritingAnAdoptedObjectLeavesTheSourceAlone) {
  const auto source_store = Make(outside());
  const ObjectInfo source = *source_store->Put("a", "vendor", kOver);
  AdoptMethod method;
  ASSERT_TRUE(store().Adopt(*source_store, source, "a", &method).ok());
  ASSERT_TRUE(store().Put("a", "ours", kOver).ok());
  EXPECT_EQ(*source_store->Read("a", 9), "vendor");
  EXPECT_EQ(*source_store->Head("a"), source);
}

TEST_P(LocalObjectStoreTest, AdoptAcrossFileSystemsCopies) {
  const fs::path shm = "/dev/shm";
  if (!fs::is_directory(shm) || StatOf(shm).st_dev == StatOf(root()).st_dev || access(shm.c_str(), W_OK) != 0) {
    GTEST_SKIP() << "needs a second file system";
  }
  std::string other = shm / "tidegate-store-XXXXXX";
  ASSERT_NE(mkdtemp(other.data()), nullptr);
  const auto source_store = Make(other);
  const std::string bytes(5'000'003, 'x');
  const ObjectInfo source = *source_store->Put("a", bytes, kOver);
  AdoptMethod method = AdoptMethod::kReflink;
  const auto adopted = store().Adopt(*source_store, source, "b", &method);
  fs::remove_all(other);
  ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
  EXPECT_EQ(method, AdoptMethod::kCopy);
  EXPECT_EQ(*store().Read("b", bytes.size()), bytes);
  EXPECT_EQ(*store().Head("b"), *adopted);
}

TEST_P(LocalObjectStoreTest, AdoptRefusesASymlinkAnywhereInTheSource) {
  const auto source_store = Make(outside() / "vendor");
  WriteFile(outside() / "secret/passwords", "x");
  fs::create_directory_symlink(outside() / "secret", outside() / "vendor/d");
  fs::create_symlink(outside() / "secret/passwords", outside() / "vendor/k");
  AdoptMethod method;
  for (const char* key : {"d/passwords", "k"}) {
    EXPECT_EQ(store().Adopt(*source_store, {.key = key}, "a", &method).status().code(), Code::kUnsupported);
  }
  EXPECT_TRUE(Keys().empty());
}

TEST_P(LocalObjectStoreTest, ARootThatIsRemovedIsAnErrorNotAnEmptyBucket) {  // C-12
  ASSERT_TRUE(store().Put("v2/_manifests/x", "", kOver).ok());
  fs::remove_all(root());
  EXPECT_EQ(store().List({}).status().code(), Code::kUnavailable);
  EXPECT_EQ(store().List({.prefix = "v2/_manifests/"}).status().code(), Code::kUnavailable);
}

TEST_P(LocalObjectStoreTest, AFolderThatMayNotBeReadIsAnErrorNotAnEmptyFolder) {  // C-12
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  ASSERT_TRUE(store().Put("d/k", "", kOver).ok());
  fs::permissions(root() / "d", fs::perms::none);
  EXPECT_EQ(store().List({}).status().code(), Code::kPermissionDenied);
  fs::permissions(root() / "d", fs::perms::owner_all);
}

TEST_P(LocalObjectStoreTest, SyncIsOneCallWhateverWasWritten) {
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(store().Put("d/" + std::to_string(i), "", kOver).ok());
  EXPECT_EQ(store().syncs(), 0U);
  EXPECT_TRUE(store().Sync().ok());
  EXPECT_EQ(store().syncs(), 1U);
}

TEST_P(LocalObjectStoreTest, AKilledProcessLeavesOnlyWholeObjects) {
  constexpr size_t kSize = 200'000;
  for (int round = 0; round < 5; ++round) {
    int started[2];
    ASSERT_EQ(pipe(started), 0);
    const pid_t child = fork();
    if (child == 0) {
      for (uint64_t i = 0;; ++i) {
        const std::string key = "d" + std::to_string(i % 7) + "/" + std::to_string(i % 11);
        if (!store().Put(key, std::string(kSize, static_cast<char>('a' + i % 26)), kOver).ok()) _exit(1);
        if (i == 20 && write(started[1], "x", 1) != 1) _exit(1);
      }
    }
    char byte = 0;
    ASSERT_EQ(read(started[0], &byte, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(started[0]);
    close(started[1]);
    for (const std::string& key : Keys()) {
      const std::string bytes = *store().Read(key, kSize);
      ASSERT_EQ(bytes, std::string(kSize, bytes.front())) << key;
    }
  }
  // What the killed ones left goes with the first use by a new store.
  const auto fresh = Make(root());
  ASSERT_TRUE(fresh->Put("k", "1", kOver).ok() && fresh->Put("k", "2", kOver).ok());
  EXPECT_EQ(FilesOnDisk(), Keys().size());
}

TEST_P(LocalObjectStoreTest, AFullFileSizeLimitFailsTheWriteAndLeavesNothing) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto put = store().Put("big", std::string(1'000'000, 'x'), kOver);
    _exit(put.status().code() == Code::kInvalidArgument ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(FilesOnDisk(), 0U);
}

TEST(ErrnoStatusTest, TheCodeNamesTheNextActionAndTheMessageThePathAndAdvice) {
  const struct {
    int error;
    Code code;
  } cases[] = {{ENOENT, Code::kNotFound},         {EEXIST, Code::kAlreadyExists},
               {EACCES, Code::kPermissionDenied}, {EROFS, Code::kPermissionDenied},
               {ENOSPC, Code::kUnavailable},      {EDQUOT, Code::kUnavailable},
               {ENOTDIR, Code::kUnsupported},     {ELOOP, Code::kUnsupported},
               {EXDEV, Code::kUnsupported},       {ENAMETOOLONG, Code::kInvalidArgument},
               {EIO, Code::kUnavailable},         {ESTALE, Code::kUnavailable},
               {EBADF, Code::kInternal}};
  for (const auto& [error, code] : cases) {
    const Status status = ErrnoStatus(error, "cannot write object", "/data/x\n");
    EXPECT_EQ(status.code(), code) << error;
    EXPECT_THAT(status.message(), testing::StartsWith("cannot write object: '/data/x\\x0A': "));
    EXPECT_THAT(status.message(), testing::HasSubstr("; "));
  }
  EXPECT_EQ(ReadErrnoStatus(ENOTDIR, "cannot open object", "/a").code(), Code::kNotFound);
  EXPECT_EQ(ReadErrnoStatus(ENAMETOOLONG, "cannot open object", "/a").code(), Code::kNotFound);
  EXPECT_EQ(ReadErrnoStatus(EACCES, "cannot open object", "/a").code(), Code::kPermissionDenied);
}

}  // namespace
}  // namespace tidegate::store
