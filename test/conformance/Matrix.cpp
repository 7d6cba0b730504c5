// ldmatrix, stmatrix, movmatrix and mma.sync: every shape, type and modifier.

#include "test/conformance/MatrixInputs.h"

#include <algorithm>

namespace ashlar::conformance {

namespace {

constexpr unsigned lanes = 32;

/// The beginning of every module, and a kernel with pointers to the buffers.
std::string header(const std::vector<std::string> &buffers,
                   const std::string &registers) {
  std::string text = ".version 8.8\n.target sm_90a\n.address_size 64\n"
                     ".visible .entry kernel(";
  for (size_t i = 0; i < buffers.size(); ++i)
    text += (i ? ", .param .u64 " : ".param .u64 ") + buffers[i];
  return text + ")\n{\n" + registers +
         ".reg .b32 %thread;\n.reg .b64 %from;\nmov.u32 %thread, %tid.x;\n";
}

/// Loads or stores registers, one word (or double word) of each lane after the
/// other.
std::string access(const std::string &buffer, const std::string &prefix,
                   unsigned count, unsigned bytes, bool store) {
  std::string text = ".reg .b64 %" + buffer +
                     ";\nmul.wide.u32 %from, "
                     "%thread, " +
                     std::to_string(bytes) + ";\nld.param.u64 %" + buffer +
                     ", [" + buffer + "];\ncvta.to.global.u64 %" + buffer +
                     ", %" + buffer + ";\nadd.u64 %" + buffer + ", %" + buffer +
                     ", %from;\n";
  const std::string type = ".b" + std::to_string(bytes * 8) + " ";
  for (unsigned i = 0; i < count; ++i) {
    const std::string address =
        "[%" + buffer + "+" + std::to_string(i * lanes * bytes) + "]";
    const std::string reg = "%" + prefix + std::to_string(i);
    text += store ? "st.global" + type + address + ", " + reg + ";\n"
                  : "ld.global" + type + reg + ", " + address + ";\n";
  }
  return text;
}

struct Multiply {
  std::string shape, typeA, typeB, typeC, typeD;
  unsigned m, n, k;
  std::string layouts = "row.col";
  std::string suffix = ""; // ".satfinite" or ".xor.popc"
  Values values = Values::small, accumulators = Values::small;
  int selector = -1; // of mma.sp
  bool orderedMetadata = true;
};

Case multiplyCase(const Multiply &multiply) {
  const bool isQuads = multiply.shape == "m8n8k4" && multiply.typeA == "f16";
  const bool isDouble = multiply.typeA == "f64";
  const unsigned wordBits = isDouble ? 64 : 32;
  const unsigned parts = isQuads ? 4 : 1; // products at once
  auto registersOf = [&](const std::string &type, unsigned count) {
    return parts * count * elementBits(type) / (lanes * wordBits);
  };
  const bool sparse = multiply.selector >= 0;
  const unsigned a =
      registersOf(multiply.typeA, multiply.m * multiply.k / (sparse ? 2 : 1));
  const unsigned b = registersOf(multiply.typeB, multiply.n * multiply.k);
  const unsigned c = registersOf(multiply.typeC, multiply.m * multiply.n);
  const unsigned d = registersOf(multiply.typeD, multiply.m * multiply.n);

  const std::string type = ".b" + std::to_string(wordBits);
  auto declare = [&](const char *prefix, unsigned count) {
    return ".reg " + (isDouble ? std::string(".f64") : type) + " %" + prefix +
           "<" + std::to_string(count) + ">;\n";
  };
  const unsigned bytes = wordBits / 8;
  std::string text =
      header({"matrixA", "matrixB", "matrixC", "matrixD", "metadata"},
             ".reg .b32 %e<1>;\n" + declare("a", a) + declare("b", b) +
                 declare("c", c) + declare("d", d)) +
      access("matrixA", "a", a, bytes, false) +
      access("matrixB", "b", b, bytes, false) +
      access("matrixC", "c", c, bytes, false) +
      access("metadata", "e", 1, 4, false);
  const bool saturates = multiply.suffix == ".satfinite";
  const std::string mnemonic =
      (sparse ? multiply.orderedMetadata ? "mma.sp::ordered_metadata" : "mma.sp"
              : "mma") +
      std::string(".sync.aligned.") + multiply.shape + "." + multiply.layouts +
      (saturates ? multiply.suffix : "") + "." + multiply.typeD + "." +
      multiply.typeA + "." + multiply.typeB + "." + multiply.typeC +
      (saturates ? "" : multiply.suffix);
  text += mnemonic + " " + registerList("d", d) + ", " + registerList("a", a) +
          ", " + registerList("b", b) + ", " + registerList("c", c) +
          (sparse ? ", %e0, " + std::to_string(multiply.selector) : "") +
          ";\n" + access("matrixD", "d", d, bytes, true) + "ret;\n}\n";

  std::mt19937 random(multiply.m * multiply.k + multiply.n);
  auto fill = [&](const std::string &element, unsigned registers,
                  Values values) {
    return elements(random, element,
                    size_t(registers) * lanes * wordBits / elementBits(element),
                    values);
  };
  Case made;
  made.family = "matrix";
  made.name = mnemonic;
  if (sparse)
    made.name += " selector " + std::to_string(multiply.selector);
  if (multiply.values == Values::normal)
    made.name += " normal";
  if (multiply.values == Values::special)
    made.name += " special";
  if (multiply.values == Values::denormal)
    made.name += " denormal";
  if (multiply.accumulators == Values::any)
    made.name += " any";
  made.ptx = std::move(text);
  made.buffers.push_back({.bytes = fill(multiply.typeA, a, multiply.values)});
  made.buffers.push_back({.bytes = fill(multiply.typeB, b, multiply.values)});
  made.buffers.push_back(
      {.bytes = fill(multiply.typeC, c, multiply.accumulators)});
  const double precision = multiply.typeD == "f16"    ? 4e-3
                           : multiply.typeA[0] == 'e' ? 1e-3
                           : multiply.typeD == "f64"  ? 1e-15
                                                      : 1e-5;
  made.buffers.push_back(
      resultBuffer(std::vector<uint8_t>(size_t(d) * lanes * bytes),
                   multiply.typeD, multiply.values, precision * multiply.k));
  made.buffers.push_back(
      {.bytes = sparseMetadata(random, multiply.typeA, lanes)});
  return made;
}

void addMultiplies(std::vector<Case> &cases) {
  struct Form {
    unsigned m, n, k;
    std::vector<std::string> operands;
    std::vector<std::string> accumulators;
  };
  const std::vector<Form> forms = {
      {16, 8, 8, {"f16"}, {"f16", "f32"}},
      {16, 8, 16, {"f16"}, {"f16", "f32"}},
      {16, 8, 8, {"bf16", "tf32"}, {"f32"}},
      {16, 8, 16, {"bf16"}, {"f32"}},
      {16, 8, 4, {"tf32"}, {"f32"}},
      {16, 8, 16, {"e4m3", "e5m2"}, {"f16", "f32"}},
      {16, 8, 32, {"e4m3", "e5m2"}, {"f16", "f32"}},
      {8, 8, 16, {"s8", "u8"}, {"s32"}},
      {16, 8, 16, {"s8", "u8"}, {"s32"}},
      {16, 8, 32, {"s8", "u8"}, {"s32"}},
      {8, 8, 32, {"s4", "u4"}, {"s32"}},
      {16, 8, 32, {"s4", "u4"}, {"s32"}},
      {16, 8, 64, {"s4", "u4"}, {"s32"}},
      {8, 8, 128, {"b1"}, {"s32"}},
      {16, 8, 128, {"b1"}, {"s32"}},
      {16, 8, 256, {"b1"}, {"s32"}},
      {8, 8, 4, {"f64"}, {"f64"}},
      {16, 8, 4, {"f64"}, {"f64"}},
      {16, 8, 8, {"f64"}, {"f64"}},
      {16, 8, 16, {"f64"}, {"f64"}},
  };
  for (const Form &form : forms)
    for (const std::string &a : form.operands)
      for (const std::string &b : form.operands) {
        const bool mixes = elementBits(a) <= 8;
        if (a != b && !mixes)
          continue;
        for (const std::string &accumulator : form.accumulators) {
          Multiply multiply{"m" + std::to_string(form.m) + "n" +
                                std::to_string(form.n) + "k" +
                                std::to_string(form.k),
                            a,
                            b,
                            accumulator,
                            accumulator,
                            form.m,
                            form.n,
                            form.k};
          auto add = [&](const char *suffix, Values values,
                         Values accumulators) {
            multiply.suffix = suffix;
            multiply.values = values;
            multiply.accumulators = accumulators;
            cases.push_back(multiplyCase(multiply));
          };
          if (a == "b1") {
            for (Values values : {Values::small, Values::any}) {
              add(".xor.popc", Values::small, values);
              add(".and.popc", Values::small, values);
            }
            continue;
          }
          add("", Values::small, Values::small);
          if (accumulator == "s32") {
            add("", Values::small, Values::any);
            add(".satfinite", Values::small, Values::any);
            continue;
          }
          add("", Values::normal, Values::normal);
          if (a != "f64") {
            add("", Values::special, Values::small);
            if (elementBits(a) >= 16)
              add("", Values::denormal, Values::denormal);
          }
        }
      }
  for (const char *layouts : {"row.col", "row.row", "col.row", "col.col"})
    for (const auto &[c, d] : {std::pair("f16", "f16"), std::pair("f16", "f32"),
                               std::pair("f32", "f32")})
      for (Values values : {Values::small, Values::normal})
        cases.push_back(multiplyCase({.shape = "m8n8k4",
                                      .typeA = "f16",
                                      .typeB = "f16",
                                      .typeC = c,
                                      .typeD = d,
                                      .m = 8,
                                      .n = 8,
                                      .k = 4,
                                      .layouts = layouts,
                                      .values = values,
                                      .accumulators = values}));
}

void addSparseMultiplies(std::vector<Case> &cases) {
  struct Form {
    unsigned k;
    std::vector<std::string> operands;
    std::vector<std::string> accumulators;
    int selectors;
  };
  const std::vector<Form> forms = {
      {16, {"f16"}, {"f16", "f32"}, 4},   {32, {"f16"}, {"f16", "f32"}, 2},
      {16, {"bf16"}, {"f32"}, 4},         {32, {"bf16"}, {"f32"}, 2},
      {8, {"tf32"}, {"f32"}, 4},          {16, {"tf32"}, {"f32"}, 2},
      {64, {"e4m3", "e5m2"}, {"f32"}, 1}, {32, {"s8", "u8"}, {"s32"}, 2},
      {64, {"s8", "u8"}, {"s32"}, 1},     {64, {"s4", "u4"}, {"s32"}, 2},
      {128, {"s4", "u4"}, {"s32"}, 1},
  };
  for (const Form &form : forms)
    for (const std::string &a : form.operands)
      for (const std::string &b : form.operands)
        for (const std::string &accumulator : form.accumulators)
          for (int selector = 0; selector < form.selectors; ++selector)
            for (bool ordered : {true, false})
              for (bool saturates : {false, true}) {
                if (saturates && accumulator != "s32")
                  continue;
                Multiply multiply{"m16n8k" + std::to_string(form.k),
                                  a,
                                  b,
                                  accumulator,
                                  accumulator,
                                  16,
                                  8,
                                  form.k};
                if (saturates) {
                  multiply.suffix = ".satfinite";
                  multiply.accumulators = Values::any;
                }
                multiply.selector = selector;
                multiply.orderedMetadata = ordered;
                cases.push_back(multiplyCase(multiply));
              }
}

/// Rows at any multiple of 16 bytes: the order in which the lanes give them.
std::vector<uint8_t> rowOffsets(std::mt19937 &random) {
  std::vector<uint32_t> rows(lanes);
  for (uint32_t i = 0; i < lanes; ++i)
    rows[i] = i * 48;
  for (size_t i = lanes; i > 1; --i)
    std::swap(rows[i - 1], rows[random() % i]);
  const auto *bytes = reinterpret_cast<const uint8_t *>(rows.data());
  return {bytes, bytes + rows.size() * 4};
}

constexpr unsigned tileBytes = 1536;

/// Fills the tile in shared memory with 48 bytes of each lane.
std::string fillTile() {
  std::string text = ".shared .align 16 .b8 tile[" + std::to_string(tileBytes) +
                     "];\n.reg .b32 %tile, %row, %word, %own;\n"
                     "mov.u32 %tile, tile;\nshl.b32 %own, %thread, 2;\n"
                     "add.u32 %own, %own, %tile;\n";
  text += access("image", "w", tileBytes / 128, 4, false);
  for (unsigned i = 0; i < tileBytes / 128; ++i)
    text += "st.shared.b32 [%own+" + std::to_string(i * 128) + "], %w" +
            std::to_string(i) + ";\n";
  return text + "bar.warp.sync 0xffffffff;\n" +
         access("offsets", "row", 1, 4, false) +
         "add.u32 %row, %row0, %tile;\n";
}

std::string readTile() {
  std::string text = "bar.warp.sync 0xffffffff;\n";
  for (unsigned i = 0; i < tileBytes / 128; ++i)
    text += "ld.shared.b32 %w" + std::to_string(i) + ", [%own+" +
            std::to_string(i * 128) + "];\n";
  return text;
}

Case moveCase(const std::string &opcode, unsigned count, bool transposed,
              const std::string &space, int offset) {
  const bool loads = opcode == "ldmatrix";
  const std::string mnemonic = opcode + ".sync.aligned.m8n8.x" +
                               std::to_string(count) +
                               (transposed ? ".trans" : "") + space + ".b16";
  std::string address = "%row";
  std::string text =
      header({"image", "offsets", "values", "result"},
             ".reg .b32 %w<12>, %d<4>, %row<1>;\n.reg .b64 %generic;\n") +
      fillTile() + access("values", "d", 4, 4, false);
  if (space.empty()) {
    text +=
        "cvt.u64.u32 %generic, %row;\ncvta.shared.u64 %generic, %generic;\n";
    address = "%generic";
  }
  if (offset)
    address += "+" + std::to_string(offset);
  const std::string registers = registerList("d", count);
  text += mnemonic + " " +
          (loads ? registers + ", [" + address + "]"
                 : "[" + address + "], " + registers) +
          ";\n";
  if (loads)
    text += access("result", "d", 4, 4, true);
  else
    text += readTile() + access("result", "w", tileBytes / 128, 4, true);

  std::mt19937 random(count);
  auto any = [&](size_t words) {
    return elements(random, "u8", words * 4, Values::any);
  };
  Case made;
  made.family = "matrix";
  made.name = mnemonic + (offset ? " offset" : "");
  made.ptx = text + "ret;\n}\n";
  made.buffers.push_back({.bytes = any(tileBytes / 4)});
  made.buffers.push_back({.bytes = rowOffsets(random)});
  made.buffers.push_back({.bytes = any(4 * lanes)});
  made.buffers.push_back(
      {.bytes = std::vector<uint8_t>(loads ? 16 * lanes : tileBytes),
       .isOutput = true});
  return made;
}

void addMoves(std::vector<Case> &cases) {
  for (const char *opcode : {"ldmatrix", "stmatrix"})
    for (unsigned count : {1, 2, 4})
      for (bool transposed : {false, true})
        for (const char *space : {".shared", ".shared::cta", ""})
          for (int offset : {0, 16})
            cases.push_back(moveCase(opcode, count, transposed, space, offset));
  std::mt19937 random(1);
  Case made;
  made.family = "matrix";
  made.name = "movmatrix.sync.aligned.m8n8.trans.b16";
  made.ptx = header({"values", "result"}, ".reg .b32 %d<2>;\n") +
             access("values", "d", 1, 4, false) + made.name + " %d1, %d0;\n" +
             "mov.b32 %d0, %d1;\n" + access("result", "d", 1, 4, true) +
             "ret;\n}\n";
  made.buffers.push_back(
      {.bytes = elements(random, "u8", 4 * lanes, Values::any)});
  made.buffers.push_back(
      {.bytes = std::vector<uint8_t>(4 * lanes), .isOutput = true});
  cases.push_back(made);
}

} // namespace

std::vector<Case> matrixCases() {
  std::vector<Case> cases;
  addMoves(cases);
  addMultiplies(cases);
  addSparseMultiplies(cases);
  for (Case &each : wmmaCases())
    cases.push_back(std::move(each));
  return cases;
}

} // namespace ashlar::conformance
