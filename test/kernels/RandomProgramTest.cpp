// Programs drawn at random of everything that fragments can do, against an
// interpreter on the host.

#include "test/kernels/RandomProgram.h"
#include "test/kernels/Check.h"
#include "test/kernels/Register.h"

#include "ashlar/ashlar.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ashlar::test {
namespace {

class Traced {
public:
  Traced(const Program &program, const Tensor &table, const SharedTile &bins)
      : program(program), table(table), bins(bins) {}

  /// What the last steps give, as f32 of a tile.
  Fragment run(const Fragment &x, const Fragment &y) {
    for (const Step &step : program.steps)
      values.push_back(clamp(value(step, x, y), -bound, bound));
    Fragment sum = zeros(f32, shape());
    for (size_t i = values.size() - 4; i < values.size(); ++i)
      sum = sum + 3 * asTile(convert(values[i], f32), program.steps[i].of) +
            sum * 2;
    return sum;
  }

private:
  Shape shape() const { return {program.rows, program.columns}; }
  Fragment asTile(const Fragment &value, Of of) {
    if (of == Of::rows)
      return broadcast(along_rows(value), shape());
    return of == Of::columns ? broadcast(value, shape()) : value;
  }

  Fragment value(const Step &step, const Fragment &x, const Fragment &y) {
    const ElementType type = step.isInteger ? s32 : f32;
    auto of = [&](int i) { return program.steps[i].of; };
    auto a = [&] { return values[step.a]; };
    auto inTile = [&](int i) {
      return of(i) == step.of ? values[i] : asTile(values[i], of(i));
    };
    switch (step.kind) {
    case Step::inputX:
      return x;
    case Step::inputY:
      return y;
    case Step::number:
      return full(type, shape(), step.constant);
    case Step::rowNumbers:
      return rows(shape());
    case Step::columnNumbers:
      return columns(shape());
    case Step::add:
      return mixed(step, [](auto l, auto r) { return l + r; });
    case Step::sub:
      return mixed(step, [](auto l, auto r) { return l - r; });
    case Step::mul:
      return mixed(step, [](auto l, auto r) { return l * r; });
    case Step::largest:
      return max(inTile(step.a), inTile(step.b));
    case Step::least:
      return min(inTile(step.a), inTile(step.b));
    case Step::choose:
      return select(inTile(step.a) < inTile(step.b), inTile(step.a),
                    inTile(step.b) + 1);
    case Step::rowSum:
      return row_sum(a());
    case Step::rowMax:
      return row_max(a());
    case Step::rowArgmin:
      return row_argmin(a());
    case Step::columnSum:
      return column_sum(a());
    case Step::columnMin:
      return column_min(a());
    case Step::columnArgmax:
      return column_argmax(a());
    case Step::rowInclusiveSum:
      return row_inclusive_sum(a());
    case Step::rowExclusiveMax:
      return row_exclusive_max(a());
    case Step::columnExclusiveSum:
      return column_exclusive_sum(a());
    case Step::columnInclusiveMin:
      return column_inclusive_min(a());
    case Step::toFloat:
      return convert(a(), f32);
    case Step::toInteger:
      return convert(a(), s32);
    case Step::remainder:
      return a() % step.constant;
    case Step::bits:
      return ((a() & 29) | 2) ^ (a() >> 1);
    case Step::lookUp:
      return gather(table, {a()});
    case Step::addSum:
      return a() + bounded(sum(a()));
    case Step::whenAny: {
      Fragment result = inTile(step.b);
      when(any(a() > 40), [&] { result = a(); });
      return result;
    }
    case Step::count: {
      store(bins, zeros(s32, {tableExtent}));
      scatter(bins, {a() & (tableExtent - 1)}, full(s32, shape(), 1),
              Reduction::add);
      return gather(bins, {a() & (tableExtent - 1)});
    }
    case Step::kinds:
      break;
    }
    return x;
  }

