#include "test/kernels/RandomProgram.h"

#include <algorithm>
#include <optional>
#include <random>

namespace ashlar::test {
namespace {

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

} // namespace

Program drawProgram(uint64_t seed) { return Draw(seed).program(); }

std::vector<double> interpret(const Program &program,
                              const std::vector<double> &x,
                              const std::vector<double> &y,
                              const HostTensor &table) {
  return Interpreted(program).run(x, y, table);
}

} // namespace ashlar::test
