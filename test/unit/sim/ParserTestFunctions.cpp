#include "ParsePtx.h"

namespace ashlar::sim {
namespace {

using ptx::Function;
using ptx::StateSpace;
using SymbolKind = ptx::SymbolUse::Kind;

TEST(ParserFunctions, ReadAKernelsHead) {
  const ptx::Module module = parseModule(
      ".visible .entry k(\n"
      "  .param .align 64 .b8 map[128],\n"
      "  .param .u64 .ptr .global .align 1 out,\n"
      "  .param .u32 n)\n"
      ".reqntid 384, 1, 1 .maxntid 512 .maxnreg 168 .minnctapersm 1\n"
      ".explicitcluster .reqnctapercluster 2, 1 .maxclusterrank 8\n"
      ".pragma \"nounroll\";\n"
      "{ ret; }");
  const Function &kernel = module.functions.at(0);
  EXPECT_TRUE(kernel.isEntry && kernel.isDefined);
  ASSERT_EQ(kernel.parameters.size(), 3U);
  EXPECT_EQ(kernel.parameters[0].elements, 128U);
  EXPECT_EQ(kernel.parameters[0].alignment, 64U);
  EXPECT_EQ(kernel.parameters[0].space, StateSpace::parameter);
  EXPECT_EQ(kernel.parameters[1].alignment, 8U);
  EXPECT_EQ(kernel.requiredThreads->x, 384U);
  EXPECT_EQ(kernel.maximumThreads->x, 512U);
  EXPECT_EQ(kernel.maximumRegisters, 168U);
  EXPECT_EQ(kernel.minimumBlocks, 1U);
  EXPECT_EQ(kernel.requiredCluster->x, 2U);
  EXPECT_EQ(kernel.maximumClusterRank, 8U);
  EXPECT_TRUE(kernel.explicitCluster);
}

TEST(ParserFunctions, MayHaveRegistersAsParameters) {
  const ptx::Module module =
      parseModule(".func (.reg .u32 o) f(.reg .u32 i, .param .b8 p[12])\n"
                  "{ mov.u32 o, i; ld.param.u32 o, [p]; }");
  const Function &function = module.functions.at(0);
  ASSERT_EQ(function.resultRegisters.size(), 1U);
  ASSERT_EQ(function.parameterRegisters.size(), 1U);
  ASSERT_EQ(function.parameters.size(), 2U);
  EXPECT_EQ(function.parameters[0].space, StateSpace::generic);
  const auto &move = function.body.at(0).operands;
  EXPECT_EQ(move[0].registerUse.index, function.resultRegisters[0]);
  EXPECT_EQ(move[1].registerUse.index, function.parameterRegisters[0]);
  const auto &symbol = function.body.at(1).operands[1].address->symbol;
  EXPECT_EQ(symbol->kind, SymbolKind::parameter);
  EXPECT_EQ(symbol->index, 1U);
}

TEST(ParserFunctions, AreDeclaredBeforeTheyAreDefined) {
  const ptx::Module module = parseModule(
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".func (.param .b32 r) f(.param .b32 x) ;\n"
      ".func old\n"
      ".entry k() { .param .b32 p; call (p), f, (p); }\n"
      ".func (.param .b32 r) f(.param .b32 x) .noreturn { call (r), f, (x); }\n"
      ".func old { ret; }\n"
      ".func other() ; .alias other, old;");
  ASSERT_EQ(module.functions.size(), 5U);
  EXPECT_FALSE(module.functions[0].isDefined);
  EXPECT_TRUE(module.functions[1].isDefined);
  EXPECT_TRUE(module.functions[1].noReturn);
  EXPECT_TRUE(module.functions[2].isDefined);
  EXPECT_EQ(module.functions[4].aliasOf, 2U);
  EXPECT_EQ(module.functions[3].body.at(0).operands[1].symbol.index, 1U);
}

TEST(ParserFunctions, RefuseWhatDoesNotGoTogether) {
  EXPECT_EQ(faultOfModule(".func f { ret; }\n.func f { ret; }"),
            "test.ptx:3:7: function 'f' is declared twice in this scope (first "
            "at line 2)");
  EXPECT_EQ(faultOfModule(".func f;\n.func f(.param .b32 x) { ret; }"),
            "test.ptx:3:7: 'f' has other parameters than its declaration (line "
            "2)");
  EXPECT_EQ(faultOfModule(".entry k() .foo 3 { ret; }"),
            "test.ptx:2:12: '.foo' is not a directive that is known");
  EXPECT_EQ(faultOfModule(".entry k() .reg { ret; }"),
            "test.ptx:2:12: '.reg' can't stand between a function's parameters "
            "and its body");
  EXPECT_EQ(faultOfModule(".entry k() {\n ret;\n"),
            "test.ptx:2:12: this '{' is never closed; the text ends before");
  EXPECT_EQ(faultOfModule(".func f { ret; } .alias g, f;"),
            "test.ptx:2:25: function 'g' is not declared");
}

} // namespace
} // namespace ashlar::sim
