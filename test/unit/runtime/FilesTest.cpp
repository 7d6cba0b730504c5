#include "runtime/Files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <sys/stat.h>
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
  // A device, where there is one and this user may make files beside it.
  EXPECT_NE(write("/dev/full", "new"), "");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
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

TEST_F(Files, ReadingAFifoIsRefusedAndDoesNotWait) {
  ASSERT_EQ(::mkfifo((directory / "fifo").c_str(), 0600), 0);
  std::vector<std::byte> bytes;
  EXPECT_EQ(readFile(directory / "fifo", bytes), "it is not a file");
}

} // namespace
} // namespace ashlar::test
