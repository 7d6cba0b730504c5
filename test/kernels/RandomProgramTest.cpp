// Programs drawn at random of everything that fragments can do, against an
// interpreter on the host. ASHLAR_RANDOM_PROGRAMS=300:5000 tries other seeds.

#include "test/kernels/RandomProgram.h"
#include "test/kernels/Check.h"
#include "test/kernels/RandomElements.h"
#include "test/kernels/Register.h"

#include "ashlar/ashlar.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <optional>

namespace ashlar::test {
namespace {

/// Fragments of f32 or s32 in the type that they are stored or kept in.
Fragment narrowed(const Fragment &a, ElementType type, bool isInteger) {
  if (type == e8m0)
    return convert(max(a, 1), type);
  return convert(type == e2m1 && !isInteger ? a * 0.5 : a, type);
}
Fragment widened(const Fragment &a, ElementType type, bool isInteger) {
  const Fragment wide = convert(a, isInteger ? s32 : f32);
  return type == e2m1 && !isInteger ? wide * 2 : wide;
}

ElementType inMemory(ElementType type) { return type == f32 ? tf32 : type; }

/// What a program declares before its roles.
class Declared {
public:
  explicit Declared(const Program &program) {
    for (size_t i = 0; i < program.steps.size(); ++i) {
      const Step &step = program.steps[i];
      const int64_t rows = program.rows, columns = program.columns;
      if (step.kind == Step::product) {
        const int64_t k = columns * (step.sparse ? 2 : 1);
        const Shape shape = step.turned ? Shape{k, columns} : Shape{columns, k};
        const std::string number = std::to_string(i);
        const ElementType b = inMemory(step.other);
        tensors.emplace(i, input("B" + number, b, {shape[0], shape[1]}));
        weights.emplace(i, shared(b, shape));
        metadata.emplace(
            i, input("M" + number, s16, {rows, k / 4 / chunkOf(step.type)}));
        tiles.emplace(i, shared(inMemory(step.type), {rows, columns}));
      }
      if (step.kind == Step::keep && step.by != By::registers) {
        const bool turned = step.by == By::turnedTile;
        tiles.emplace(i, shared(step.type, turned ? Shape{columns, rows}
                                                  : Shape{rows, columns}));
      }
      if (step.kind == Step::count)
        tiles.emplace(i, shared(s32, {64}));
    }
  }

  Tensor table = input("Table", s32, {tableRows, tableColumns});
  Tensor indices = input("Indices", s32, {128}, align(4));
  std::map<size_t, Tensor> tensors, metadata;
  std::map<size_t, SharedTile> weights, tiles;
};

/// The steps of a program for a tile.
class Traced {
public:
  Traced(const Program &program, const Declared &declared, const TileRef &tile,
         const Fragment &x, const Fragment &y, const Fragment &z)
      : program(program), declared(declared), tile(tile), x(x), y(y), z(z) {}

  const std::vector<Fragment> &run() {
    for (const Step &step : program.steps)
      values.push_back(clamp(value(step), -bound, bound));
    return values;
  }

  /// Of a step's value, an element for each of a tile's.
  Fragment asTile(int i) const {
    const Of of = program.steps[i].of;
    if (of == Of::rows)
      return broadcast(along_rows(values[i]), shape());
    return of == Of::columns ? broadcast(values[i], shape()) : values[i];
  }

private:
  Shape shape() const { return {program.rows, program.columns}; }

