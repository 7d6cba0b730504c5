#include "runtime/sim/tool/RunDescription.h"
#include "runtime/sim/driver/SimulatorDriver.h"
#include "runtime/sim/tool/Npy.h"
#include "test/unit/sim/RunPtx.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace ashlar::sim;
using namespace ashlar::sim::tool;

namespace {

/// A folder for a kernel, its description and their files.
class RunDescription : public testing::Test {
protected:
  std::filesystem::path folder;
  void SetUp() override {
    resetSimulator();
    settings() = {};
    settings().quiet = true;
    folder = std::filesystem::path(testing::TempDir()) /
             testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder);
  }
  void TearDown() override {
    resetSimulator();
    std::filesystem::remove_all(folder);
  }

  std::string write(const std::string &name, const std::string &text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  }
  Outcome run(const std::string &ptx, const std::string &description) {
    return tool::run(write("kernel.ptx", ptx),
                     readDescription(write("launch.json", description)));
  }
  /// What is wrong, without the path.
  std::string problem(const std::string &ptx, const std::string &description) {
    try {
      run(ptx, description);
    } catch (const InputError &error) {
      return std::string(error.what()).substr(folder.string().size() + 1);
    }
    return "";
  }
};

const std::string nothing = kernelText("", "  ret;");

std::string shown(const Outcome &outcome) {
  std::string result = text(outcome.reports);
  for (const Check &check : outcome.checks)
    result += check.first + "\n";
  return result;
}

/// A group's structure has two pointers, a count and 4 bytes that align the
/// next; a block of 4 threads adds 100 to the first `count` words of its group.
const std::string groups = kernelText(".param .u64 table", R"(
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [table];
  mov.u32 %r1, %ctaid.x;
  mad.wide.u32 %rd2, %r1, 24, %rd1;
  ld.global.u64 %rd3, [%rd2];
  ld.global.u64 %rd4, [%rd2+8];
  ld.global.u32 %r2, [%rd2+16];
  mov.u32 %r3, %tid.x;
  setp.ge.u32 %p, %r3, %r2;
  @%p ret;
  mul.wide.u32 %rd5, %r3, 4;
  add.u64 %rd6, %rd3, %rd5;
  ld.global.u32 %r4, [%rd6];
  add.u32 %r4, %r4, 100;
  add.u64 %rd6, %rd4, %rd5;
  st.global.u32 [%rd6], %r4;
)");

TEST_F(RunDescription, BuffersHoldPointersToOthers) {
  const Outcome outcome = run(groups, R"({
    "grid": 2, "block": 4,
    "buffers": {
      "groups": {"items": [{"buffer": "x"}, {"buffer": "y"}, {"u32": 4},
                           {"buffer": "x", "offset": 8},
                           {"buffer": "z", "offset": 4}, {"u32": 2}]},
      "x": {"type": "u32", "values": [1, 2, 3, 4], "shape": [4]},
      "y": {"type": "u32", "shape": [4],
            "expect": {"values": [101, 102, 103, 104]}},
      "z": {"type": "u32", "fill": "zeros", "shape": [3],
            "expect": {"values": [0, 103, 104]}}
    },
    "arguments": [{"buffer": "groups"}]})");
  EXPECT_TRUE(outcome.isRight()) << shown(outcome);
  EXPECT_EQ(outcome.checks.size(), 2u);
}

