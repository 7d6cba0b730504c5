#include "ParsePtx.h"

#include <cstring>

namespace ashlar::sim {
namespace {

using ptx::Variable;
using SymbolKind = ptx::SymbolUse::Kind;

template <typename Element>
std::vector<Element> elements(const Variable &variable) {
  std::vector<Element> values(variable.image.size() / sizeof(Element));
  std::memcpy(values.data(), variable.image.data(), variable.image.size());
  return values;
}

Variable parseVariable(const std::string &text) {
  return parseModule(text).variables.at(0);
}

TEST(ParserInitialisers, FillWhatBracesLeaveOutWithZeros) {
  const Variable table =
      parseVariable(".const .align 16 .s32 t[2][3] = {{1, -2}, {3+4}};");
  EXPECT_EQ(table.elements, 6U);
  EXPECT_EQ(table.alignment, 16U);
  EXPECT_EQ(table.sizeBytes(), 24U);
  EXPECT_EQ(elements<int32_t>(table),
            (std::vector<int32_t>{1, -2, 0, 7, 0, 0}));
}

TEST(ParserInitialisers, CountTheFirstDimensionThatIsLeftOut) {
  EXPECT_EQ(parseVariable(".global .b8 s[] = {104, 105, 0};").elements, 3U);
  const Variable pairs = parseVariable(".global .u16 s[][2] = {{1,2},{3}};");
  EXPECT_EQ(pairs.elements, 4U);
  EXPECT_EQ(elements<uint16_t>(pairs), (std::vector<uint16_t>{1, 2, 3, 0}));
}

TEST(ParserInitialisers, TakeRealNumbersAndVectors) {
  const Variable vectors = parseVariable(
      ".global .v2 .f32 v[2] = {{1.0, 0f40000000}, {-0.5, 4.0}};");
  EXPECT_EQ(vectors.alignment, 8U);
  EXPECT_EQ(vectors.elements, 2U);
  EXPECT_EQ(vectors.sizeBytes(), 16U);
  EXPECT_EQ(elements<float>(vectors), (std::vector<float>{1, 2, -0.5, 4}));
  EXPECT_EQ(elements<double>(parseVariable(".global .f64 d = 1e3;")),
            (std::vector<double>{1000}));
  EXPECT_EQ(elements<int64_t>(parseVariable(".global .b128 w = -2;")),
            (std::vector<int64_t>{-2, -1}));
}

TEST(ParserInitialisers, NoteTheAddressesOfSymbols) {
  const ptx::Module module = parseModule(
      ".global .b8 g[8]; .func f { ret; }\n"
      ".global .u64 p[5] = {generic(g)+4, g, f, g-1, generic(g+2)};\n"
      ".global .u8 b[3] = {7, 0xFF00(g+1), 0xFF(generic(g))};");
  const auto &words = module.variables.at(1).addresses;
  ASSERT_EQ(words.size(), 5U);
  EXPECT_TRUE(words[0].generic);
  EXPECT_EQ(words[0].addend, 4);
  EXPECT_EQ(words[1].offset, 8U);
  EXPECT_EQ(words[1].sizeBytes, 8);
  EXPECT_EQ(words[2].symbol.kind, SymbolKind::function);
  EXPECT_EQ(words[3].addend, -1);
  EXPECT_EQ(words[4].addend, 2);
  const auto &bytes = module.variables.at(2).addresses;
  ASSERT_EQ(bytes.size(), 2U);
  EXPECT_EQ(bytes[0].offset, 1U);
  EXPECT_EQ(bytes[0].shift, 8);
  EXPECT_EQ(bytes[0].sizeBytes, 1);
  EXPECT_EQ(bytes[0].addend, 1);
  EXPECT_TRUE(bytes[1].generic);
}

TEST(ParserInitialisers, RefuseValuesThatDoNotFit) {
  EXPECT_EQ(faultOfModule(".global .u8 x = 300;"),
            "test.ptx:2:17: 300 does not fit the type .u8 of 'x'");
  EXPECT_EQ(faultOfModule(".global .s8 x = -129;"),
            "test.ptx:2:17: -129 does not fit the type .s8 of 'x'");
  EXPECT_EQ(faultOfModule(".global .u32 x = 1.0;"),
            "test.ptx:2:18: a real number does not fit the type .u32 of 'x'");
  EXPECT_EQ(faultOfModule(".global .f32 x = 1;"),
            "test.ptx:2:18: an integer does not fit the type .f32 of 'x'");
  EXPECT_EQ(faultOfModule(".global .u32 x[1] = {1, 2};"),
            "test.ptx:2:25: there are more values than the 1 that fit here");
  EXPECT_EQ(faultOfModule(".global .v4 .u32 x = {1, 2};"),
            "test.ptx:2:22: a vector of 4 needs as many values, not 2");
  EXPECT_EQ(faultOfModule(".global .u32 x = {1};"),
            "test.ptx:2:18: there are more braces than 'x' has dimensions");
  EXPECT_EQ(faultOfModule(".global .b8 g; .global .u8 x = 0xF0(g);"),
            "test.ptx:2:32: a mask selects one byte of the address: 0xFF, "
            "0xFF00, 0xFF0000, ...");
  EXPECT_EQ(
      faultOfModule(".global .u64 x = y;"),
      "test.ptx:2:18: 'y' is not a variable or a function that is declared "
      "before");
  EXPECT_EQ(faultOfModule(".shared .u32 x = 1;"),
            "test.ptx:2:16: only .global and .const variables can have an "
            "initialiser");
}

TEST(ParserInitialisers, RefuseSizesThatAreAbsurd) {
  EXPECT_EQ(faultOfModule(".global .b8 x[1<<60];"),
            "test.ptx:2:15: the size of an array is 1152921504606846976; the "
            "limit is 1099511627776");
  EXPECT_EQ(faultOfModule(".global .b64 x[1<<40][1<<40];"),
            "test.ptx:2:14: 'x' has more than 1099511627776 bytes");
  EXPECT_EQ(faultOfModule(".global .b8 x[1<<31] = {1};"),
            "test.ptx:2:13: the initialised variables of this module take more "
            "than 1073741824 bytes");
  EXPECT_EQ(faultOfModule(".global .b8 x[];"),
            "test.ptx:2:13: the size of 'x' is not known: give it, or an "
            "initialiser");
  EXPECT_EQ(faultOfKernel(".reg .b32 %q<4000000000>;"),
            "test.ptx:3:14: the number of names is 4000000000; the limit is "
            "1048543");
}

} // namespace
} // namespace ashlar::sim