  Fragment value(const Step &step) {
    auto a = [&] { return values[step.a]; };
    auto inType = [&](const Fragment &of) {
      return widened(of, step.type, step.isInteger);
    };
    auto operand = [&](int i) {
      if (i < 0)
        return values.front();
      return convert(program.steps[i].of == step.of ? values[i] : asTile(i),
                     step.type);
    };
    switch (step.kind) {
    case Step::inputX:
      return x;
    case Step::inputY:
      return y;
    case Step::inputZ:
      return z;
    case Step::inputRows:
      return load(declared.table.at({0, 0}).rows(declared.indices.at({0})),
                  shape());
    case Step::number:
      return full(step.type, shape(), step.constant);
    case Step::rowNumbers:
      return rows(shape());
    case Step::columnNumbers:
      return columns(shape());
    case Step::elements:
      return inType(elementOperations()[step.which].ofFragments(
          operand(step.a), operand(step.b), operand(step.c)));
    case Step::mixed:
      return step.which == 0 ? mixed(step, [](const auto &l,
                                              const auto &r) { return l + r; })
             : step.which == 1
                 ? mixed(step,
                         [](const auto &l, const auto &r) { return l - r; })
                 : mixed(step,
                         [](const auto &l, const auto &r) { return l * r; });
    case Step::reduce:
      return inType(reduced(convert(a(), step.type), step));
    case Step::half:
      return inType(reduced(half(convert(a(), step.type), step), step));
    case Step::place:
      return placed(convert(a(), step.type), step);
    case Step::whether:
      return whether(convert(a(), step.type) > step.constant, step);
    case Step::scan:
      return inType(scanned(convert(a(), step.type), step));
    case Step::convert:
      return convert(a(), step.type);
    case Step::keep:
      return inType(keep(step, narrowed(a(), step.type, step.isInteger)));
    case Step::lookUp:
      return gather(declared.table, {a(), values[step.b]});
    case Step::addAll: {
      const Scalar all = step.combine == Combine::sum   ? sum(a())
                         : step.combine == Combine::max ? max(a())
                                                        : min(a());
      return a() + clamp(all, -bound, bound);
    }
    case Step::whenAny: {
      Fragment result = values[step.b];
      when(any(a() > 40), [&] { result = a(); });
      return result;
    }
    case Step::loop: {
      Fragment result = a();
      Index trips =
          load_index(declared.table.at({step.constant, 3 * step.constant}));
      for (Index trip : range(min(trips, 3)))
        result = clamp(result + values[step.b] - trip, -bound, bound);
      return result;
    }
    case Step::whereInside:
      return select(inside(tile, shape()), a(), values[step.b]);
    case Step::scale: {
      Scalar factor = load_scalar(
          declared.table.at({step.constant, 5 * step.constant + step.which}));
      return a() * convert(factor, step.type);
    }
    case Step::count: {
      const SharedTile &bins = declared.tiles.at(values.size());
      store(bins, zeros(s32, {64}));
      scatter(bins, {a() & 63}, full(s32, shape(), 1), Reduction::add);
      return gather(bins, {a() & 63});
    }
    case Step::overCluster:
      return step.combine == Combine::sum   ? cluster_all_sum(a(), 1)
             : step.combine == Combine::max ? cluster_all_max(a(), 1)
                                            : cluster_all_min(a(), 1);
    case Step::product:
      return product(step);
    case Step::kinds:
      break;
    }
    return x;
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

  /// Of the rows, or of the columns.
  Fragment half(const Fragment &a, const Step &step) const {
    const int64_t rows = program.rows, columns = program.columns;
    if (step.alongRow)
      return slice(a, {0, step.exclusive ? columns / 2 : 0},
                   {rows, columns / 2});
    return slice(a, {step.exclusive ? rows / 2 : 0, 0}, {rows / 2, columns});
  }
  static Fragment reduced(const Fragment &a, const Step &step) {
    switch (step.combine) {
    case Combine::sum:
      return step.alongRow ? row_sum(a) : column_sum(a);
    case Combine::max:
      return step.alongRow ? row_max(a) : column_max(a);
    case Combine::min:
      return step.alongRow ? row_min(a) : column_min(a);
    }
    return a;
  }
  static Fragment placed(const Fragment &a, const Step &step) {
    if (step.exclusive)
      return step.alongRow ? row_argmin(a) : column_argmin(a);
    return step.alongRow ? row_argmax(a) : column_argmax(a);
  }
  Fragment whether(const Mask &mask, const Step &step) {
    const Mask is = step.alongRow
                        ? step.exclusive ? row_all(mask) : row_any(mask)
                    : step.exclusive ? column_all(mask)
                                     : column_any(mask);
    const Shape of = {step.alongRow ? program.rows : program.columns};
    return select(is, full(s32, of, 1), 0);
  }
  static Fragment scanned(const Fragment &a, const Step &step) {
    using Scan = Fragment (*)(const Fragment &, SourceLocation);
    constexpr Scan scans[2][2][3] = {
        {{column_inclusive_sum, column_inclusive_max, column_inclusive_min},
         {column_exclusive_sum, column_exclusive_max, column_exclusive_min}},
        {{row_inclusive_sum, row_inclusive_max, row_inclusive_min},
         {row_exclusive_sum, row_exclusive_max, row_exclusive_min}}};
    return scans[step.alongRow][step.exclusive][int(step.combine)](
        a, SourceLocation::current());
  }

  Fragment keep(const Step &step, const Fragment &a) {
    if (step.by == By::registers)
      return a;
    const SharedTile &tile = declared.tiles.at(values.size());
    const Fragment row = (rows(shape()) + step.constant) % program.rows,
                   column = columns(shape()) ^ 1;
    switch (step.by) {
    case By::scattered:
      scatter(tile, {row, column}, a);
      return load(tile);
    case By::gathered:
      store(tile, a);
      return gather(tile, {row, column});
    case By::turnedTile:
      store(program.rows == program.columns ? tile : tile.T(), a);
      return load(tile.T());
    case By::registers:
    case By::tile:
      break;
    }
    store(tile, a);
    return load(tile);
  }

  Fragment product(const Step &step) {
    const size_t number = values.size();
    const Tensor &tensor = declared.tensors.at(number);
    const SharedTile &weights = declared.weights.at(number),
                     &tile = declared.tiles.at(number);
    store(weights, load(tensor.at({0, 0}), weights.shape()));
    Fragment a = values[step.a];
    if (size_bytes(step.type) == 1 || step.halfSum)
      a = clamp(a, -8, 8);
    a = convert(a, step.type);
    const ElementType of = step.isInteger ? s32 : step.halfSum ? f16 : f32;
    const Fragment sum =
        step.b < 0 ? zeros(of, shape()) : convert(values[step.b], of);
    const SharedTile b = step.turned ? weights : weights.T();
    if (step.by == By::tile)
      store(tile, a);
    auto multiply = [&] {
      if (!step.sparse)
        return step.by == By::tile ? mma(tile, b, sum) : mma(a, b, sum);
      const Tensor &places = declared.metadata.at(number);
      const Fragment e =
          load(places.at({0, 0}),
               {program.rows, program.columns / 2 / chunkOf(step.type)});
      return step.by == By::tile ? mma(sparse(tile, e), b, sum)
                                 : mma(sparse(a, e), b, sum);
    };
    const Fragment result = multiply();
    return step.isInteger ? result >> 4 : floor(convert(result, f32) * 0.0625);
  }

  const Program &program;
  const Declared &declared;
  const TileRef tile; ///< where the result goes
  const Fragment &x, &y, &z;
  std::vector<Fragment> values;
};

/// An input or output, its tiles where they pass through shared memory, and the
/// way they go.
class Passage {
public:
  Passage(Tensor tensor, const Way &way, Shape shape)
      : tensor(tensor), way(way), shape(std::move(shape)) {}

