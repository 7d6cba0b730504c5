#include "ParsePtx.h"

namespace ashlar::sim {
namespace {

using Kind = ptx::Operand::Kind;

const ptx::Register &registerOf(const ptx::Function &kernel, size_t instruction,
                                size_t operand) {
  return kernel.registers.at(
      kernel.body.at(instruction).operands.at(operand).registerUse.index);
}

// Inline assembly that is inlined twice.
TEST(ParserScopes, LetBlocksRepeatTheSameNames) {
  const std::string wait = "{ .reg .pred p; WAIT: mbarrier.try_wait.b64 p, "
                           "[%rd1], 0; @!p bra WAIT; }\n";
  const ptx::Function kernel = parseKernel(wait + wait);
  ASSERT_EQ(kernel.labels.size(), 2U);
  EXPECT_EQ(kernel.labels[0].instruction, 0U);
  EXPECT_EQ(kernel.labels[1].instruction, 2U);
  EXPECT_EQ(kernel.body[1].operands[0].integer, 0);
  EXPECT_EQ(kernel.body[3].operands[0].kind, Kind::label);
  EXPECT_EQ(kernel.body[3].operands[0].integer, 1);
  EXPECT_NE(kernel.body[1].guard->predicate.index,
            kernel.body[3].guard->predicate.index);
}

TEST(ParserScopes, PreferTheLabelOfTheInnermostBlockThatHasIt) {
  const ptx::Function kernel =
      parseKernel("L: { bra L; bra M; L: ret; } M: bra L;");
  EXPECT_EQ(kernel.labels.at(kernel.body[0].operands[0].integer).instruction,
            2U);
  EXPECT_EQ(kernel.labels.at(kernel.body[1].operands[0].integer).instruction,
            3U);
  EXPECT_EQ(kernel.labels.at(kernel.body[3].operands[0].integer).instruction,
            0U);
}

TEST(ParserScopes, HideTheOuterRegister) {
  const ptx::Function kernel =
      parseKernel("{ .reg .f64 %r3; mov.u32 %r3, %r4; } mov.u32 %r3, 0;\n"
                  "{ .reg .f32 %r<4>; mov.u32 %r3, %r4; }");
  EXPECT_EQ(registerOf(kernel, 0, 0).type, ptx::Type::f64);
  EXPECT_EQ(registerOf(kernel, 0, 1).type, ptx::Type::b32);
  EXPECT_EQ(registerOf(kernel, 1, 0).type, ptx::Type::b32);
  EXPECT_EQ(registerOf(kernel, 2, 0).type, ptx::Type::f32);
  EXPECT_EQ(registerOf(kernel, 2, 1).type, ptx::Type::b32);
}

TEST(ParserScopes, FindTheFamilyThatANumberBelongsTo) {
  const ptx::Function kernel = parseKernel(
      ".reg .f32 %f1<5>, %f<3>, x; mov.f32 %f12, %f2; mov.f32 %f10, x;");
  EXPECT_EQ(registerOf(kernel, 0, 0).name, "%f12");
  EXPECT_EQ(registerOf(kernel, 0, 1).name, "%f2");
  EXPECT_EQ(registerOf(kernel, 1, 0).name, "%f10");
  EXPECT_NE(faultOfKernel("mov.u32 %r01, 1;"), "");
}

TEST(ParserScopes, ResolveTargetListsWithTheirLabels) {
  const ptx::Function kernel =
      parseKernel("{ ts: .branchtargets A, B, A; brx.idx %r1, ts; A: ret; }\n"
                  "B: ret;");
  ASSERT_EQ(kernel.targets.size(), 1U);
  const auto &labels = kernel.targets[0].labels;
  ASSERT_EQ(labels.size(), 3U);
  EXPECT_EQ(kernel.labels[labels[0]].name, "A");
  EXPECT_EQ(kernel.labels[labels[1]].name, "B");
  EXPECT_EQ(labels[2], labels[0]);
  EXPECT_EQ(kernel.body[0].operands[1].integer, 0);
}

TEST(ParserScopes, RefuseNamesThatAreNotThereOrTwice) {
  EXPECT_EQ(faultOfKernel("bra L7;"),
            "test.ptx:3:5: label 'L7' is not declared in this scope");
  EXPECT_EQ(faultOfKernel("{ L: ret; }\nbra L;"),
            "test.ptx:4:5: label 'L' is not declared in this scope");
  EXPECT_EQ(faultOfKernel("L: ret;\nL: ret;"),
            "test.ptx:4:1: label 'L' is declared twice in this scope (first at "
            "line 3)");
  EXPECT_EQ(faultOfKernel(".reg .b32 %r3;"),
            "test.ptx:3:11: register '%r3' is declared twice in this scope "
            "(first at line 2)");
  EXPECT_EQ(faultOfKernel(".reg .b64 %r<3>;"),
            "test.ptx:3:11: the names '%r<N>' are declared twice in this scope "
            "(first at line 2)");
  EXPECT_EQ(faultOfKernel("ts: .branchtargets L;"),
            "test.ptx:3:20: label 'L' is not declared");
  EXPECT_EQ(faultOfKernel("call foo;"), "test.ptx:3:6: 'foo' is not declared");
}

} // namespace
} // namespace ashlar::sim