TEST_F(RunDescription, BuffersHoldTensorMaps) {
  // Block i copies the tile of 4 x 8 bf16 at (0, 8) by map i.
  const std::string ptx = kernelText(".param .u64 maps, .param .u64 out", R"(
  .shared .align 128 .b8 tile[64];
  .shared .align 8 .b64 barrier;
  .reg .b32 %r<4>;
  .reg .b64 %rd<7>;
  .reg .pred %p;
  ld.param.u64 %rd1, [maps];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %ctaid.x;
  mad.wide.u32 %rd1, %r1, 128, %rd1;
  mad.wide.u32 %rd2, %r1, 8, %rd2;
  mbarrier.init.shared.b64 [barrier], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared.b64 %rd3, [barrier], 64;
  mov.u32 %r2, 8;
  mov.u32 %r3, 0;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd1, {%r2, %r3}], [barrier];
wait:
  mbarrier.test_wait.shared.b64 %p, [barrier], %rd3;
  @!%p bra wait;
  ld.shared.u64 %rd4, [tile];
  st.global.u64 [%rd2], %rd4;
)");
  const Outcome outcome = run(ptx, R"({
    "grid": 2, "block": 1,
    "buffers": {
      "a": {"type": "bf16", "fill": "iota", "shape": [4, 16]},
      "b": {"type": "bf16", "fill": 3, "shape": [4, 16]},
      "maps": {"items": [{"tensor_map": "a", "box": [8, 4]},
                         {"tensor_map": "b", "box": [8, 4]}]},
      "out": {"type": "bf16", "shape": [2, 4],
              "expect": {"values": [8, 9, 10, 11, 3, 3, 3, 3]}}
    },
    "arguments": [{"buffer": "maps"}, {"buffer": "out"}]})");
  EXPECT_TRUE(outcome.isRight()) << shown(outcome);
}

TEST_F(RunDescription, ItemsAreAlignedAsInAStructure) {
  const Description d = readDescription(write("launch.json", R"({
    "grid": 1, "block": 1, "buffers": {
      "x": {"items": [{"u8": 1}, {"f16": 1}, {"bytes": "aabbcc"},
                      {"buffer": "x"}, {"tensor_map": "a", "box": [8, 4]},
                      {"u16": 2}]},
      "a": {"type": "bf16", "shape": [4, 16]}}})"));
  std::vector<uint64_t> offsets;
  for (const Item &item : d.buffers[1].items)
    offsets.push_back(item.offsetBytes);
  EXPECT_EQ(offsets, (std::vector<uint64_t>{0, 2, 4, 8, 64, 192}));
  EXPECT_EQ(d.buffers[1].bytes.size(), 194u);
}

TEST_F(RunDescription, WrongItemsAreNamed) {
  auto expectProblem = [&](const std::string &buffer, const char *sentence) {
    const std::string found = problem(
        groups, R"({"grid": 1, "block": 1, "arguments": [{"buffer": "t"}],
                    "buffers": {"a": {"shape": [64]}, "t": )" +
                    buffer + "}}");
    EXPECT_NE(found.find(sentence), std::string::npos) << found;
  };
  expectProblem(R"({"items": [{"u8": 0}, {"buffer": "b"}]})",
                "buffers.t.items[1].buffer: there is no buffer 'b'");
  expectProblem(R"({"items": [{"buffer": "a", "offset": 65}]})",
                "buffers.t.items[0].offset: is 65");
  expectProblem(R"({"items": [{"tensor_map": "a", "box": [300]}]})",
                "buffers.t.items[0]: ");
  expectProblem(R"({"items": [3]})",
                "buffers.t.items[0]: is none of {\"buffer");
  expectProblem(R"({"items": {"u8": 0}})", "buffers.t.items: is no array");
  expectProblem(R"({"items": [{"u8": 0}], "type": "u8"})",
                "buffers.t: is as large as its 'items'");
  expectProblem(R"({"items": [{"u8": 0}], "fill": "zeros"})",
                "buffers.t: needs one of");
  // Where the map's address is not a multiple of 16.
  EXPECT_NE(problem(groups,
                    R"({"grid": 1, "block": 1, "arguments": [{"buffer": "t"}],
        "buffers": {"a": {"type": "bf16", "shape": [4, 16]},
                    "t": {"items": [{"tensor_map": "a", "box": [8, 4],
                                     "offset": 2}]}}})")
                .find("buffers.t.items[0]"),
            std::string::npos);
}

