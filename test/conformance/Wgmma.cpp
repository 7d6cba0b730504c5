// wgmma: every shape and type, operands from shared memory in all layouts and
// from registers, scales, transpositions, groups. Shared memory is filled with
// elements from end to end and the descriptors may lead anywhere in it: what
// agrees is where the elements are found as much as what is computed.

#include "test/conformance/MatrixInputs.h"

#include <array>

namespace ashlar::conformance {

namespace {

constexpr unsigned threads = 128;
constexpr unsigned sharedBytes = 49152;
constexpr unsigned startOfB = 16384;

struct Operand {
  unsigned swizzle = 1; // 0 none, 1 128 bytes, 2 64, 3 32
  bool mnMajor = false;
  int leading = -1, stride = -1; // -1: of a tile without gaps
  unsigned offset = 0;           // bytes behind the operand's start
  unsigned baseOffset = 0;

  uint64_t descriptor(unsigned rows) const {
    constexpr std::array<unsigned, 4> widths = {16, 128, 64, 32};
    const unsigned width = widths[swizzle];
    unsigned lead = 0, step = 0;
    if (!mnMajor) {
      lead = swizzle ? 16 : rows / 8 * 128;
      step = 8 * width;
    } else {
      // 8 k of a width of M or N each; all of those, then the next 8 k.
      const unsigned along = 8 * width;
      const unsigned across = (rows * 2 + width - 1) / width * along;
      lead = swizzle ? along : across;
      step = swizzle ? across : along;
    }
    if (leading >= 0)
      lead = static_cast<unsigned>(leading);
    if (stride >= 0)
      step = static_cast<unsigned>(stride);
    return uint64_t(lead >> 4) << 16 | uint64_t(step >> 4) << 32 |
           uint64_t(baseOffset) << 49 | uint64_t(swizzle) << 62;
  }
};

struct Product {
  std::string name = "";
  std::string typeA = "f16", typeB = "f16", typeD = "f32";
  unsigned n = 64;
  Operand a = {}, b = {};
  bool aInRegisters = false;
  Values values = Values::small, accumulators = Values::small;
  bool accumulate = true, negateA = false, negateB = false, saturate = false;
  unsigned steps = 1;       // products, one after the other
  bool eachInGroup = false; // committed one by one, waited for late
  int selector = -1;        // of a sparse A
};

bool isInteger(const Product &product) { return product.typeD == "s32"; }

std::string instruction(const Product &product, const std::string &descriptorA,
                        const std::string &descriptorB) {
  const unsigned bits = elementBits(product.typeA);
  const bool sparse = product.selector >= 0;
  std::string text = std::string("wgmma.mma_async") + (sparse ? ".sp" : "") +
                     ".sync.aligned.m64n" + std::to_string(product.n) + "k" +
                     std::to_string((sparse ? 512 : 256) / bits);
  if (product.saturate)
    text += ".satfinite";
  text += "." + product.typeD + "." + product.typeA + "." + product.typeB;
  if (product.typeA == "b1")
    text += ".and.popc";
  const unsigned count = product.n / (product.typeD == "f16" ? 4 : 2);
  text += " " + registerList("d", count) + ", " +
          (product.aInRegisters ? registerList("a", 4) : descriptorA) + ", " +
          descriptorB;
  if (sparse)
    text += ", %metadata0, " + std::to_string(product.selector);
  text += ", %accumulate";
  if (!isInteger(product))
    text += std::string(", ") + (product.negateA ? "-1" : "1") + ", " +
            (product.negateB ? "-1" : "1");
  if (bits == 16) {
    if (!product.aInRegisters)
      text += product.a.mnMajor ? ", 1" : ", 0";
    text += product.b.mnMajor ? ", 1" : ", 0";
  }
  return text + ";\n";
}

/// %x = the descriptor of the operand for the step: K advances by 32 bytes, or
/// by what 16 k of an MN-major tile take.
std::string descriptorText(const char *name, const Operand &operand,
                           unsigned rows, unsigned start, unsigned step) {
  const uint64_t bits = operand.descriptor(rows);
  unsigned advance = 32;
  if (operand.mnMajor)
    advance =
        2 * 16 *
        static_cast<unsigned>(bits >> (operand.swizzle ? 32 : 16) & 0x3fff);
  else if (operand.swizzle == 0)
    advance = 2 * 16 * static_cast<unsigned>(bits >> 16 & 0x3fff);
  const std::string x = std::string("%descriptor") + name;
  return "add.u32 %address, %shared, " +
         std::to_string(start + operand.offset + step * advance) +
         ";\nshr.u32 %address, %address, 4;\nand.b32 %address, %address, "
         "16383;\ncvt.u64.u32 " +
         x + ", %address;\nor.b64 " + x + ", " + x + ", " +
         std::to_string(static_cast<int64_t>(bits)) + ";\n";
}

std::string kernel(const Product &product) {
  const unsigned count = product.n / (product.typeD == "f16" ? 4 : 2);
  std::string text = R"(.version 8.8
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 tiles[];
.visible .entry kernel(.param .u64 image, .param .u64 fragmentA,
                       .param .u64 accumulators, .param .u64 metadata)
{
.reg .b32 %metadata<1>;
.reg .b32 %d<128>, %a<4>, %w<4>;
.reg .b32 %thread, %shared, %at, %address;
.reg .b64 %from, %descriptorA, %descriptorB, %offset;
.reg .pred %again, %accumulate;
mov.u32 %thread, %tid.x;
mov.u32 %shared, tiles;
ld.param.u64 %from, [image];
cvta.to.global.u64 %from, %from;
shl.b32 %at, %thread, 4;
fill:
cvt.u64.u32 %offset, %at;
add.u64 %offset, %from, %offset;
ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%offset];
add.u32 %address, %shared, %at;
st.shared.v4.b32 [%address], {%w0, %w1, %w2, %w3};
add.u32 %at, %at, 2048;
setp.lt.u32 %again, %at, )" +
                     std::to_string(sharedBytes) + R"(;
@%again bra fill;
mul.wide.u32 %offset, %thread, 4;
ld.param.u64 %from, [fragmentA];
cvta.to.global.u64 %from, %from;
add.u64 %from, %from, %offset;
)";
  auto memory = [&](const char *name, unsigned words, bool store) {
    for (unsigned i = 0; i < words; ++i) {
      const std::string reg = std::string("%") + name + std::to_string(i);
      const std::string address =
          "[%from+" + std::to_string(i * threads * 4) + "]";
      text += store ? "st.global.b32 " + address + ", " + reg + ";\n"
                    : "ld.global.b32 " + reg + ", " + address + ";\n";
    }
  };
  memory("a", 4, false);
  text += "ld.param.u64 %from, [metadata];\n"
          "cvta.to.global.u64 %from, %from;\nadd.u64 %from, %from, %offset;\n";
  memory("metadata", 1, false);
  text += "ld.param.u64 %from, [accumulators];\n"
          "cvta.to.global.u64 %from, %from;\nadd.u64 %from, %from, %offset;\n";
  memory("d", count, false);
  text += std::string("setp.ne.u32 %accumulate, ") +
          (product.accumulate ? "1" : "0") +
          ", 0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
          "wgmma.fence.sync.aligned;\n";
  for (unsigned step = 0; step < product.steps; ++step) {
    text += descriptorText("A", product.a, 64, 0, step);
    text += descriptorText("B", product.b, product.n, startOfB, step);
    text += instruction(product, "%descriptorA", "%descriptorB");
    if (step == 0 && product.steps > 1)
      text += "setp.eq.u32 %accumulate, 0, 0;\n";
    if (product.eachInGroup)
      text += "wgmma.commit_group.sync.aligned;\n"
              "wgmma.wait_group.sync.aligned 1;\n";
  }
  if (!product.eachInGroup)
    text += "wgmma.commit_group.sync.aligned;\n";
  text += "wgmma.wait_group.sync.aligned 0;\n";
  memory("d", count, true);
  return text + "ret;\n}\n";
}