  Scalar bounded(const Scalar &value) {
    return min(max(value, double(-bound)), double(bound));
  }

  /// Vectors meet tiles by the language's own rules.
  template <class Operation>
  Fragment mixed(const Step &step, Operation operation) {
    const Of of[] = {program.steps[step.a].of, program.steps[step.b].of};
    const Fragment &l = values[step.a], &r = values[step.b];
    if (of[0] == Of::rows && of[1] == Of::tile)
      return operation(along_rows(l), r);
    if (of[1] == Of::rows && of[0] == Of::tile)
      return operation(l, along_rows(r));
    return operation(l, r);
  }

  const Program &program;
  const Tensor &table;
  const SharedTile &bins;
  std::vector<Fragment> values;
};

Kernel trace(const Program &program) {
  return kernel("random_program", [&] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", f32, {M, N}, align(4));
    Tensor Y = input("Y", s32, {M, N}, align(4));
    Tensor table = input("Table", s32, {tableExtent});
    Tensor D = output("D", f32, {M, N}, align(4));
    TileLoop tiles = persistent({M, N}, {program.rows, program.columns});
    SharedTile bins = shared(s32, {tableExtent});
    role("all", warps(program.warps), [&] {
      for (auto [m, n] : tiles) {
        const Shape shape{program.rows, program.columns};
        Traced traced(program, table, bins);
        store(D.tile({m, n}), traced.run(load(X.tile({m, n}), shape),
                                         load(Y.tile({m, n}), shape)));
      }
    });
  });
}

double small(int64_t m, int64_t n, int64_t factor) {
  return double((m * 131 + n * factor + m * n % 7) % 23 - 11);
}

void isAsInterpreted(uint64_t seed) {
  const Program program = drawProgram(seed);
  CompileOptions options;
  options.assemble = !isSimulated();
  Module module(device(), compile(trace(program), options).artifact);
  const int64_t M = program.rows + program.rows / 2 + 1,
                N = program.columns + program.columns / 3;
  auto input = [](int64_t factor) {
    return [=](const Problem &, Coordinate at) {
      return small(at[0], at[1], factor);
    };
  };
  const Problem problem =
      randomProblem(module.artifact(), {{"M", M}, {"N", N}}, {}, {},
                    {{"X", input(17)},
                     {"Y", input(29)},
                     {"Table", [](const Problem &, Coordinate at) {
                        return double(at[0] * 37 % 50 - 20);
                      }}});
  const HostTensor d = launch(module, problem);
  for (int64_t m = 0; m < M; m += program.rows)
    for (int64_t n = 0; n < N; n += program.columns) {
      std::vector<double> x, y;
      for (int64_t r = m; r < m + program.rows; ++r)
        for (int64_t c = n; c < n + program.columns; ++c) {
          const bool inside = r < M && c < N;
          x.push_back(inside ? small(r, c, 17) : 0);
          y.push_back(inside ? small(r, c, 29) : 0);
        }
      const std::vector<double> expected =
          interpret(program, x, y, problem["Table"]);
      for (int64_t r = m; r < std::min(M, m + program.rows); ++r)
        for (int64_t c = n; c < std::min(N, n + program.columns); ++c)
          ASSERT_EQ(d(r, c), expected[(r - m) * program.columns + (c - n)])
              << "program " << seed << " at " << r << ", " << c << ", tiles of "
              << program.rows << "x" << program.columns << " by "
              << program.warps << " warps";
    }
}

const bool registered = registerAtStart([] {
  for (uint64_t first = 0; first < 300; first += 10)
    registerTest("RandomPrograms",
                 "seeds " + std::to_string(first) + " to " +
                     std::to_string(first + 9),
                 [first] {
                   for (uint64_t seed = first; seed < first + 10; ++seed)
                     isAsInterpreted(seed);
                 });
});

} // namespace
} // namespace ashlar::test
