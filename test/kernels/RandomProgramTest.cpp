// Programs drawn at random of everything that fragments can do, against an
// interpreter on the host. All numbers are small integers, so that f32 is exact
// in any order of additions.

#include "test/kernels/Check.h"
#include "test/kernels/Register.h"

#include "ashlar/ashlar.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <optional>
#include <random>

namespace ashlar::test {
namespace {

constexpr int64_t bound = 100, tableExtent = 64;

/// What a value is of: all elements of a tile, one of each row, or one of each
/// column.
enum class Of { tile, rows, columns };

/// An operation on values that stand before it in the program.
struct Step {
  enum Kind {
    inputX, ///< f32
    inputY, ///< s32
    number,
    rowNumbers,
    columnNumbers,
    add,
    sub,
    mul,
    largest,
    least,
    choose, ///< a < b ? a : b + 1
    rowSum,
    rowMax,
    rowArgmin,
    columnSum,
    columnMin,
    columnArgmax,
    rowInclusiveSum,
    rowExclusiveMax,
    columnExclusiveSum,
    columnInclusiveMin,
    toFloat,
    toInteger,
    remainder,
    bits,    ///< ((a & 29) | 2) ^ (a >> 1)
    lookUp,  ///< of a table in global memory
    addSum,  ///< of all elements
    whenAny, ///< a where some element is above 40, else b
    count,   ///< in shared memory, of a & 63; how often a & 63 occurs
    kinds
  } kind;
  Of of;
  bool isInteger;
  int a, b; ///< numbers of steps
  int64_t constant;
};

struct Program {
  int64_t rows, columns, warps;
  std::vector<Step> steps;
};

/// ------------------------------------------------------------------ Drawing

class Draw {
public:
  explicit Draw(uint64_t seed) : engine(seed) {}

  Program program() {
    do {
      result.rows = pick({1, 2, 4, 8, 16, 32});
      result.columns = pick({16, 32, 64, 96, 128, 256, 512});
      result.warps = pick({1, 2, 3, 4, 8});
    } while (!fits());
    emit(Step::inputX, Of::tile, false);
    emit(Step::inputY, Of::tile, true);
    while (result.steps.size() < 14)
      step();
    return std::move(result);
  }

private:
  int64_t pick(std::initializer_list<int64_t> choices) {
    return *(choices.begin() + number(0, int64_t(choices.size()) - 1));
  }
  int64_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }
  bool fits() const {
    const int64_t elements = result.rows * result.columns,
                  threads = 32 * result.warps;
    return elements <= 16 * threads &&
           (elements % threads == 0 || threads % elements == 0);
  }

  void emit(Step::Kind kind, Of of, bool isInteger, int a = -1, int b = -1) {
    result.steps.push_back({kind, of, isInteger, a, b, number(1, 9)});
  }

  /// A value that may stand for `like`'s second operand; the last ones more
  /// often.
  std::optional<int> any(std::optional<bool> isInteger, std::optional<Of> of) {
    std::vector<int> found;
    for (size_t i = 0; i < result.steps.size(); ++i)
      if ((!isInteger || result.steps[i].isInteger == *isInteger) &&
          (!of || result.steps[i].of == *of))
        found.push_back(int(i));
    if (found.empty())
      return std::nullopt;
    return found[std::max(number(0, int64_t(found.size()) - 1),
                          number(0, int64_t(found.size()) - 1))];
  }