/// What the sum of the magnitudes may be times the precision that the
/// hardware keeps.
double tolerance(const Product &product) {
  const double depth = 256.0 / elementBits(product.typeA) * product.steps;
  const bool eightBits = product.typeA[0] == 'e';
  if (product.typeD == "f16")
    return 4e-3 * depth;
  return (eightBits ? 1e-3 : 1e-5) * depth;
}

Case makeCase(const Product &product) {
  std::mt19937 random(static_cast<uint32_t>(product.n + product.steps));
  Case made;
  made.family = "wgmma";
  made.name = "wgmma." + product.name;
  made.ptx = kernel(product);
  made.block = threads;
  made.sharedBytes = sharedBytes;
  auto fill = [&](const std::string &type, unsigned bytes) {
    return elements(random, type, size_t(bytes) * 8 / elementBits(type),
                    product.values);
  };
  std::vector<uint8_t> image = fill(product.typeA, startOfB);
  const auto rest = fill(product.typeB, sharedBytes - startOfB);
  image.insert(image.end(), rest.begin(), rest.end());
  made.buffers.push_back({.bytes = std::move(image)});
  made.buffers.push_back({.bytes = fill(product.typeA, threads * 16)});
  made.buffers.push_back(
      resultBuffer(elements(random, product.typeD, size_t(64) * product.n,
                            product.accumulators),
                   product.typeD, product.values, tolerance(product)));
  made.buffers.push_back(
      {.bytes = sparseMetadata(random, product.typeA, threads)});
  return made;
}

