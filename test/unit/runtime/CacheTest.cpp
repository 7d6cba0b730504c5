#include "ashlar/cache.h"
#include "FakeDriver.h"
#include "Throws.h"
#include "runtime/Files.h"
#include "test/Cubin.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ashlar::test {
namespace fs = std::filesystem;
namespace {

class CacheOnDisk : public testing::Test {
protected:
  CacheOnDisk() {
    std::string pattern = testing::TempDir() + "/ashlar-cache-XXXXXX";
    directory = fs::canonical(mkdtemp(pattern.data()));
  }
  ~CacheOnDisk() override { fs::remove_all(directory); }

  fs::path entry(const char *key) {
    return directory / (std::string(key) + ".ashlar");
  }
  int files() {
    return static_cast<int>(
        std::distance(fs::directory_iterator(directory), {}));
  }

  fs::path directory;
};

/// Large enough that writing it takes several system calls' worth of time, and
/// recognisable as the work of one writer.
Artifact signedArtifact(char writer) {
  Artifact artifact = gemmArtifact();
  artifact.ptx.assign(300000, writer);
  artifact.cubin = cubinOf(artifact.name, 300000, std::byte(writer));
  return artifact;
}

bool isWhole(const Artifact &artifact) {
  return artifact == signedArtifact(artifact.ptx.at(0));
}

TEST_F(CacheOnDisk, FindsWhatWasStored) {
  Cache cache(directory / "deep" / "down");
  EXPECT_EQ(cache.find("abc123"), std::nullopt);
  cache.store("abc123", gemmArtifact());
  EXPECT_EQ(cache.find("abc123"), gemmArtifact());
  EXPECT_EQ(cache.find("abc124"), std::nullopt);
  EXPECT_EQ(Cache(directory / "deep" / "down").find("abc123"), gemmArtifact());
}

TEST_F(CacheOnDisk, KeepsTheLast) {
  Cache cache(directory);
  cache.store("1", signedArtifact('x'));
  cache.store("1", signedArtifact('y'));
  EXPECT_EQ(cache.find("1"), signedArtifact('y'));
  EXPECT_EQ(files(), 1);
}

TEST_F(CacheOnDisk, RemovesEntriesThatWereCut) {
  Cache cache(directory);
  cache.store("1", gemmArtifact());
  const auto whole = fs::file_size(entry("1"));
  for (auto length : {uintmax_t(0), uintmax_t(1), whole / 2, whole - 1}) {
    cache.store("1", gemmArtifact());
    fs::resize_file(entry("1"), length);
    EXPECT_EQ(cache.find("1"), std::nullopt) << length;
    EXPECT_FALSE(fs::exists(entry("1"))) << length;
  }
  cache.store("1", gemmArtifact());
  EXPECT_EQ(cache.find("1"), gemmArtifact());
}

TEST_F(CacheOnDisk, RemovesEntriesThatAreSomethingElse) {
  std::ofstream(entry("1")) << "not an artifact";
  EXPECT_EQ(Cache(directory).find("1"), std::nullopt);
  EXPECT_FALSE(fs::exists(entry("1")));
}

TEST_F(CacheOnDisk, WithoutAWritableDirectoryHoldsNothing) {
  std::ofstream(directory / "file") << "in the way";
  for (fs::path impossible :
       {directory / "file", fs::path("/proc/nowhere"), fs::path()}) {
    Cache cache(impossible);
    cache.store("1", gemmArtifact());
    EXPECT_EQ(cache.find("1"), std::nullopt) << impossible;
  }
  EXPECT_EQ(fs::file_size(directory / "file"), 10u);
}

TEST_F(CacheOnDisk, RefusesKeysThatCouldLeaveTheDirectory) {
  Cache cache(directory / "cache");
  for (const char *key : {"", "../escape", "a/b", "A.b", "xyz"}) {
    expectError([&] { cache.find(key); }, {key, "hexadecimal"});
    expectError([&] { cache.store(key, gemmArtifact()); }, {"hexadecimal"});
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(CacheOnDisk, SweepsUpAfterKilledWriters) {
  for (const char *name : {"1.ashlar.17", "2.ashlar.18"})
    std::ofstream(directory / (std::string(name) + unfinishedSuffix)) << "half";
  Cache(directory).store("1", gemmArtifact());
  EXPECT_EQ(files(), 1);
}

TEST_F(CacheOnDisk, FindsNothingThatWasStoredUnderAnotherKey) {
  Cache cache(directory);
  cache.store("1", gemmArtifact());
  fs::copy_file(entry("1"), entry("2"));
  save(gemmArtifact(), entry("3"));
  for (const char *other : {"2", "3"}) {
    EXPECT_EQ(cache.find(other), std::nullopt);
    EXPECT_FALSE(fs::exists(entry(other)));
  }
  EXPECT_EQ(cache.find("1"), gemmArtifact());
}

TEST_F(CacheOnDisk, FindsNothingThatAnotherUserPutThere) {
  Cache cache(directory);
  cache.store("1", gemmArtifact());
  fs::rename(entry("1"), directory / "elsewhere");
  fs::create_symlink(directory / "elsewhere", entry("1"));
  EXPECT_EQ(cache.find("1"), std::nullopt);
  EXPECT_TRUE(fs::exists(directory / "elsewhere"));
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a file away";
  cache.store("1", gemmArtifact());
  ASSERT_EQ(chown(entry("1").c_str(), 12345, 12345), 0);
  EXPECT_EQ(cache.find("1"), std::nullopt);
  EXPECT_FALSE(fs::exists(entry("1")));
}

TEST_F(CacheOnDisk, IsItsUsersAlone) {
  const mode_t before = umask(0);
  Cache(directory / "a" / "b").store("1", gemmArtifact());
  umask(before);
  for (const fs::path &each : {directory / "a", directory / "a" / "b"})
    EXPECT_EQ(fs::status(each).permissions(), fs::perms::owner_all) << each;
}

TEST_F(CacheOnDisk, IsRefusedWhereOthersCanWrite) {
  Cache cache(directory);
  for (fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(directory, fs::perms::owner_all | others);
    expectError([&] { cache.find("1"); },
                {directory.c_str(), "can be written by others", "chmod go-w",
                 "ASHLAR_CACHE_DIR"});
    expectError([&] { cache.store("1", gemmArtifact()); },
                {"can be written by others"});
    // A link does not hide it.
    fs::create_directory_symlink(directory, directory / "link");
    expectError([&] { Cache(directory / "link").find("1"); },
                {"can be written by others"});
    fs::remove(directory / "link");
  }
  EXPECT_EQ(files(), 0);
  fs::create_directory(directory / "cache");
  fs::permissions(directory, fs::perms::all);
  fs::permissions(directory / "cache", fs::perms::owner_all);
  expectError([&] { Cache(directory / "cache").find("1"); },
              {"lies in", directory.c_str(), "everyone"});
  fs::permissions(directory, fs::perms::all | fs::perms::sticky_bit);
  EXPECT_EQ(Cache(directory / "cache").find("1"), std::nullopt);
}

TEST_F(CacheOnDisk, IsRefusedWhenItIsAnotherUsers) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a folder away";
  ASSERT_EQ(chown(directory.c_str(), 12345, 12345), 0);
  expectError([&] { Cache(directory).find("1"); },
              {"belongs to user 12345", "ASHLAR_CACHE_DIR"});
}

TEST_F(CacheOnDisk, IsAlwaysWholeWhileProcessesWriteAtOnce) {
  Cache cache(directory);
  cache.store("1", signedArtifact('a'));
  std::vector<pid_t> writers;
  for (char writer : {'b', 'c', 'd'}) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = 0; i < 20; ++i)
        cache.store("1", signedArtifact(writer));
      _exit(0);
    }
    writers.push_back(child);
  }
  int reads = 0;
  while (!writers.empty()) {
    std::optional<Artifact> found = cache.find("1");
    ASSERT_TRUE(found.has_value()) << "a reader saw a half-written entry";
    ASSERT_TRUE(isWhole(*found));
    ++reads;
    int status = 0;
    std::erase_if(writers, [&](pid_t writer) {
      bool ended = waitpid(writer, &status, WNOHANG) == writer;
      EXPECT_TRUE(!ended || status == 0);
      return ended;
    });
  }
  EXPECT_GT(reads, 1);
  EXPECT_EQ(files(), 1);
}