  /// How a tile lies in memory.
  Shape lying() const { return way.turned ? Shape{shape[1], shape[0]} : shape; }
  Passage &&through(ElementType type) && {
    if (way.byTile)
      tile.emplace(shared(type, lying()));
    return std::move(*this);
  }
  Passage &&throughRing(ElementType type) && {
    if (way.byTile)
      ring.emplace(pipeline(2, smem(type, lying())));
    return std::move(*this);
  }
  bool hasRing() const { return ring.has_value(); }

  /// As it is seen.
  TileRef at(const Index &m, const Index &n) const {
    return way.turned ? asItLies(m, n).T() : asItLies(m, n);
  }
  void fill(const Index &m, const Index &n) const {
    Stage s = ring->acquire();
    copy(asItLies(m, n), s[0]);
    ring->commit(s);
  }
  Fragment read(const Index &m, const Index &n) const {
    if (!ring)
      return load(at(m, n), shape);
    Stage s = ring->wait();
    const Fragment result = load(way.turned ? s[0].T() : s[0]);
    ring->release(s);
    return result;
  }
  void write(const Index &m, const Index &n, const Fragment &value) const {
    if (way.byElements)
      return scatter(
          tensor, {rows(shape) + m * shape[0], columns(shape) + n * shape[1]},
          value);
    if (!tile)
      return store(at(m, n), value);
    store(way.turned ? tile->T() : *tile, value);
    copy(*tile, asItLies(m, n));
  }

private:
  TileRef asItLies(const Index &m, const Index &n) const {
    const Index row = m * shape[0], column = n * shape[1];
    return way.turned ? tensor.at({column, row}) : tensor.at({row, column});
  }

