// Prints docs/language/operations.md: which operation takes which type, as the
// compiler says when it is asked.
#include "ashlar/ashlar.h"

#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

using namespace ashlar;

namespace {

constexpr std::array types = {f32, bf16, f16, e4m3, e5m2, s32, s16, s8};

bool compiles(const std::function<Kernel()> &define) {
  try {
    CompileOptions options;
    options.assemble = false;
    compile(define(), options);
    return true;
  } catch (const Error &) {
    return false;
  }
}

/// Gives what it makes of a fragment, as numbers.
using Operation = std::function<Fragment(const Fragment &)>;

Fragment ofMask(const Mask &mask) {
  const Shape shape{16, 64};
  return select(mask, full(f32, shape, 1), full(f32, shape, 0));
}

Fragment ofCondition(const Condition &condition) {
  Fragment result = zeros(f32, {16, 64});
  when(condition, [&] { result = full(f32, {16, 64}, 1); });
  return result;
}

Fragment ofRows(const Fragment &vector) {
  return zeros(f32, {16, 64}) + along_rows(convert(vector, f32));
}

bool takes(const Operation &operation, ElementType type) {
  return compiles([&] {
    return kernel("k", [&] {
      Tensor X = input("X", type, {16, 64}), D = output("D", f32, {16, 64});
      role("all", warps(4), [&] {
        Fragment result = operation(load(X.at({0, 0}), {16, 64}));
        store(D.at({0, 0}), convert(result, f32));
      });
    });
  });
}

void printHeader(const char *first) {
  std::printf("| %s |", first);
  for (ElementType type : types)
    std::printf(" %s |", std::string(name(type)).c_str());
  std::printf("\n| --- |");
  for (size_t i = 0; i < types.size(); ++i)
    std::printf(" --- |");
  std::printf("\n");
}

void printOperations() {
  struct Row {
    const char *name;
    Operation operation;
  };
  const Row rows[] = {
      {"`a + b`, `a - b`, `a * b`", [](auto &a) { return a + a * a - a; }},
      {"`a / b`", [](auto &a) { return a / a; }},
      {"`-a`, `abs`", [](auto &a) { return abs(-a); }},
      {"`max`, `min`, `clamp`", [](auto &a) { return max(min(a, a), a); }},
      {"`a < b` and the like, `==`, `!=`",
       [](auto &a) { return ofMask(a < a); }},
      {"`select`", [](auto &a) { return select(columns({16, 64}) < 3, a, a); }},
      {"`fma`, `mul_rn`", [](auto &a) { return fma(a, a, mul_rn(a, a)); }},
      {"`%`, `&`, `\\|`, `^`, `~`, `<<`, `>>`",
       [](auto &a) { return ~(((a % 3) & a) | (a ^ a)) << 1 >> 1; }},
      {"`exp`, `exp2`, `log`, `log2`, `sqrt`, `rsqrt`, `tanh`",
       [](auto &a) { return exp(a) + log2(a) + sqrt(a) + tanh(a); }},
      {"`sin`, `cos`, `erf`, `pow`",
       [](auto &a) { return sin(a) + cos(a) + pow(erf(a), a); }},
      {"`fast::exp`, `fast::divide` and the like",
       [](auto &a) { return fast::exp(a) + fast::divide(a, a); }},
      {"`relu`", [](auto &a) { return relu(a); }},
      {"`sigmoid`, `gelu`, `silu`",
       [](auto &a) { return sigmoid(a) + gelu(a) + silu(a); }},
      {"`floor`, `ceil`, `trunc`, `rint`",
       [](auto &a) { return floor(a) + ceil(a) + trunc(a) + rint(a); }},
      {"`isnan`", [](auto &a) { return ofMask(isnan(a)); }},
      {"`row_sum`, `row_max`, `column_min` and the like",
       [](auto &a) { return ofRows(row_max(a)); }},
      {"`row_argmax` and the like",
       [](auto &a) { return ofRows(row_argmax(a)); }},
      {"`row_inclusive_sum` and the like",
       [](auto &a) { return row_inclusive_sum(a); }},
      {"`sum`, `max`, `min` of all",
       [](auto &a) { return ofCondition(sum(a) > sum(a)); }},
      {"`ptx`",
       [](auto &a) {
         return ptx("{ .reg .b32 t; mov.b32 t, 0; mov.b32 $0, t; }", f32, {a});
       }},
  };
  printHeader("operation");
  for (const Row &row : rows) {
    std::printf("| %s |", row.name);
    for (ElementType type : types)
      std::printf(" %s |", takes(row.operation, type) ? "yes" : "");
    std::printf("\n");
  }
}

void printConversions() {
  printHeader("`convert` from, to");
  for (ElementType from : types) {
    std::printf("| %s |", std::string(name(from)).c_str());
    for (ElementType to : types)
      std::printf(" %s |", takes([&](auto &a) { return convert(a, to); }, from)
                               ? "yes"
                               : "");
    std::printf("\n");
  }
}

/// A · Bᵀ + sum, by a role of one warpgroup; A or B stored the other way.
bool multiplies(ElementType a, ElementType b, ElementType sum, bool otherA,
                bool otherB, bool inRegisters) {
  return compiles([&] {
    return kernel("k", [&] {
      Tensor X = input("X", a, {64, 64}), Y = input("Y", b, {64, 64});
      Tensor D = output("D", sum, {64, 64});
      Pipeline ring = pipeline(2, smem(a, {64, 64}), smem(b, {64, 64}));
      role("load", warps(1), [&] {
        Stage s = ring.acquire();
        copy(X.at({0, 0}), s[0]);
        copy(Y.at({0, 0}), s[1]);
        ring.commit(s);
      });
      role("math", warpgroups(1), [&] {
        Stage s = ring.wait();
        SharedTile right = otherB ? s[1] : s[1].T();
        Fragment result =
            inRegisters
                ? mma(load(s[0]), right, zeros(sum, {64, 64}))
                : mma(otherA ? s[0].T() : s[0], right, zeros(sum, {64, 64}));
        ring.release(s);
        store(D.at({0, 0}), result);
      });
    });
  });
}

void printProducts() {
  std::printf(
      "| A | B | sums | A stored K×M | B stored K×N | A in registers |\n"
      "| --- | --- | --- | --- | --- | --- |\n");
  constexpr std::array inputs = {bf16, f16, tf32, e4m3, e5m2, s8, u8};
  auto mark = [](bool is) { return is ? "yes" : ""; };
  for (ElementType a : inputs)
    for (ElementType b : inputs)
      for (ElementType sum : {f32, f16, s32}) {
        if (!multiplies(a, b, sum, false, false, false))
          continue;
        std::printf("| %s | %s | %s | %s | %s | %s |\n",
                    std::string(name(a)).c_str(), std::string(name(b)).c_str(),
                    std::string(name(sum)).c_str(),
                    mark(multiplies(a, b, sum, true, false, false)),
                    mark(multiplies(a, b, sum, false, true, false)),
                    mark(multiplies(a, b, sum, false, false, true)));
      }
}

} // namespace

int main() {
  std::printf("# Operations by type\n\n"
              "Made by `ashlar-operations`, which asks the compiler.\n\n"
              "## Arithmetic\n\n");
  printOperations();
  std::printf("\n## Conversions\n\n");
  printConversions();
  std::printf("\n## Products\n\n");
  printProducts();
  return 0;
}
