#include "ParsePtx.h"

namespace ashlar::sim {
namespace {

using ptx::StateSpace;

TEST(ParserDirectives, ReadTheHeadOfAModule) {
  const ptx::Module module =
      ptx::parse("// made by hand\n.version 8.7\n.target sm_90a, debug\n"
                 ".address_size 64\n.file 2 \"b.cu\", 1700000000, 4711\n"
                 ".file 1 \"a.cu\"\n",
                 "a.ptx");
  EXPECT_EQ(module.versionMajor, 8);
  EXPECT_EQ(module.versionMinor, 7);
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_EQ(module.name, "a.ptx");
  EXPECT_EQ(module.files, (std::vector<std::string>{"", "a.cu", "b.cu"}));
}

TEST(ParserDirectives, GiveInstructionsTheirLines) {
  const ptx::Function kernel = parseKernel(
      "mov.u32 %r1, 0;\n.loc 1 21 9\nmov.u32 %r1, 1; mov.u32 %r1, 2;\n"
      ".loc 1 30 2, function_name $L__info_string0, inlined_at 1 36 20\nret;");
  EXPECT_EQ(kernel.body[0].source.line, 0U);
  EXPECT_EQ(kernel.body[1].source.line, 21U);
  EXPECT_EQ(kernel.body[2].source.column, 9U);
  EXPECT_EQ(kernel.body[3].source.line, 30U);
  EXPECT_EQ(kernel.source.line, 21U);
}

TEST(ParserDirectives, CollectNotesWithTheirFunction) {
  const ptx::Module module = parseModule(
      "//@ of the module\n.func f { ret; }\n//@ before\n"
      ".entry k()\n//@ role producer\n{ ret;\n//@ memory 0 64\r\n}\n//@ after\n"
      "//@none\n");
  ASSERT_EQ(module.notes.size(), 5U);
  const int functions[] = {-1, -1, 1, 1, -1};
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(module.notes[i].function, functions[i]) << i;
  EXPECT_EQ(module.notes[2].text, "role producer");
  EXPECT_EQ(module.notes[3].text, "memory 0 64");
  EXPECT_EQ(module.notes[3].position.line, 8U);
}

TEST(ParserDirectives, DeclareVariablesInEverySpace) {
  const ptx::Module module =
      parseModule(".extern .shared .align 1024 .b8 dynamic[];\n"
                  ".visible .global .attribute(.managed) .align 4 .u32 m = 7;\n"
                  ".const .u32 c, d[2]; .global .f32 x<3>;\n"
                  ".extern .global .u32 e; .visible .global .u32 e = 4;");
  ASSERT_EQ(module.variables.size(), 8U);
  EXPECT_TRUE(module.variables[0].isExternal);
  EXPECT_EQ(module.variables[0].elements, 0U);
  EXPECT_EQ(module.variables[0].alignment, 1024U);
  EXPECT_EQ(module.variables[0].space, StateSpace::shared);
  EXPECT_EQ(module.variables[3].elements, 2U);
  EXPECT_EQ(module.variables[6].name, "x2");
  EXPECT_FALSE(module.variables[7].isExternal);
  EXPECT_EQ(module.variables[7].image.size(), 4U);
}

TEST(ParserDirectives, SkipDebugSectionsAndPragmas) {
  const ptx::Module module = parseModule(
      ".pragma \"a\", \"b\";\n"
      ".section .debug_info { .b32 8600\n.b8 2, 0\n.b32 .debug_abbrev\n"
      "L: .b64 L-M+4 }\n.section .debug_loc { }\n.entry k() { ret; }");
  EXPECT_EQ(module.functions.size(), 1U);
}

TEST(ParserDirectives, RefuseWhatIsNotKnownOrMissing) {
  EXPECT_EQ(faultOf(""), "test.ptx:1:1: expected '.version', with which a PTX "
                         "text begins, not the end of the text");
  EXPECT_EQ(faultOf(".version 9"),
            "test.ptx:1:10: expected the version of PTX, as '9.0', not '9'");
  EXPECT_EQ(faultOf(".version 9.0 .entry"),
            "test.ptx:1:14: expected '.target' after '.version', not '.entry'");
  EXPECT_EQ(faultOfModule(".foo"),
            "test.ptx:2:1: '.foo' is not a directive that is known");
  EXPECT_EQ(faultOfModule(".reg .b32 x;"),
            "test.ptx:2:1: '.reg' can't stand outside of a function");
  EXPECT_EQ(faultOfModule("mov.u32"),
            "test.ptx:2:1: expected a directive, not 'mov'");
  EXPECT_EQ(faultOfModule(".section .debug_info { .b8 1"),
            "test.ptx:2:10: this section is never closed: '}' is missing");
  EXPECT_EQ(faultOfModule(".global .texref t;"),
            "test.ptx:2:9: '.texref' is not supported: the simulator has no "
            "textures and surfaces");
  EXPECT_EQ(faultOfModule(".global .align 3 .b8 x;"),
            "test.ptx:2:16: an alignment has to be a power of two, not 3");
  EXPECT_EQ(faultOfModule(".global .u32 x;\n.const .u32 x;"),
            "test.ptx:3:13: variable 'x' is declared twice in this scope "
            "(first at line 2)");
  EXPECT_EQ(faultOfModule(".file 70000 \"a\""),
            "test.ptx:2:7: the number of a file is 70000; the limit is 65535");
}

TEST(ParserDirectives, BoundTheNesting) {
  const auto repeat = [](const std::string &text, int count) {
    std::string result;
    for (int i = 0; i < count; ++i)
      result += text;
    return result;
  };
  EXPECT_EQ(faultOfKernel(repeat("{", 100) + repeat("}", 100)), "");
  for (const char *opening : {"{", "mov.u32 %r1, ((", "mov.u32 %r1, {{",
                              "mov.u32 %r1, 1?", "mov.u32 %r1, ~"}) {
    const std::string start(opening);
    const std::string fault =
        faultOfKernel(start + repeat(start.substr(start.size() - 1), 10000));
    EXPECT_NE(fault, "") << start;
  }
  EXPECT_NE(faultOfKernel(repeat("{", 100000))
                .find("this is nested more than 256 levels deep"),
            std::string::npos);
  EXPECT_NE(faultOfKernel("mov.u32 %r1, " + repeat("1?1:", 100000) + "1;"), "");
}

} // namespace
} // namespace ashlar::sim