  Tensor tensor;
  Way way;
  Shape shape;
  std::optional<Pipeline> ring;
  std::optional<SharedTile> tile;
};

Kernel trace(const Program &program) {
  return kernel("random_program", [&] {
    const Shape shape{program.rows, program.columns};
    Size M = size("M"), N = size("N");
    auto passage = [&](auto declare, const Way &way) {
      return Passage(way.turned ? declare(N, M) : declare(M, N), way, shape);
    };
    auto source = [&](const char *name, ElementType type, const Way &way) {
      auto declare = [&](const Index &first, const Index &second) {
        return input(name, type, {first, second}, align(way.alignment));
      };
      return passage(declare, way).throughRing(type);
    };
    auto target = [&](const char *name, ElementType type, const Way &way) {
      auto declare = [&](const Index &first, const Index &second) {
        return output(name, type, {first, second}, align(way.alignment));
      };
      return passage(declare, way).through(type);
    };
    const Passage X = source("X", f32, program.x), Y = source("Y", s32, {}),
                  Z = source("Z", program.stored, program.z),
                  D = target("D", f32, program.d),
                  E = target("E", program.result, program.e);
    const Declared declared(program);
    if (program.parts > 1)
      cluster({1, program.parts});
    TileLoop tiles = persistent({M, N}, {shape[0], shape[1]});
    if (X.hasRing() || Z.hasRing())
      role("load", warps(4), [&] {
        for (auto [m, n] : tiles)
          for (const Passage *passage : {&X, &Z})
            if (passage->hasRing())
              passage->fill(m, n);
      });
    role("all", warps(program.warps), [&] {
      for (auto [m, n] : tiles) {
        const Step &inputZ = program.steps[2];
        Fragment x = X.read(m, n), y = Y.read(m, n),
                 z = widened(Z.read(m, n), program.stored, inputZ.isInteger);
        if (program.stored == e8m0) // is 2⁻¹²⁷ outside
          z = floor(z);
        Traced traced(program, declared, D.at(m, n), x, y, z);
        const std::vector<Fragment> &values = traced.run();
        const int last = int(values.size()) - 1;
        Fragment sum = zeros(f32, shape);
        for (int i = last - 3; i <= last; ++i)
          sum = sum + 3 * convert(traced.asTile(i), f32) + sum * 2;
        D.write(m, n, sum);
        E.write(m, n,
                narrowed(traced.asTile(last), program.result,
                         program.steps.back().isInteger));
      }
    });
  });
}

/// What the tensors of a program hold.
std::vector<Input> inputsOf(const Program &program) {
  auto plane = [](const char *name, const Way &way, auto element) {
    return Input{name, [=](const Problem &, Coordinate at) {
                   return way.turned ? element(at[1], at[0])
                                     : element(at[0], at[1]);
                 }};
  };
  std::vector<Input> inputs = {
      plane("X", program.x, elementOfX),
      plane("Y", {}, elementOfY),
      plane("Z", program.z,
            [type = program.stored](int64_t m, int64_t n) {
              return elementOfZ(type, m, n);
            }),
      {"Table", [](const Problem &,
                   Coordinate at) { return elementOfTable(at[0], at[1]); }},
      {"Indices", [](const Problem &, Coordinate at) {
         return double(rowByIndex(at[0]));
       }}};
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Step step = program.steps[i];
    if (step.kind != Step::product)
      continue;
    inputs.push_back(
        {"B" + std::to_string(i), [=](const Problem &, Coordinate at) {
           return step.turned ? weight(at[1], at[0]) : weight(at[0], at[1]);
         }});
    inputs.push_back(
        {"M" + std::to_string(i), [=](const Problem &, Coordinate at) {
           int word = 0;
           for (int j = 0; j < 4; ++j)
             word |= metadata(step.type, at[0], 4 * at[1] + j) << 4 * j;
           return double(int16_t(word));
         }});
  }
  return inputs;
}

void isAsInterpreted(uint64_t seed) {
  const Program program = drawProgram(seed);
  SCOPED_TRACE("program " + std::to_string(seed) + ", " + describe(program));
  CompileOptions options;
  options.assemble = !isSimulated();
  Module module(device(), compile(trace(program), options).artifact);
  const int64_t width = program.parts * program.columns,
                M = program.rows + program.rows / 2 + 1,
                N = width + program.columns / 3 / 2 * 2;
  const Problem problem = randomProblem(module.artifact(), {{"M", M}, {"N", N}},
                                        {}, {}, inputsOf(program));
  for (const HostTensor &result : launchForAll(module, problem)) {
    const Way &way = result.name() == "D" ? program.d : program.e;
    for (int64_t m = 0; m < M; m += program.rows)
      for (int64_t n = 0; n < N; n += width) {
        const Interpreted expected = interpret(program, m, n, M, N);
        const std::vector<double> &values =
            result.name() == "D" ? expected.d : expected.e;
        for (int64_t r = m; r < std::min(M, m + program.rows); ++r)
          for (int64_t c = n; c < std::min(N, n + width); ++c)
            ASSERT_EQ(way.turned ? result(c, r) : result(r, c),
                      values[(r - m) * width + (c - n)])
                << result.name() << " at " << r << ", " << c;
      }
  }
}

void registerPrograms(const char *suite, uint64_t first, uint64_t end,
                      uint64_t together) {
  for (; first < end; first += together)
    registerTest(suite,
                 "seeds " + std::to_string(first) + " to " +
                     std::to_string(first + together - 1),
                 [=] {
                   for (uint64_t i = 0; i < together; ++i)
                     isAsInterpreted(first + i);
                 });
}

const bool registered = registerAtStart([] {
  registerPrograms("RandomPrograms", 0, 300, 10);
  if (const char *seeds = std::getenv("ASHLAR_RANDOM_PROGRAMS")) {
    char *rest = nullptr;
    const uint64_t first = std::strtoull(seeds, &rest, 10);
    registerPrograms(
        "MoreRandomPrograms", first,
        *rest == ':' ? std::strtoull(rest + 1, nullptr, 10) : first + 1, 1);
  }
});

} // namespace
} // namespace ashlar::test