TEST_F(CacheOnDisk, IsWholeAfterAKillAtAnyMoment) {
  Cache cache(directory);
  cache.store("1", signedArtifact('a'));
  for (int i = 0; i < 15; ++i) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      while (true)
        cache.store("1", signedArtifact('b'));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(1777 * i));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    std::optional<Artifact> found = cache.find("1");
    ASSERT_TRUE(found.has_value()) << i;
    ASSERT_TRUE(isWhole(*found)) << i;
  }
}

TEST(CacheDirectory, FollowsTheEnvironment) {
  setenv("HOME", "/home/author", 1);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("ASHLAR_CACHE_DIR");
  EXPECT_EQ(Cache::default_directory(), "/home/author/.cache/ashlar");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(Cache::default_directory(), "/home/author/.cache/ashlar");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(Cache::default_directory(), "/xdg/ashlar");
  setenv("ASHLAR_CACHE_DIR", "/own", 1);
  EXPECT_EQ(Cache::default_directory(), "/own");
  setenv("ASHLAR_CACHE_DIR", "own", 1);
  expectError([] { Cache::default_directory(); },
              {"ASHLAR_CACHE_DIR is 'own'", "absolute path"});
  unsetenv("ASHLAR_CACHE_DIR");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "home/author", 1);
  expectError([] { Cache::default_directory(); },
              {"HOME is 'home/author'", "absolute path"});
  for (const char *variable : {"HOME", "XDG_CACHE_HOME", "ASHLAR_CACHE_DIR"})
    unsetenv(variable);
  EXPECT_EQ(Cache::default_directory(), "");
}

} // namespace
} // namespace ashlar::test