  void step() {
    const auto kind = Step::Kind(number(Step::number, Step::kinds - 1));
    const std::optional<int> a = any(std::nullopt, std::nullopt);
    const Step first = result.steps[*a];
    switch (kind) {
    case Step::number:
      return emit(kind, Of::tile, number(0, 1));
    case Step::rowNumbers:
    case Step::columnNumbers:
      return emit(kind, Of::tile, true);
    case Step::add:
    case Step::sub:
    case Step::mul:
    case Step::largest:
    case Step::least:
    case Step::choose: {
      // A vector of rows meets one of columns only in a tile.
      std::optional<int> b = any(first.isInteger, std::nullopt);
      Step second = result.steps[*b];
      if (first.of != Of::tile && second.of != first.of) {
        b = any(first.isInteger, Of::tile);
        if (!b)
          return;
        second = result.steps[*b];
      }
      return emit(kind, first.of == second.of ? first.of : Of::tile,
                  first.isInteger, *a, *b);
    }
    case Step::rowSum:
    case Step::rowMax:
    case Step::rowArgmin:
    case Step::columnSum:
    case Step::columnMin:
    case Step::columnArgmax: {
      if (first.of != Of::tile)
        return;
      const bool ofRows = kind == Step::rowSum || kind == Step::rowMax ||
                          kind == Step::rowArgmin;
      const bool isPlace =
          kind == Step::rowArgmin || kind == Step::columnArgmax;
      return emit(kind, ofRows ? Of::rows : Of::columns,
                  isPlace || first.isInteger, *a);
    }
    case Step::rowInclusiveSum:
    case Step::rowExclusiveMax:
    case Step::columnExclusiveSum:
    case Step::columnInclusiveMin:
    case Step::addSum:
      if (first.of == Of::tile)
        emit(kind, first.of, first.isInteger, *a);
      return;
    case Step::toFloat:
      return emit(kind, first.of, false, *a);
    case Step::toInteger:
      return emit(kind, first.of, true, *a);
    case Step::remainder:
    case Step::bits:
    case Step::lookUp:
      if (first.isInteger)
        emit(kind, first.of, true, *a);
      return;
    case Step::whenAny: {
      const std::optional<int> b = any(first.isInteger, first.of);
      return emit(kind, first.of, first.isInteger, *a, *b);
    }
    case Step::count:
      if (first.isInteger && first.of == Of::tile)
        emit(kind, first.of, true, *a);
      return;
    default:
      return;
    }
  }

  std::mt19937_64 engine;
  Program result;
};

/// ------------------------------------------------------------------ Tracing

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

/// ------------------------------------------------------------- Interpreting

class Interpreted {
public:
  explicit Interpreted(const Program &program)
      : program(program), rows(program.rows), columns(program.columns) {}

  using Values = std::vector<double>; ///< of a tile, row by row

  Values run(const Values &x, const Values &y, const HostTensor &table) {
    for (const Step &step : program.steps) {
      Values result = value(step, x, y, table);
      for (double &each : result)
        each = std::clamp<double>(each, -bound, bound);
      values.push_back(std::move(result));
    }
    Values sum(rows * columns);
    for (size_t i = values.size() - 4; i < values.size(); ++i)
      for (int64_t at = 0; at < rows * columns; ++at)
        sum[at] = sum[at] + 3 * values[i][at] + sum[at] * 2;
    return sum;
  }

private:
  template <class Function> Values each(Function function) {
    Values result(rows * columns);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        result[r * columns + c] = function(r, c);
    return result;
  }
  /// Of the elements of a row, or of a column, from `begin` to `end`.
  template <class Combine>
  double along(const Values &of, bool row, int64_t at, int64_t end,
               double start, Combine combine) {
    for (int64_t i = 0; i < end; ++i)
      start = combine(start, row ? of[at * columns + i] : of[i * columns + at]);
    return start;
  }
  double place(const Values &of, bool row, int64_t at, double sign) {
    int64_t best = 0;
    auto element = [&](int64_t i) {
      return sign * (row ? of[at * columns + i] : of[i * columns + at]);
    };
    for (int64_t i = 1; i < (row ? columns : rows); ++i)
      if (element(i) > element(best))
        best = i;
    return double(best);
  }

