#include "runtime/Files.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ashlar::test {
namespace fs = std::filesystem;
namespace {

class Files : public testing::Test {
protected:
  Files() {
    std::string pattern = testing::TempDir() + "/ashlar-files-XXXXXX";
    directory = mkdtemp(pattern.data());
  }
  ~Files() override { fs::remove_all(directory); }

  static std::string write(const fs::path &path, std::string_view text) {
    return writeFileAtomically(path, std::as_bytes(std::span(text)));
  }
  static std::string contents(const fs::path &path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  auto count() { return std::distance(fs::directory_iterator(directory), {}); }

  fs::path directory;
};

TEST_F(Files, ReplacesAFileAndLeavesNoOther) {
  EXPECT_EQ(write(directory / "a", "one"), "");
  EXPECT_EQ(write(directory / "a", "two"), "");
  EXPECT_EQ(contents(directory / "a"), "two");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, ReplacesNothingButAFile) {
  ASSERT_EQ(::mkfifo((directory / "fifo").c_str(), 0600), 0);
  fs::create_directory(directory / "folder");
  std::ofstream(directory / "file") << "kept";
  fs::create_symlink(directory / "file", directory / "link");
  fs::create_symlink(directory / "nowhere", directory / "dangling");
  for (const char *name : {"fifo", "folder", "link", "dangling"})
    EXPECT_NE(write(directory / name, "new").find("it is "), std::string::npos)
        << name;
  EXPECT_TRUE(fs::is_fifo(directory / "fifo"));
  EXPECT_TRUE(fs::is_symlink(directory / "link"));
  EXPECT_EQ(contents(directory / "file"), "kept");
  EXPECT_FALSE(fs::exists(directory / "nowhere"));
  EXPECT_EQ(count(), 5);
  EXPECT_EQ(write("/dev/full", "new"), "No space left on device");
  EXPECT_EQ(write("/dev/null", "new"), "");
  for (const char *device : {"/dev/full", "/dev/null"})
    EXPECT_TRUE(fs::is_character_file(device));
}

TEST_F(Files, WritesThroughANameThatNobodyTook) {
  // Whoever knows the process and its count of files finds nothing there.
  std::ofstream(directory / "other") << "kept";
  for (int i = 0; i < 100; ++i)
    fs::create_symlink(directory / "other",
                       directory / ("a." + std::to_string(::getpid()) + "." +
                                    std::to_string(i) + unfinishedSuffix));
  EXPECT_EQ(write(directory / "a", "new"), "");
  EXPECT_EQ(contents(directory / "other"), "kept");
  EXPECT_EQ(contents(directory / "a"), "new");
}

/// The file of a writer that has not come to its end.
fs::path unfinished(const fs::path &path) {
  return path.string() + ".17" + unfinishedSuffix;
}

TEST_F(Files, WhatAKilledWriterLeftIsRemovedByTheNext) {
  std::ofstream(unfinished(directory / "a")) << "half";
  std::ofstream(unfinished(directory / "b")) << "half";
  EXPECT_EQ(write(directory / "a", "whole"), "");
  EXPECT_EQ(contents(directory / "a"), "whole");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, WhatALivingWriterHasIsNotRemoved) {
  const fs::path path = unfinished(directory / "b");
  std::ofstream(path) << "half";
  const int file = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::flock(file, LOCK_EX), 0);
  EXPECT_EQ(write(directory / "a", "whole"), "");
  EXPECT_TRUE(fs::exists(path));
  ::close(file);
  EXPECT_EQ(write(directory / "a", "whole"), "");
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Files, NothingOfAnybodyElseIsRemoved) {
  std::ofstream(directory / "kept") << "kept";
  fs::create_symlink(directory / "kept", unfinished(directory / "link"));
  fs::create_directory(unfinished(directory / "folder"));
  ASSERT_EQ(::mkfifo(unfinished(directory / "fifo").c_str(), 0600), 0);
  std::ofstream(directory / "mine.unfinished") << "kept";
  EXPECT_EQ(write(directory / "a", "whole"), "");
  EXPECT_EQ(contents(directory / "kept"), "kept");
  EXPECT_EQ(count(), 6);
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a file away";
  std::ofstream(unfinished(directory / "other")) << "half";
  ASSERT_EQ(::chown(unfinished(directory / "other").c_str(), 12345, 12345), 0);
  EXPECT_EQ(write(directory / "a", "whole"), "");
  EXPECT_EQ(count(), 7);
}

TEST_F(Files, NothingIsLeftOfManyWritersThatAreKilled) {
  for (int i = 0; i < 40; ++i) {
    const pid_t writer = ::fork();
    if (writer == 0) {
      const std::string text(1 << 20, 'a');
      while (true)
        write(directory / "a", text);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(997 * (i % 10)));
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
  }
  EXPECT_EQ(write(directory / "a", "whole"), "");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, AFullDiskIsAnErrorAndLeavesWhatWasThere) {
  EXPECT_EQ(write(directory / "a", "whole"), "");
  // A file that may not grow fails as one on a full disk does.
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::_exit(write(directory / "a", std::string(2000, 'a')).empty());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents(directory / "a"), "whole");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, ReadingAFifoIsRefusedAndDoesNotWait) {
  ASSERT_EQ(::mkfifo((directory / "fifo").c_str(), 0600), 0);
  std::vector<std::byte> bytes;
  EXPECT_EQ(readFile(directory / "fifo", bytes, 100), "it is not a file");
}

} // namespace
} // namespace ashlar::test