std::string describe(const Operand &operand) {
  constexpr std::array<const char *, 4> swizzles = {"none", "128", "64", "32"};
  return std::string(operand.mnMajor ? "mn" : "k") + swizzles[operand.swizzle];
}

struct Types {
  const char *a, *b, *d;
};
constexpr Types allTypes[] = {
    {"f16", "f16", "f16"},   {"f16", "f16", "f32"},   {"bf16", "bf16", "f32"},
    {"tf32", "tf32", "f32"}, {"e4m3", "e4m3", "f32"}, {"e4m3", "e5m2", "f16"},
    {"e5m2", "e4m3", "f32"}, {"e5m2", "e5m2", "f16"}, {"s8", "s8", "s32"},
    {"s8", "u8", "s32"},     {"u8", "s8", "s32"},     {"u8", "u8", "s32"},
    {"b1", "b1", "s32"},
};

void addShapes(std::vector<Product> &products) {
  for (unsigned n = 8; n <= 256; n += 8)
    products.push_back({.name = "shape.f16.n" + std::to_string(n), .n = n});
  for (const Types &types : allTypes)
    for (unsigned n : {8, 24, 40, 64, 112, 128, 208, 256}) {
      if (std::string(types.d) == "s32" && n == 40)
        n = 48;
      products.push_back({.name = std::string("shape.") + types.d + "." +
                                  types.a + "." + types.b + ".n" +
                                  std::to_string(n),
                          .typeA = types.a,
                          .typeB = types.b,
                          .typeD = types.d,
                          .n = n});
    }
}

void addLayouts(std::vector<Product> &products) {
  for (unsigned swizzleA = 0; swizzleA < 4; ++swizzleA)
    for (unsigned swizzleB = 0; swizzleB < 4; ++swizzleB)
      for (unsigned majors = 0; majors < 4; ++majors) {
        Product product{.typeA = "bf16", .typeB = "bf16"};
        product.a = {.swizzle = swizzleA, .mnMajor = (majors & 1) != 0};
        product.b = {.swizzle = swizzleB, .mnMajor = (majors & 2) != 0};
        product.name =
            "layout." + describe(product.a) + "." + describe(product.b);
        products.push_back(product);
      }
  for (const Types &types : allTypes) // K-major, along all of the tile
    for (unsigned swizzle = 0; swizzle < 4; ++swizzle) {
      Product product{.typeA = types.a, .typeB = types.b, .typeD = types.d};
      product.a.swizzle = product.b.swizzle = swizzle;
      product.n = 96;
      constexpr std::array<unsigned, 4> steps = {4, 4, 2, 1};
      product.steps = steps[swizzle];
      product.name = std::string("steps.") + types.d + "." + types.a + "." +
                     types.b + "." + describe(product.a);
      products.push_back(product);
    }
  for (unsigned swizzle = 0; swizzle < 4; ++swizzle) // MN-major
    for (unsigned n : {8, 16, 40, 72, 128, 192}) {
      Product product{.n = n, .steps = n > 128 ? 2u : 4u};
      product.a = {.swizzle = swizzle, .mnMajor = true};
      product.b = {.swizzle = swizzle, .mnMajor = true};
      product.name = "steps.n" + std::to_string(n) + "." + describe(product.a);
      products.push_back(product);
    }
}

