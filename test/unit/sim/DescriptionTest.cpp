#include "runtime/sim/tool/Description.h"
#include "runtime/sim/tool/Element.h"
#include "runtime/sim/tool/Npy.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace ashlar::sim::tool;

namespace {

/// A folder for one test's files.
class LaunchDescription : public testing::Test {
protected:
  std::filesystem::path folder;
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) /
             testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string write(const std::string &name, const std::string &text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  }
  Description read(const std::string &text) {
    return readDescription(write("launch.json", text));
  }
  /// What is wrong, without the path.
  std::string problem(const std::string &text) {
    try {
      read(text);
    } catch (const InputError &error) {
      return std::string(error.what()).substr(folder.string().size() + 1);
    }
    return "";
  }
  /// A description with these arguments and one buffer.
  std::string with(const std::string &arguments) {
    return R"({"grid": 1, "block": 32, "buffers": {"a": {"type": "bf16",
        "shape": [8, 64]}}, "arguments": [)" +
           arguments + "]}";
  }
};

TEST_F(LaunchDescription, ReadsShapesBuffersAndArguments) {
  const Description d = read(R"({
    "kernel": "k", "grid": [2, 3], "block": 64, "cluster": [2, 1, 1],
    "shared_bytes": 1024,
    "buffers": {
      "a": {"type": "f32", "shape": [2, 3], "fill": "iota", "save": "a.npy",
            "expect": {"values": [0, 1, 2, 3, "inf", 5], "absolute": 0.5}},
      "b": {"type": "s8", "values": [-1, 127], "shape": [2]},
      "c": {"shape": [16]}
    },
    "arguments": [{"buffer": "b", "offset": 1}, {"u32": 7}, {"f16": 1},
                  {"bytes": "00ff"}]})");
  EXPECT_EQ(d.kernel, "k");
  EXPECT_EQ(d.grid.y, 3u);
  EXPECT_EQ(d.cluster.x, 2u);
  ASSERT_EQ(d.buffers.size(), 3u);
  float fourth = 0;
  std::memcpy(&fourth, &d.buffers[0].bytes[12], 4);
  EXPECT_EQ(fourth, 3);
  EXPECT_EQ(d.buffers[0].expected->absolute, 0.5);
  EXPECT_EQ(d.buffers[1].bytes, (std::vector<uint8_t>{0xff, 127}));
  EXPECT_FALSE(d.buffers[2].isInitialised);
  EXPECT_EQ(std::get<PointerArgument>(d.arguments[0].value).offsetBytes, 1u);
  EXPECT_EQ(std::get<std::vector<uint8_t>>(d.arguments[2].value),
            (std::vector<uint8_t>{0x00, 0x3c}));
  EXPECT_EQ(d.arguments[3].sizeBytes(), 2u);
}

TEST_F(LaunchDescription, TensorMapsTakeTheBuffersShape) {
  const Description d =
      read(with(R"({"tensor_map": "a", "box": [64, 4], "swizzle": 128})"));
  const auto &map = std::get<TensorMapArgument>(d.arguments[0].value).map;
  EXPECT_EQ(map.rank, 2u);
  EXPECT_EQ(map.extents[0], 64u);
  EXPECT_EQ(map.extents[1], 8u);
  EXPECT_EQ(map.strideBytes[0], 128u);
  EXPECT_EQ(map.swizzleBytes(), 128u);
}

TEST_F(LaunchDescription, ErrorsNameThePlace) {
  EXPECT_EQ(problem("{\"grid\": 1,\n  \"block\" 3}").substr(0, 17),
            "launch.json:2:11:");
  EXPECT_EQ(problem(R"({"grid": 1e400})"),
            "launch.json: number overflow parsing '1e400'");
  EXPECT_NE(problem(with(R"({"u8": 256})")).find("arguments[0].u8: is no u8"),
            std::string::npos);
  EXPECT_NE(problem(with(R"({"buffer": "b"})"))
                .find("arguments[0].buffer: there is no buffer 'b'"),
            std::string::npos);
  EXPECT_NE(problem(with(R"({"tensor_map": "a", "box": [64]})"))
                .find("arguments[0].box: is no array of 2 integers"),
            std::string::npos);
  EXPECT_NE(problem(with(R"({"tensor_map": "a", "box": [300, 4]})"))
                .find("arguments[0]:"),
            std::string::npos);
  EXPECT_NE(problem(R"({"grid": 0, "block": 1})").find("grid: is 0"),
            std::string::npos);
  EXPECT_NE(problem(R"({"grid": 1})").find("has no 'block'"),
            std::string::npos);
  EXPECT_NE(problem(R"({"grid": 1, "block": 1, "blocks": 1})").find("'blocks'"),
            std::string::npos);
  EXPECT_NE(problem(R"({"grid": 1, "block": 1, "buffers":
                        {"a": {"shape": [1099511627776, 4096]}}})")
                .find("buffers.a: the buffer is larger"),
            std::string::npos);
  EXPECT_NE(problem(R"({"grid": 1, "block": 1, "buffers":
                        {"a": {"file": "missing"}}})")
                .find("buffers.a.file:"),
            std::string::npos);
}