/// Each of 2 x 3 threads copies an element of rows of `pitch` words from x to
/// y, `beyond` words further.
std::string copiesRows(unsigned pitch, unsigned beyond = 0) {
  return kernelText(".param .u64 x, .param .u64 y",
                    R"(
  .reg .b32 %r<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  mad.lo.u32 %r1, %r2, )" +
                        std::to_string(pitch) +
                        R"(, %r1;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  ld.global.u32 %r3, [%rd4];
  st.global.u32 [%rd5+)" +
                        std::to_string(4 * beyond) + "], %r3;\n  ret;");
}

const std::string rows = R"({"grid": 1, "block": [3, 2], "buffers": {
    "x": {"type": "u32", "values": [1, 2, 3, 4, 5, 6], "shape": [2, 3],
          "strides": [4, 1]},
    "y": {"type": "u32", "shape": [2, 3], "strides": [4, 1], "save": "y.npy",
          "expect": {"values": [1, 2, 3, 4, 5, 6]}}},
    "arguments": [{"buffer": "x"}, {"buffer": "y"}]})";

TEST_F(RunDescription, BuffersHaveStrides) {
  const Outcome outcome = run(copiesRows(4), rows);
  EXPECT_TRUE(outcome.isRight()) << shown(outcome);
  std::string why;
  const auto saved = readNpy(readFile((folder / "y.npy").string()), why);
  ASSERT_TRUE(saved) << why;
  EXPECT_EQ(saved->shape, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(saved->bytes[12], 4);
}

TEST_F(RunDescription, GapsOfBuffersBelongToNobody) {
  Outcome outcome = run(copiesRows(4, 1), rows);
  ASSERT_FALSE(outcome.reports.empty());
  EXPECT_EQ(outcome.reports[0].finding, Finding::outOfBounds);
  EXPECT_EQ(outcome.reports[0].sentence.find(
                "4 bytes are accessed right behind the end of [0, :] of tensor "
                "'y' (2 x 3 elements of 4 bytes, strides 4, 1)"),
            0u)
      << shown(outcome);
  outcome = run(copiesRows(3), rows);
  ASSERT_FALSE(outcome.reports.empty());
  EXPECT_NE(outcome.reports[0].sentence.find("tensor 'x'"), std::string::npos);
}

TEST_F(RunDescription, TensorMapsTakeTheBuffersStrides) {
  const Description d = readDescription(write("launch.json", R"({
    "grid": 1, "block": 1,
    "buffers": {"a": {"type": "bf16", "shape": [3, 4, 16],
                      "strides": [160, 24, 1]}},
    "arguments": [{"tensor_map": "a", "box": [8, 4, 1]}]})"));
  const auto &map = std::get<TensorMapArgument>(d.arguments[0].value).map;
  EXPECT_EQ(map.strideBytes[0], 48u);
  EXPECT_EQ(map.strideBytes[1], 320u);
  EXPECT_EQ(d.buffers[0].deviceBytes, 2u * (2 * 160 + 3 * 24 + 16));
}

TEST_F(RunDescription, WrongStridesAreNamed) {
  auto expectProblem = [&](const std::string &members, const char *sentence) {
    const std::string found =
        problem(nothing, R"({"grid": 1, "block": 1, "buffers": {"a": {)" +
                             members + "}}}");
    EXPECT_NE(found.find(sentence), std::string::npos) << found;
  };
  expectProblem(R"("shape": [4, 8], "strides": [7, 1])",
                "buffers.a.strides: let elements overlap");
  expectProblem(R"("shape": [4, 8], "strides": [0, 1])",
                "buffers.a.strides: let elements overlap");
  expectProblem(R"("shape": [4, 8], "strides": [8])",
                "buffers.a.strides: is no array of 2 integers");
  expectProblem(R"("shape": [4, 8], "strides": [1099511627776, 1])",
                "buffers.a.strides: let elements overlap, or lie further");
  expectProblem(R"("items": [{"u8": 1}], "strides": [1])",
                "leave out 'type', 'shape' and 'strides'");
}

/// Writes 7, then divides by zero at line 5, and goes on as `end` says.
std::string divides(const std::string &end) {
  return kernelText(".param .u64 out",
                    R"(
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  st.global.u32 [%rd1], 7;
  mov.u32 %r1, %tid.x;
  .loc 1 5 0
  div.u32 %r2, 5, %r1;
)" + end) +
         ".file 1 \"author.cpp\"\n";
}

const std::string expectsEight = R"({"grid": 1, "block": 1,
    "buffers": {"out": {"type": "u32", "shape": [1], "expect": {"values": [8]}}},
    "arguments": [{"buffer": "out"}]})";