void addOddDescriptors(std::vector<Product> &products) {
  struct Odd {
    const char *name;
    Operand a, b;
  };
  const Odd odds[] = {
      {"gaps.none",
       {.swizzle = 0, .leading = 4096, .stride = 144},
       {.swizzle = 0, .leading = 16, .stride = 528}},
      {"gaps.128", {.stride = 2048}, {.stride = 1536, .offset = 1024}},
      {"rows.repeat", {.stride = 0}, {.stride = 0}},
      {"leading.unused", {.leading = 8192}, {.leading = 0}},
      {"mn.gaps",
       {.mnMajor = true, .leading = 5120, .stride = 1024},
       {.swizzle = 2, .mnMajor = true, .leading = 512, .stride = 8192}},
      {"mn.none.gaps",
       {.swizzle = 0, .mnMajor = true, .leading = 2048, .stride = 256},
       {.swizzle = 0, .mnMajor = true, .leading = 128, .stride = 1280}},
      {"offset.16", {.offset = 16}, {.offset = 48}},
      {"offset.rows", {.offset = 128}, {.offset = 384}},
      {"offset.rows.32",
       {.swizzle = 3, .offset = 32},
       {.swizzle = 3, .offset = 96}},
      {"offset.rows.64",
       {.swizzle = 2, .offset = 64},
       {.swizzle = 2, .offset = 192}},
      {"stride.rows", {.stride = 1152}, {.stride = 1664}},
  };
  for (const Odd &odd : odds)
    products.push_back({.name = std::string("descriptor.") + odd.name,
                        .n = 128,
                        .a = odd.a,
                        .b = odd.b});
  for (unsigned swizzle = 1; swizzle < 4; ++swizzle)
    for (unsigned base = 0; base < 8; ++base)
      for (unsigned rows : {0u, 1u, 3u, 4u, 6u}) {
        const Operand operand{
            .swizzle = swizzle, .offset = rows * 128, .baseOffset = base};
        products.push_back({.name = "descriptor.base" + std::to_string(base) +
                                    "." + describe(operand) + ".at" +
                                    std::to_string(rows),
                            .a = operand,
                            .b = operand});
      }
}

void addArithmetic(std::vector<Product> &products) {
  for (const Types &types : allTypes) {
    const std::string name =
        std::string(types.d) + "." + types.a + "." + types.b;
    const bool integers = std::string(types.d) == "s32";
    Product product{.typeA = types.a, .typeB = types.b, .typeD = types.d};
    auto add = [&](const char *what, auto change) {
      Product changed = product;
      change(changed);
      changed.name = std::string(what) + "." + name;
      products.push_back(changed);
    };
    add("registers", [](Product &p) { p.aInRegisters = true; });
    add("registers.steps", [](Product &p) {
      p.aInRegisters = true;
      p.steps = 4;
    });
    add("fromZero", [](Product &p) { p.accumulate = false; });
    add("fromZero.steps", [](Product &p) {
      p.accumulate = false;
      p.steps = 4;
    });
    add("groups", [](Product &p) {
      p.eachInGroup = true;
      p.steps = 4;
    });
    if (!integers) {
      add("negateA", [](Product &p) { p.negateA = true; });
      add("negateB", [](Product &p) { p.negateB = true; });
      add("negateBoth", [](Product &p) {
        p.negateA = p.negateB = true;
        p.aInRegisters = true;
      });
      add("normal", [](Product &p) {
        p.values = p.accumulators = Values::normal;
        p.steps = 4;
      });
      add("special", [](Product &p) { p.values = Values::special; });
      // What is below f16, or below what products of 8-bit floats keep, is
      // lost in ways of the hardware's own.
      if (std::string(types.d) == "f32" && elementBits(types.a) >= 16)
        add("denormal", [](Product &p) {
          p.values = Values::denormal;
          p.accumulate = false;
        });
    } else {
      add("wraps", [](Product &p) { p.accumulators = Values::any; });
      if (std::string(types.a) != "b1")
        add("satfinite", [](Product &p) {
          p.accumulators = Values::any;
          p.saturate = true;
          p.steps = 2;
        });
    }
  }
}

void addSparse(std::vector<Product> &products) {
  for (const Types &types : allTypes) {
    const bool eightBits = elementBits(types.a) == 8;
    if (std::string(types.a) == "b1")
      continue;
    for (int selector = 0; selector < (eightBits ? 1 : 2); ++selector)
      for (unsigned form = 0; form < 7; ++form) {
        Product product{.typeA = types.a, .typeB = types.b, .typeD = types.d};
        product.selector = selector;
        product.n = 48;
        if (form < 4)
          product.a.swizzle = product.b.swizzle = form;
        product.aInRegisters = form == 4;
        if (form >= 5) {
          if (elementBits(types.a) != 16)
            continue;
          product.a.mnMajor = product.b.mnMajor = true;
          product.a.swizzle = form == 5 ? 1 : 3;
          product.b.swizzle = form == 5 ? 2 : 0;
        }
        product.name =
            std::string("sparse.") + types.d + "." + types.a + "." + types.b +
            "." + (product.aInRegisters ? "registers" : describe(product.a)) +
            "." + describe(product.b) + ".selector" + std::to_string(selector);
        products.push_back(product);
      }
  }
}

} // namespace

std::vector<Case> wgmmaCases() {
  std::vector<Product> products;
  addShapes(products);
  addLayouts(products);
  addOddDescriptors(products);
  addArithmetic(products);
  addSparse(products);
  std::vector<Case> cases;
  for (const Product &product : products)
    cases.push_back(makeCase(product));
  return cases;
}

} // namespace ashlar::conformance