TEST_F(LaunchDescription, SavesInItsFolderOnly) {
  for (const char *path : {"/tmp/a", "../a", "a/../../b"})
    EXPECT_NE(problem(R"({"grid": 1, "block": 1, "buffers": {"a": {"shape": [8],
                          "save": ")" +
                      std::string(path) + "\"}}}")
                  .find("buffers.a.save: leads out of"),
              std::string::npos)
        << path;
}

TEST_F(LaunchDescription, SavesBehindNoLinkOutOfItsFolder) {
  auto problemOf = [&](const std::string &path) {
    return problem(R"({"grid": 1, "block": 1, "buffers": {"a": {"shape": [8],
                       "save": ")" +
                   path + "\"}}}");
  };
  std::filesystem::create_directories(folder / "within");
  std::filesystem::create_directory_symlink(folder / "within", folder / "here");
  std::filesystem::create_directory_symlink(folder / "..", folder / "out");
  EXPECT_EQ(problemOf("within/a"), "");
  EXPECT_EQ(problemOf("here/a"), "");
  EXPECT_NE(problemOf("out/a").find("buffers.a.save: leads out of"),
            std::string::npos);
  EXPECT_NE(problemOf("").find("buffers.a.save: is no name"),
            std::string::npos);
}

TEST_F(LaunchDescription, FillsWithNumbersOfTheType) {
  auto problemOf = [&](const std::string &type, const std::string &number) {
    return problem(R"({"grid": 1, "block": 1, "buffers": {"a": {"shape": [2],
                       "type": ")" +
                   type + R"(", "fill": )" + number + "}}}");
  };
  EXPECT_EQ(problemOf("s8", "-128"), "");
  EXPECT_EQ(problemOf("f32", "0.5"), "");
  for (const char *number : {"256", "-1", "0.5"})
    EXPECT_NE(problemOf("u8", number).find("buffers.a.fill: is no u8"),
              std::string::npos)
        << number;
}

TEST_F(LaunchDescription, HasNoMemberTwice) {
  EXPECT_EQ(problem(R"({"grid": 1, "grid": 2, "block": 1})"),
            "launch.json: an object has two members 'grid'");
  EXPECT_EQ(problem(R"({"grid": 1, "block": 1, "buffers": {"a": {"shape": [1]},
                        "b": {"shape": [1]}}})"),
            "");
}

TEST_F(LaunchDescription, ReadsFilesAlone) {
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  for (const char *file : {"fifo", ".", "/dev/zero"})
    EXPECT_NE(problem(R"({"grid": 1, "block": 1, "buffers":
                          {"a": {"file": ")" +
                      std::string(file) + "\"}}}")
                  .find("buffers.a.file: '"),
              std::string::npos)
        << file;
}

TEST_F(LaunchDescription, ReadsFilesOfNumpy) {
  const std::vector<uint8_t> bytes = {1, 0, 2, 0, 3, 0, 4, 0};
  const std::vector<uint8_t> file = writeNpy(Element::u16, {2, 2}, bytes);
  write("a.npy", std::string(file.begin(), file.end()));
  const Description d = read(R"({"grid": 1, "block": 1,
      "buffers": {"a": {"file": "a.npy"},
                  "b": {"file": "a.npy", "type": "bf16"}}})");
  EXPECT_EQ(d.buffers[0].element, Element::u16);
  EXPECT_EQ(d.buffers[0].shape, (std::vector<uint64_t>{2, 2}));
  EXPECT_EQ(d.buffers[0].bytes, bytes);
  EXPECT_EQ(d.buffers[1].element, Element::bf16);
}

TEST(Npy, RefusesDamagedFiles) {
  const std::vector<uint8_t> whole =
      writeNpy(Element::f32, {3}, std::vector<uint8_t>(12));
  std::string problem;
  EXPECT_TRUE(readNpy(whole, problem));
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::vector<uint8_t> part(
        whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_FALSE(readNpy(part, problem)) << size;
  }
}

TEST(Element, KeepsItsOwnValues) {
  for (const char *type : {"f16", "bf16", "tf32", "f32", "f64", "e4m3", "e5m2",
                           "s8", "s16", "s32", "s64"}) {
    const Element element = *elementNamed(type);
    for (double value : {0.0, 1.0, -1.0, 4.0, -96.0}) {
      uint8_t bytes[8] = {};
      encode(element, value, bytes);
      EXPECT_EQ(decode(element, bytes), value) << type;
    }
  }
  uint8_t byte = 0;
  encode(Element::u8, 1e9, &byte);
  EXPECT_EQ(byte, 255);
}

} // namespace
