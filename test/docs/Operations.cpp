// Prints docs/language/operations.md: which operation takes which type, as the
// compiler says when it is asked.
#include "ashlar/ashlar.h"

#include <array>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

using namespace ashlar;

namespace {

constexpr std::array types = {f32, bf16, f16, e4m3, e5m2, s32,
                              s16, s8,   s4,  u4,   e2m1, e8m0};

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

void printHeader(const char *first, std::span<const ElementType> types) {
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
      {"`rescale`", [](auto &a) { return rescale(a, a); }},
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
  printHeader("operation", types);
  for (const Row &row : rows) {
    std::printf("| %s |", row.name);
    for (ElementType type : types)
      std::printf(" %s |", takes(row.operation, type) ? "yes" : "");
    std::printf("\n");
  }
}

void printConversions() {
  printHeader("`convert` from, to", types);
  for (ElementType from : types) {
    std::printf("| %s |", std::string(name(from)).c_str());
    for (ElementType to : types)
      std::printf(" %s |", takes([&](auto &a) { return convert(a, to); }, from)
                               ? "yes"
                               : "");
    std::printf("\n");
  }
}

/// What a fragment of such elements of memory is of.
ElementType held(ElementType type) {
  return type == tf32 ? f32 : type == u8 ? s32 : type;
}

/// What a role can do with elements of memory: X and Y are tensors of a type, D
/// is of what fragments of it are of, tile is shared.
struct Memory {
  Tensor X, Y, D, indices;
  SharedTile tile;
};

void printMoves() {
  struct Row {
    const char *name;
    void (*move)(const Memory &);
  };
  static const Shape shape{16, 64};
  const Row moves[] = {
      {"`load` of a tensor",
       [](auto &m) { store(m.D.at({0, 0}), load(m.X.at({0, 0}), shape)); }},
      {"`load(tensor.rows(indices))`",
       [](auto &m) {
         TileRef rows = m.X.at({0, 0}).rows(m.indices.at({0}));
         store(m.D.at({0, 0}), load(rows, shape));
       }},
      {"`store` to a tensor",
       [](auto &m) { store(m.Y.at({0, 0}), load(m.X.at({0, 0}), shape)); }},
      {"`load` of a shared tile",
       [](auto &m) { store(m.D.at({0, 0}), load(m.tile)); }},
      {"`load(tile.T())`",
       [](auto &m) { store(m.D.at({0, 0}), load(m.tile.T())); }},
      {"`store` to a shared tile",
       [](auto &m) { store(m.tile, load(m.X.at({0, 0}), shape)); }},
      {"`copy` from a shared tile",
       [](auto &m) { copy(m.tile, m.Y.at({0, 0})); }},
      {"`copy` with `reduce_add`",
       [](auto &m) { copy(m.tile, m.Y.at({0, 0}), reduce_add); }},
      {"`copy` with `reduce_min`, `reduce_max`",
       [](auto &m) { copy(m.tile, m.Y.at({0, 0}), reduce_max); }},
      {"`gather`",
       [](auto &m) {
         store(m.D.at({0, 0}), gather(m.X, {rows(shape), columns(shape)}));
       }},
      {"`scatter`",
       [](auto &m) {
         scatter(m.Y, {rows(shape), columns(shape)},
                 load(m.X.at({0, 0}), shape));
       }},
      {"`scatter` with `Reduction::add`",
       [](auto &m) {
         scatter(m.Y, {rows(shape), columns(shape)},
                 load(m.X.at({0, 0}), shape), Reduction::add);
       }},
      {"`reduce` with `reduce_add`",
       [](auto &m) {
         reduce(m.Y.at({0, 0}), load(m.X.at({0, 0}), shape), reduce_add);
       }},
      {"`load_index`",
       [](auto &m) {
         Index first = load_index(m.X.at({0, 0}));
         store(m.D.at({first, 0}), load(m.X.at({0, 0}), shape));
       }},
      {"`load_scalar`",
       [](auto &m) {
         when(load_scalar(m.X.at({0, 0})) > 0,
              [&] { store(m.D.at({0, 0}), load(m.X.at({0, 0}), shape)); });
       }},
  };
  constexpr std::array all = {f32, tf32, bf16, f16, e4m3, e5m2, s32,
                              s16, s8,   u8,   s4,  u4,   e2m1, e8m0};
  printHeader("elements of memory", all);
  for (const Row &row : moves) {
    std::printf("| %s |", row.name);
    for (ElementType type : all)
      std::printf(" %s |", compiles([&] {
                    return kernel("k", [&] {
                      Memory m = {input("X", type, {64, 64}),
                                  inout("Y", type, {64, 64}),
                                  output("D", held(type), {64, 64}),
                                  input("I", s32, {16}), shared(type, shape)};
                      role("all", warps(4), [&] { row.move(m); });
                    });
                  })
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
  std::printf("\n## Moves\n\n");
  printMoves();
  std::printf("\n## Products\n\n");
  printProducts();
  return 0;
}