TEST_F(RunDescription, WhatAFindingLeavesIsChecked) {
  const Outcome outcome = run(divides("ret;"), expectsEight);
  ASSERT_EQ(outcome.reports.size(), 1u);
  ASSERT_EQ(outcome.checks.size(), 1u);
  EXPECT_TRUE(outcome.checks[0].isMade);
  EXPECT_EQ(outcome.checks[0].wrong, 1u);
}

TEST_F(RunDescription, WhatALaunchThatEndedEarlyLeavesIsNotChecked) {
  const Outcome outcome = run(divides("trap;"), expectsEight);
  ASSERT_EQ(outcome.reports.size(), 2u);
  EXPECT_TRUE(outcome.reports[1].isEnd);
  ASSERT_EQ(outcome.checks.size(), 1u);
  EXPECT_FALSE(outcome.checks[0].isMade);
  EXPECT_EQ(outcome.checks[0].wrong, 0u);
  EXPECT_FALSE(outcome.isRight());
}

TEST_F(RunDescription, NeitherIsWhatALaunchLeavesThatEndedForItsManyFindings) {
  std::string body;
  for (int line = 10; line < 40; ++line)
    body += "  .loc 1 " + std::to_string(line) + " 0\n  div.u32 %r2, 5, %r1;\n";
  const Outcome outcome = run(divides(body + "  ret;"), expectsEight);
  ASSERT_FALSE(outcome.reports.empty());
  EXPECT_TRUE(outcome.reports.back().isEnd);
  EXPECT_FALSE(outcome.checks.at(0).isMade);
}

/// A description of a buffer of fp8 with values that it holds, and what is
/// expected of it.
std::string ofFp8(const std::string &type, const std::string &expect) {
  return R"({"grid": 1, "block": 1, "buffers": {"d": {"type": ")" + type +
         R"(", "values": [1, -0.4375, 448, "nan"], "shape": [2, 2],
         "expect": )" +
         expect + "}}}";
}

TEST_F(RunDescription, SumsMayDifferWithinWhatIsExpectedOfThem) {
  // Each block adds its own power of two to a float that holds few bits of it.
  const std::string ptx = kernelText(".param .u64 d", R"(
  .reg .b64 %p;
  .reg .b32 %n, %r, %t;
  .reg .f32 %x, %old;
  .reg .pred %one;
  ld.param.u64 %p, [d];
  mov.u32 %t, %tid.x;
  setp.eq.u32 %one, %t, 0;
  mov.u32 %n, %ctaid.x;
  shl.b32 %n, %n, 24;
  add.u32 %n, %n, 0x3f800001;
  mov.b32 %x, %n;
  @%one atom.global.add.f32 %old, [%p], %x;
  ret;)");
  auto description = [](const std::string &expect) {
    return R"({"grid": 24, "block": 32, "buffers": {"D": {"type": "f32",
      "shape": [1], "values": [0])" +
           expect + R"(}}, "arguments": [{"buffer": "D"}]})";
  };
  // With several threads, clusters that race are in no seed's order.
  settings().hostThreads = 1;
  settings().seeds = 12;
  EXPECT_NE(shown(run(ptx, description(""))).find("depends on the schedule"),
            std::string::npos);
  settings().seeds = 12;
  Outcome outcome =
      run(ptx,
          description(R"(, "expect": {"values": [9.4e13], "relative": 0.01})"));
  EXPECT_EQ(shown(outcome).find("depends on the schedule"), std::string::npos)
      << shown(outcome);
  // What is wrong under one seed is told.
  settings().seeds = 12;
  outcome = run(ptx, description(R"(, "expect": {"values": [1]})"));
  EXPECT_NE(shown(outcome).find("depends on the schedule"), std::string::npos);
}

