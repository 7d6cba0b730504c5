// wmma: matrices loaded from memory in each layout, multiplied and stored.

#include "test/conformance/MatrixInputs.h"

#include <array>

namespace ashlar::conformance {

namespace {

struct Product {
  unsigned m, n, k;
  std::string a, b, c, d;
  std::string layoutA = "row", layoutB = "col", layoutC = "row";
  std::string suffix = "";    // ".satfinite"
  std::string operation = ""; // ".xor.popc"
  std::string space = ".global";
  unsigned gap = 0; // elements between rows, or columns; 0: no stride is given
  Values values = Values::small, accumulators = Values::small;
};

/// Registers of a fragment with that many elements.
unsigned registers(const std::string &type, unsigned count, bool operand) {
  if (type == "f16" && operand)
    return 8;
  const unsigned bits = elementBits(type);
  return count * bits / (32 * (bits == 64 ? 64 : 32));
}

Case makeCase(const Product &product) {
  const auto [m, n, k] = std::array{product.m, product.n, product.k};
  const std::string shape = "m" + std::to_string(m) + "n" + std::to_string(n) +
                            "k" + std::to_string(k);
  std::string text = ".version 8.8\n.target sm_90a\n.address_size 64\n"
                     ".visible .entry kernel(.param .u64 pa, .param .u64 pb, "
                     ".param .u64 pc, .param .u64 pd)\n{\n";
  const unsigned counts[] = {
      registers(product.a, m * k, true), registers(product.b, n * k, true),
      registers(product.c, m * n, false), registers(product.d, m * n, false)};
  const bool isDouble = product.a == "f64";
  for (unsigned i = 0; i < 4; ++i) {
    const std::string letter(1, "abcd"[i]);
    const std::string type =
        std::array{product.a, product.b, product.c, product.d}[i];
    text += std::string(".reg ") +
            (isDouble                 ? ".f64"
             : type == "f32" && i > 1 ? ".f32"
                                      : ".b32") +
            " %" + letter + "<" + std::to_string(counts[i]) +
            ">;\n.reg .b64 %p" + letter + ";\nld.param.u64 %p" + letter +
            ", [p" + letter + "];\n";
    if (product.space == ".global")
      text += "cvta.to.global.u64 %p" + letter + ", %p" + letter + ";\n";
  }
  // Elements along the stride, and how many of them.
  auto extent = [&](const std::string &layout, unsigned rows,
                    unsigned columns) {
    return (layout == "row" ? columns : rows) + product.gap;
  };
  const unsigned strides[] = {extent(product.layoutA, m, k),
                              extent(product.layoutB, k, n),
                              extent(product.layoutC, m, n)};
  auto stride = [&](unsigned i) {
    return product.gap ? ", " + std::to_string(strides[i]) : std::string();
  };
  auto load = [&](unsigned i, const std::string &layout,
                  const std::string &type) {
    const std::string letter(1, "abc"[i]);
    return "wmma.load." + letter + ".sync.aligned." + layout + "." + shape +
           product.space + "." + type + " " + registerList(letter, counts[i]) +
           ", [%p" + letter + "]" + stride(i) + ";\n";
  };
  text += load(0, product.layoutA, product.a) +
          load(1, product.layoutB, product.b) +
          load(2, product.layoutC, product.c);
  std::string mnemonic = "wmma.mma" + product.operation + ".sync.aligned." +
                         product.layoutA + "." + product.layoutB + "." + shape;
  mnemonic += product.a == "f16" ? "." + product.d + "." + product.c
                                 : "." + product.d + "." + product.a + "." +
                                       product.b + "." + product.c;
  mnemonic += product.suffix;
  text += mnemonic + " " + registerList("d", counts[3]) + ", " +
          registerList("a", counts[0]) + ", " + registerList("b", counts[1]) +
          ", " + registerList("c", counts[2]) +
          ";\nwmma.store.d.sync.aligned." + product.layoutC + "." + shape +
          product.space + "." + product.d + " [%pd], " +
          registerList("d", counts[3]) + stride(2) + ";\nret;\n}\n";

  std::mt19937 random(m * k + n);
  const unsigned across[] = {product.layoutA == "row" ? m : k,
                             product.layoutB == "row" ? k : n,
                             product.layoutC == "row" ? m : n};
  auto fill = [&](unsigned i, const std::string &type, Values values) {
    return elements(random, type, size_t(across[i]) * strides[i], values);
  };
  Case made;
  made.family = "matrix";
  made.name = mnemonic + " " + product.layoutC + product.space +
              (product.gap ? " stride" : "") +
              (product.values == Values::normal ? " normal" : "");
  made.ptx = std::move(text);
  made.buffers.push_back({.bytes = fill(0, product.a, product.values)});
  made.buffers.push_back({.bytes = fill(1, product.b, product.values)});
  made.buffers.push_back({.bytes = fill(2, product.c, product.accumulators)});
  made.buffers.push_back(
      resultBuffer(std::vector<uint8_t>(size_t(across[2]) * strides[2] *
                                        elementBits(product.d) / 8),
                   product.d, product.values,
                   (product.d == "f16" ? 4e-3
                    : isDouble         ? 1e-15
                                       : 1e-5) *
                       k));
  return made;
}

struct Form {
  std::vector<std::array<unsigned, 3>> shapes;
  std::vector<std::string> operands;
  std::vector<std::pair<std::string, std::string>> accumulators; // C, D
};

} // namespace

std::vector<Case> wmmaCases() {
  const std::vector<std::array<unsigned, 3>> three = {
      {16, 16, 16}, {8, 32, 16}, {32, 8, 16}};
  const std::vector<Form> forms = {
      {three,
       {"f16"},
       {{"f16", "f16"}, {"f32", "f32"}, {"f16", "f32"}, {"f32", "f16"}}},
      {three, {"bf16"}, {{"f32", "f32"}}},
      {{{16, 16, 8}}, {"tf32"}, {{"f32", "f32"}}},
      {{{8, 8, 4}}, {"f64"}, {{"f64", "f64"}}},
      {three, {"s8", "u8"}, {{"s32", "s32"}}},
      {{{8, 8, 32}}, {"s4", "u4"}, {{"s32", "s32"}}},
      {{{8, 8, 128}}, {"b1"}, {{"s32", "s32"}}},
  };
  std::vector<Case> cases;
  for (const Form &form : forms)
    for (const auto &[m, n, k] : form.shapes)
      for (const std::string &operand : form.operands)
        for (const auto &[c, d] : form.accumulators) {
          Product product{m, n, k, operand, operand, c, d};
          if (operand == "b1") {
            for (const char *operation : {".xor.popc", ".and.popc"}) {
              product.operation = operation;
              cases.push_back(makeCase(product));
            }
            continue;
          }
          const bool isSmall = elementBits(operand) < 8;
          for (const char *a : {"row", "col"})
            for (const char *b : {"row", "col"}) {
              product.layoutA = isSmall ? "row" : a;
              product.layoutB = isSmall ? "col" : b;
              product.layoutC = product.layoutC == "row" ? "col" : "row";
              if (isSmall && std::string(a) == b)
                continue;
              cases.push_back(makeCase(product));
            }
          product.layoutA = "row";
          product.layoutB = "col";
          product.layoutC = "row";
          product.gap = 32;
          product.space = "";
          cases.push_back(makeCase(product));
          if (d == "s32") {
            product.accumulators = Values::any;
            product.suffix = ".satfinite";
          } else {
            product.values = product.accumulators = Values::normal;
          }
          cases.push_back(makeCase(product));
        }
  return cases;
}

} // namespace ashlar::conformance