  Values value(const Step &step, const Values &x, const Values &y,
               const HostTensor &table) {
    const Values empty, &a = step.a < 0 ? empty : values[step.a],
                        &b = step.b < 0 ? empty : values[step.b];
    auto binary = [&](auto operation) {
      return each([&](int64_t r, int64_t c) {
        return operation(a[r * columns + c], b[r * columns + c]);
      });
    };
    auto unary = [&](auto operation) {
      return each([&](int64_t r, int64_t c) {
        return double(operation(int64_t(a[r * columns + c])));
      });
    };
    auto plus = [](double l, double r) { return l + r; };
    auto max = [](double l, double r) { return std::max(l, r); };
    auto min = [](double l, double r) { return std::min(l, r); };
    switch (step.kind) {
    case Step::inputX:
      return x;
    case Step::inputY:
      return y;
    case Step::number:
      return each([&](int64_t, int64_t) { return double(step.constant); });
    case Step::rowNumbers:
      return each([](int64_t r, int64_t) { return double(r); });
    case Step::columnNumbers:
      return each([](int64_t, int64_t c) { return double(c); });
    case Step::add:
      return binary(plus);
    case Step::sub:
      return binary([](double l, double r) { return l - r; });
    case Step::mul:
      return binary([](double l, double r) { return l * r; });
    case Step::largest:
      return binary(max);
    case Step::least:
      return binary(min);
    case Step::choose:
      return binary([](double l, double r) { return l < r ? l : r + 1; });
    case Step::rowSum:
      return each([&](int64_t r, int64_t) {
        return along(a, true, r, columns, 0, plus);
      });
    case Step::rowMax:
      return each([&](int64_t r, int64_t) {
        return along(a, true, r, columns, -1e9, max);
      });
    case Step::rowArgmin:
      return each([&](int64_t r, int64_t) { return place(a, true, r, -1); });
    case Step::columnSum:
      return each([&](int64_t, int64_t c) {
        return along(a, false, c, rows, 0, plus);
      });
    case Step::columnMin:
      return each([&](int64_t, int64_t c) {
        return along(a, false, c, rows, 1e9, min);
      });
    case Step::columnArgmax:
      return each([&](int64_t, int64_t c) { return place(a, false, c, 1); });
    case Step::rowInclusiveSum:
      return each([&](int64_t r, int64_t c) {
        return along(a, true, r, c + 1, 0, plus);
      });
    case Step::rowExclusiveMax:
      return each([&](int64_t r, int64_t c) {
        return along(a, true, r, c, -1e9, max);
      });
    case Step::columnExclusiveSum:
      return each(
          [&](int64_t r, int64_t c) { return along(a, false, c, r, 0, plus); });
    case Step::columnInclusiveMin:
      return each([&](int64_t r, int64_t c) {
        return along(a, false, c, r + 1, 1e9, min);
      });
    case Step::toFloat:
    case Step::toInteger:
      return a;
    case Step::remainder:
      return unary([&](int64_t l) { return l % step.constant; });
    case Step::bits:
      return unary([](int64_t l) { return ((l & 29) | 2) ^ (l >> 1); });
    case Step::lookUp:
      return unary(
          [&](int64_t l) { return l >= 0 && l < tableExtent ? table(l) : 0; });
    case Step::addSum: {
      double sum = 0;
      for (double each : a)
        sum += each;
      sum = std::clamp<double>(sum, -bound, bound);
      return each(
          [&](int64_t r, int64_t c) { return a[r * columns + c] + sum; });
    }
    case Step::whenAny:
      return std::ranges::any_of(a, [](double l) { return l > 40; }) ? a : b;
    case Step::count: {
      std::vector<double> counts(tableExtent);
      for (double each : a)
        ++counts[int64_t(each) & (tableExtent - 1)];
      return unary([&](int64_t l) { return counts[l & (tableExtent - 1)]; });
    }
    case Step::kinds:
      break;
    }
    return x;
  }

  const Program &program;
  const int64_t rows, columns;
  std::vector<Values> values; ///< vectors repeated
};

/// ------------------------------------------------------------------ Checking

double small(int64_t m, int64_t n, int64_t factor) {
  return double((m * 131 + n * factor + m * n % 7) % 23 - 11);
}

void isAsInterpreted(uint64_t seed) {
  const Program program = Draw(seed).program();
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
          Interpreted(program).run(x, y, problem["Table"]);
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
