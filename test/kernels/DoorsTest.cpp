// The author's PTX, bit casts, and operands of extent 1.

#include "test/kernels/Feature.h"

#include <bit>
#include <cmath>

namespace ashlar::test {
namespace {

/// D = what a program makes of a tile of X, of 32 x 64.
Feature onTiles(const std::string &name, ElementType type,
                std::function<Fragment(const Fragment &)> compute,
                std::function<double(double)> expected, double tolerance) {
  return {name,
          [=] {
            return kernel("doors", [&] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", type, {M, N});
              Tensor D = output("D", type, {M, N});
              TileLoop tiles = persistent({M, N}, {32, 64});
              role("all", warps(4), [&] {
                for (auto [m, n] : tiles)
                  store(D.tile({m, n}),
                        compute(load(X.tile({m, n}), {32, 64})));
              });
            });
          },
          {{{"M", 40}, {"N", 80}}},
          [=](const Problem &p, Coordinate at) {
            return expected(p["X"](at[0], at[1]));
          },
          tolerance};
}

double identity(double x) { return x; }

std::vector<Feature> features() {
  std::vector<Feature> all;
  for (ElementType type : {f32, s32, f16, s16}) {
    const std::string of = " of " + std::string(name(type));
    all.push_back(onTiles(
        "an instruction" + of, type,
        [=](const Fragment &x) {
          return ptx(type == f32   ? "add.f32 $0, $1, $2;"
                     : type == s32 ? "add.s32 $0, $1, $2;"
                     : type == f16 ? "add.f16 $0, $1, $2;"
                                   : "add.s16 $0, $1, $2;",
                     type, {x, x});
        },
        [](double x) { return 2 * x; }, 1e-5));
  }
  all.push_back(onTiles(
      "an instruction whose result has another type", f32,
      [](const Fragment &x) {
        return convert(ptx("cvt.rni.s32.f32 $0, $1;", s32, {x * 8}), f32);
      },
      [](double x) { return std::nearbyint(8 * x); }, 0));
  all.push_back(onTiles(
      "a number of the role by an instruction", f32,
      [](const Fragment &x) {
        Scalar warp = ptx_scalar("mov.u32 $0, %tid.x;", s32);
        Scalar twice = ptx_scalar("add.s32 $0, $1, 2;", s32, {warp});
        return x * convert(twice, f32);
      },
      [](double x) { return 2 * x; }, 1e-6));
  all.push_back(onTiles(
      "what one thread does", f32,
      [](const Fragment &x) {
        ptx_once("fence.acq_rel.gpu;");
        ptx_once("{\n\t.reg .b32 t;\n\tadd.s32 t, $0, 1;\n\t}",
                 {ptx_scalar("mov.u32 $0, 5;", s32)});
        return x;
      },
      identity, 0));
  all.push_back(onTiles(
      "a sign by a bit cast", f32,
      [](const Fragment &x) {
        return bitcast(bitcast(x, s32) & 0x7fffffff, f32);
      },
      [](double x) { return std::fabs(x); }, 0));
  all.push_back(onTiles(
      "a sign of f16 by a bit cast", f16,
      [](const Fragment &x) { return bitcast(bitcast(x, s16) & 0x7fff, f16); },
      [](double x) { return std::fabs(x); }, 0));
  all.push_back(onTiles(
      "a scalar by a bit cast", f32,
      [](const Fragment &x) {
        return x * bitcast(convert(Index(0x40000000), s32), f32);
      },
      [](double x) { return 2 * x; }, 0));

  // Operands of extent 1, loaded and computed, against both dimensions.
  auto meets = [](const std::string &name, Shape a, Shape b, auto combine) {
    return Feature{name,
                   [=] {
                     return kernel("meets", [&] {
                       Size M = size("M"), N = size("N");
                       Tensor X = input("X", f32, {M, N});
                       Tensor D = output("D", f32, {M, N});
                       TileLoop tiles = persistent({M, N}, {32, 64});
                       role("all", warps(4), [&] {
                         for (auto [m, n] : tiles)
                           store(D.tile({m, n}),
                                 combine(load(X.at({m * 32, n * 64}), a),
                                         load(X.at({m * 32, n * 64}), b)));
                       });
                     });
                   },
                   {{{"M", 64}, {"N", 128}}},
                   [=](const Problem &p, Coordinate at) {
                     auto value = [&](const Shape &shape) {
                       return p["X"](shape[0] == 1 ? at[0] / 32 * 32 : at[0],
                                     shape[1] == 1 ? at[1] / 64 * 64 : at[1]);
                     };
                     return value(a) + 2 * value(b);
                   },
                   1e-6};
  };
  auto add = [](const Fragment &a, const Fragment &b) { return a + 2 * b; };
  const Shape whole{32, 64}, column{32, 1}, row{1, 64}, one{1, 1};
  all.push_back(meets("a column meets a tile", column, whole, add));
  all.push_back(meets("a tile meets a row", whole, row, add));
  all.push_back(meets("one element meets a tile", one, whole, add));
  all.push_back(meets("a row meets a column", row, column, add));
  all.push_back(
      meets("a column meets a row in fma", column, row,
            [](const Fragment &a, const Fragment &b) { return fma(2, b, a); }));
  all.push_back(meets("a column meets a row in a choice", column, row,
                      [](const Fragment &a, const Fragment &b) {
                        return select(a < b, a + 2 * b, a + b + b);
                      }));
  // Rows of three dimensions have values of two, or of the first.
  all.push_back(
      {"rows of three dimensions meet their sums",
       [] {
         return kernel("planes", [] {
           Size M = size("M");
           Tensor X = input("X", f32, {M, 4, 64}), V = input("V", f32, {M, 4});
           Tensor D = output("D", f32, {M, 4, 64});
           TileLoop tiles = persistent({M}, {8});
           role("all", warps(4), [&] {
             for (auto [m] : tiles) {
               Fragment x = load(X.tile({m, 0, 0}), {8, 4, 64});
               Fragment v = load(V.tile({m, 0}), {8, 4});
               store(D.tile({m, 0, 0}),
                     x * along_rows(row_sum(x) * v) + along_rows(row_sum(v)));
             }
           });
         });
       },
       {{{"M", 20}}},
       [](const Problem &p, Coordinate at) {
         double sum = 0, sumOfV = 0;
         for (int64_t n = 0; n < 64; ++n)
           sum += p["X"](at[0], at[1], n);
         for (int64_t i = 0; i < 4; ++i)
           sumOfV += p["V"](at[0], i);
         return p["X"](at) * sum * p["V"](at[0], at[1]) + sumOfV;
       },
       1e-4});
  // Masks of extents 1 meet, and a mask meets operands with less than it has.
  all.push_back(
      {"masks of a column and a row",
       [] {
         return kernel("masks", [] {
           Size M = size("M"), N = size("N");
           Tensor D = output("D", f32, {M, N});
           TileLoop tiles = persistent({M, N}, {32, 64});
           role("all", warps(4), [&] {
             for (auto [m, n] : tiles) {
               Mask both = (rows({32, 1}) > 3) && (columns({1, 64}) < 9);
               store(D.tile({m, n}),
                     select(both, full(f32, {1, 1}, 5), full(f32, {1, 64}, 7)));
             }
           });
         });
       },
       {{{"M", 64}, {"N", 128}}},
       [](const Problem &, Coordinate at) {
         return at[0] % 32 > 3 && at[1] % 64 < 9 ? 5.0 : 7.0;
       },
       0});
  return all;
}

const bool registered = registerFeatures(features());

} // namespace
} // namespace ashlar::test
