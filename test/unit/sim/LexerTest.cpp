#include "runtime/sim/ptx/Lexer.h"

#include <gtest/gtest.h>

#include <bit>

namespace ashlar::sim {
namespace {

using ptx::Lexer;
using ptx::ParseError;
using ptx::Token;
using Kind = ptx::Token::Kind;

std::vector<Token> lex(std::string_view text) {
  Lexer lexer(text, "t");
  std::vector<Token> tokens;
  while (tokens.empty() || tokens.back().kind != Kind::end)
    tokens.push_back(lexer.next());
  return tokens;
}

std::string faultOfText(std::string_view text) {
  try {
    lex(text);
  } catch (const ParseError &error) {
    return error.what();
  }
  return "";
}

TEST(Lexer, CutsAnInstructionIntoItsWords) {
  const auto tokens = lex("@!%p1 ld.shared::cta.v4.b32 {$a, _}, [%rd1+16];");
  std::string words;
  for (const Token &token : tokens)
    words +=
        (token.kind == Kind::dotted ? "." : "") + std::string(token.text) + " ";
  EXPECT_EQ(words, "@ ! %p1 ld .shared::cta .v4 .b32 { $a , _ } , [ %rd1 + "
                   "16 ] ;  ");
}

TEST(Lexer, KeepsDigitsAndDoubleColonsInsideAModifier) {
  const auto tokens = lex(".4x.m64n256k16.L2::cache_hint.tensormap::generic");
  EXPECT_EQ(tokens[0].text, "4x");
  EXPECT_EQ(tokens[1].text, "m64n256k16");
  EXPECT_EQ(tokens[2].text, "L2::cache_hint");
  EXPECT_EQ(tokens[3].text, "tensormap::generic");
}

TEST(Lexer, ReadsIntegersInEveryBase) {
  const auto tokens = lex("0 42 0x2A 052 0b101010 42U 0xFFFFFFFFFFFFFFFF");
  EXPECT_EQ(tokens[0].bits, 0U);
  for (size_t i = 1; i < 6; ++i)
    EXPECT_EQ(tokens[i].bits, 42U) << i;
  EXPECT_FALSE(tokens[4].isUnsigned);
  EXPECT_TRUE(tokens[5].isUnsigned);
  EXPECT_TRUE(tokens[6].isUnsigned);
}

TEST(Lexer, ReadsRealNumbersInEveryForm) {
  const auto tokens = lex("0f3F800000 0d3FF8000000000000 1.5 .5 2. 1e3 2.5e-1");
  EXPECT_EQ(tokens[0].kind, Kind::real32);
  EXPECT_EQ(tokens[0].bits, 0x3F800000U);
  const double values[] = {1.5, 1.5, 0.5, 2, 1000, 0.25};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(tokens[i + 1].kind, Kind::real64) << i;
    EXPECT_EQ(std::bit_cast<double>(tokens[i + 1].bits), values[i]) << i;
  }
}

TEST(Lexer, CountsLinesAndColumnsFromOne) {
  const auto tokens = lex("a /* two\nlines */ b\r\n\tc // end\nd");
  const uint32_t places[][2] = {{1, 1}, {2, 10}, {3, 2}, {4, 1}};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(tokens[i].position.line, places[i][0]) << i;
    EXPECT_EQ(tokens[i].position.column, places[i][1]) << i;
  }
}

TEST(Lexer, RefusesWhatIsNoTextOfPtx) {
  EXPECT_EQ(faultOfText("a\n /* b"),
            "t:2:2: this comment has no end: '*/' is missing");
  EXPECT_EQ(faultOfText("\"abc\n\""),
            "t:1:1: this string has no end: '\"' is missing");
  EXPECT_EQ(faultOfText(std::string_view("a\0", 2)),
            "t:1:2: the byte 0x00 is not text; PTX is written in ASCII");
  EXPECT_EQ(faultOfText("# 1 \"a.cu\""),
            "t:1:1: a line that begins with '#' is for a preprocessor; PTX "
            "text has to be preprocessed before");
  EXPECT_EQ(faultOfText("a . b"), "t:1:3: a word has to follow the '.'");
  EXPECT_EQ(faultOfText("`"), "t:1:1: '`' has no meaning in PTX");
}

TEST(Lexer, RefusesNumbersThatAreNone) {
  EXPECT_EQ(faultOfText("18446744073709551616"),
            "t:1:1: this integer does not fit 64 bits");
  EXPECT_EQ(faultOfText("1e400"), "t:1:1: this number does not fit a .f64");
  EXPECT_EQ(faultOfText("0x"), "t:1:1: digits are missing in this number");
  EXPECT_EQ(faultOfText("0f3F80"),
            "t:1:1: a number that begins with 0f has 8 hexadecimal digits");
  EXPECT_EQ(faultOfText("1e+"),
            "t:1:1: the exponent of this number has no digits");
  EXPECT_EQ(faultOfText("08"), "t:1:1: '8' can't stand in this number, or a "
                               "space is missing before it");
}

} // namespace
} // namespace ashlar::sim