TEST_F(RunDescription, Fp8IsComparedWithFloatsOfMorePrecision) {
  const std::string values = R"("values": [1.05, -0.45, 430, "nan"])";
  Outcome outcome =
      run(nothing, ofFp8("e4m3", R"({"type": "f32", "relative": 0.0625, )" +
                                     values + "}"));
  ASSERT_EQ(outcome.checks.size(), 1u);
  EXPECT_TRUE(outcome.isRight()) << shown(outcome);
  EXPECT_EQ(outcome.checks[0].largestError, 18);

  outcome =
      run(nothing, ofFp8("e5m2", R"({"type": "f32", "relative": 0.125, )" +
                                     values + "}"));
  EXPECT_TRUE(outcome.isRight()) << shown(outcome);

  // The expectation is not rounded to the buffer's type.
  outcome = run(nothing, ofFp8("e4m3", R"({"type": "f32", "relative": 0.03, )" +
                                           values + "}"));
  EXPECT_EQ(outcome.checks[0].wrong, 2u);
  EXPECT_EQ(outcome.checks[0].first.find("d[0, 0] is 1, expected 1.04999995"),
            0u)
      << shown(outcome);
  outcome = run(nothing, ofFp8("e4m3", R"({"type": "f32", )" + values + "}"));
  EXPECT_EQ(outcome.checks[0].wrong, 3u);
}

TEST_F(RunDescription, Fp8IsComparedWithAFileOfFloats) {
  const float values[4] = {1.05F, -0.45F, 430, 448};
  std::vector<uint8_t> bytes(sizeof values);
  std::memcpy(bytes.data(), values, sizeof values);
  write("raw", std::string(bytes.begin(), bytes.end()));
  const std::vector<uint8_t> npy = writeNpy(Element::f32, {2, 2}, bytes);
  write("d.npy", std::string(npy.begin(), npy.end()));
  for (const char *expect :
       {R"({"file": "d.npy", "relative": 0.0625})",
        R"({"file": "raw", "type": "f32", "relative": 0.0625})"}) {
    const Outcome outcome = run(nothing, ofFp8("e4m3", expect));
    EXPECT_EQ(outcome.checks.at(0).wrong, 1u) << shown(outcome);
    EXPECT_EQ(outcome.checks[0].first, "d[1, 1] is nan, expected 448");
  }
}

TEST_F(RunDescription, WrongExpectationsAreNamed) {
  auto expectProblem = [&](const std::string &expect, const char *sentence) {
    const std::string found = problem(nothing, ofFp8("e4m3", expect));
    EXPECT_NE(found.find(sentence), std::string::npos) << found;
  };
  write("short", "12345678");
  expectProblem(R"({"file": "short", "type": "f32"})",
                "buffers.d.expect.file: has 8 bytes; 4 elements of f32 have "
                "16");
  expectProblem(R"({"values": [1, 2, 3, 4], "type": "s32"})",
                "buffers.d.expect.type: is of s32, the buffer of e4m3; expect");
  expectProblem(R"({"values": [1, 2, 3, 4], "type": "f8"})",
                "buffers.d.expect.type: is no element type");
  const std::vector<uint8_t> npy =
      writeNpy(Element::s32, {2, 2}, std::vector<uint8_t>(16));
  write("d.npy", std::string(npy.begin(), npy.end()));
  expectProblem(R"({"file": "d.npy"})",
                "buffers.d.expect.file: is of s32, the buffer of e4m3");
  expectProblem(R"({"file": "d.npy", "type": "f16"})",
                "buffers.d.expect.file: 'd.npy' has elements of type s32, not "
                "f16");
}

} // namespace
