#include "ParsePtx.h"

#include <bit>

namespace ashlar::sim {
namespace {

using Kind = ptx::Operand::Kind;

int64_t evaluate(const std::string &expression) {
  const ptx::Function kernel = parseKernel("mov.u64 %rd1, " + expression + ";");
  const ptx::Operand &operand = kernel.body.at(0).operands.at(1);
  EXPECT_EQ(operand.kind, Kind::integer) << expression;
  return operand.integer;
}

TEST(ParserConstants, FollowTheOperatorsOfC) {
  EXPECT_EQ(evaluate("2+3*4"), 14);
  EXPECT_EQ(evaluate("(2+3)*4"), 20);
  EXPECT_EQ(evaluate("7-2-1"), 4);
  EXPECT_EQ(evaluate("1<<4|3&2^1"), 19);
  EXPECT_EQ(evaluate("- -5"), 5);
  EXPECT_EQ(evaluate("1 ? 2 : 0 ? 3 : 4"), 2);
  EXPECT_EQ(evaluate("1 == 1 && 2 != 2 || 0"), 0);
  EXPECT_EQ(evaluate("1.5 < 2.0"), 1);
  EXPECT_EQ(evaluate("7 % 4"), 3);
  EXPECT_EQ(evaluate("7%4"), 3);
  EXPECT_EQ(evaluate("WARP_SZ*2"), 64);
  EXPECT_EQ(evaluate("!(3)"), 0);
}

// The values are those that ptxas 13.0 gives.
TEST(ParserConstants, KeepTheTypesThatPtxGivesThem) {
  EXPECT_EQ(evaluate("-1 > 0"), 0);
  EXPECT_EQ(evaluate("-1 > 0U"), 1);
  EXPECT_EQ(evaluate("-16 >> 1"), -8);
  EXPECT_EQ(evaluate("(.u64)-16 >> 1"), 0x7FFFFFFFFFFFFFF8);
  EXPECT_EQ(evaluate("(.s64)0xFFFFFFFFFFFFFFF0 >> 1"), -8);
  EXPECT_EQ(evaluate("~0 >> 60"), 15);
  EXPECT_EQ(evaluate("(-16|0) >> 1"), -8);
  EXPECT_EQ(evaluate("-8 / 3"), -2);
  EXPECT_EQ(evaluate("-8 % 3"), 2);
  EXPECT_EQ(evaluate("-8 / 3U"), 0x5555555555555552);
  EXPECT_EQ(evaluate("1 << 65"), 2);
  EXPECT_EQ(evaluate("(.s64)0x8000000000000000 / -1"), INT64_MIN);
}

TEST(ParserConstants, AreRealNumbersWhereTheTermsAre) {
  const ptx::Function kernel =
      parseKernel("fma.rn.f32 %r1, 0f3F800000, 1.5*2.0, -0.25;");
  const auto &operands = kernel.body.at(0).operands;
  EXPECT_EQ(operands[1].kind, Kind::real32);
  EXPECT_EQ(operands[1].integer, 0x3F800000);
  EXPECT_EQ(operands[2].kind, Kind::real64);
  EXPECT_EQ(std::bit_cast<double>(operands[2].integer), 3.0);
  EXPECT_EQ(std::bit_cast<double>(operands[3].integer), -0.25);
}

TEST(ParserConstants, RefuseWhatHasNoValue) {
  EXPECT_EQ(faultOfKernel("mov.u32 %r1, 1/0;"),
            "test.ptx:3:16: this divides by zero");
  EXPECT_EQ(faultOfKernel("mov.u32 %r1, 1.0/0.0;"),
            "test.ptx:3:18: this divides by zero");
  EXPECT_EQ(faultOfKernel("mov.u32 %r1, 1 + 2.0;"),
            "test.ptx:3:18: the operator '+' does not mix an integer with a "
            "real number");
  EXPECT_EQ(faultOfKernel("mov.u32 %r1, ~1.0;"),
            "test.ptx:3:15: the operator '~' takes an integer");
  EXPECT_EQ(faultOfKernel("mov.u32 %r1, -0f3F800000;"),
            "test.ptx:3:15: a number written as 0f and digits takes no "
            "operator");
  EXPECT_EQ(faultOfKernel("mov.u32 %r1, (.s32)1;"),
            "test.ptx:3:15: a constant is cast to .s64 or .u64, not to another "
            "type");
  EXPECT_EQ(faultOfKernel("mov.u32 %r1, 1 ? 2.0 : 3.0;"),
            "test.ptx:3:18: the operator '?' takes integers only");
  EXPECT_EQ(faultOfKernel("mov.u32 %r1, 1+;"),
            "test.ptx:3:16: expected a constant, not ';'");
}

} // namespace
} // namespace ashlar::sim
