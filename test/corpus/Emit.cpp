#include "test/corpus/Emit.h"

#include "ashlar/ashlar.h"
#include "dsl/Trace.h"

#include <map>
#include <optional>

namespace ashlar::corpus {
namespace {

/// Traces the statements of one kernel. A loop of the language runs its body
/// once, so walking the tree is tracing it.
class Emitter {
public:
  explicit Emitter(const Program &program)
      : program(program), lines(list(program).lines) {}

  void run() {
    for (const Program::Size &size : program.sizes)
      sizes.push_back(ashlar::size(size.name));
    for (const TensorOf &tensor : program.tensors)
      tensors.push_back(declare(tensor));
    if (program.cluster > 1)
      cluster({program.cluster, 1});
    const int64_t rows = program.rows, columns = program.columns;
    auto tiles = program.isPersistent
                     ? persistent({sizes[0], sizes[1]}, {rows, columns})
                     : grid({sizes[0], sizes[1]}, {rows, columns});
    for (const Ring &ring : program.rings)
      rings.push_back(declare(ring));
    if (program.hasStaging)
      staging.emplace(shared(f32, {rows, columns}));
    if (program.hasOwnTile)
      own.emplace(shared(bf16, {rows, 64}));
    for (const Role &each : program.roles) {
      auto body = [&] {
        for (auto [m, n] : tiles) {
          coordinates.clear();
          coordinates.push_back(m);
          coordinates.push_back(n);
          trace(each.body);
        }
      };
      const Warps warps{each.warps, each.instances};
      if (each.registers)
        role(each.name, warps, registers(each.registers), body);
      else
        role(each.name, warps, body);
    }
  }

private:
  Tensor declare(const TensorOf &t) {
    Alignment alignment = align(t.alignment);
    if (t.extents.size() == 1)
      return input(t.name, t.type, {number(t.extents[0])}, alignment);
    Index rows = number(t.extents[0]), columns = number(t.extents[1]);
    return t.isOutput ? output(t.name, t.type, {rows, columns}, alignment)
                      : input(t.name, t.type, {rows, columns}, alignment);
  }

  Pipeline declare(const Ring &ring) {
    auto tile = [&](size_t i) {
      const Ring::Tile &each = ring.tiles[i];
      return smem(each.type, {each.rows, each.columns});
    };
    if (ring.tiles.size() == 1)
      return pipeline(ring.stages, tile(0));
    if (ring.tiles.size() == 2)
      return pipeline(ring.stages, tile(0), tile(1));
    return pipeline(ring.stages, tile(0), tile(1), tile(2));
  }

  void trace(const std::vector<Statement> &statements) {
    for (const Statement &statement : statements)
      trace(statement);
  }

  /// Operations stand in the lines of the listing.
  void trace(const Statement &s) {
    detail::Trace &trace = detail::Trace::current(SourceLocation::current());
    mlir::Block &block = trace.block();
    mlir::Operation *before = block.empty() ? nullptr : &block.back();
    traceWhereItStands(s);
    const auto place = mlir::FileLineColLoc::get(trace.context(), listingName,
                                                 lines.at(&s), 1);
    auto first = before ? std::next(before->getIterator()) : block.begin();
    for (mlir::Operation &op : llvm::make_range(first, block.end()))
      op.setLoc(place);
  }

  void traceWhereItStands(const Statement &s) {
    using enum Statement::Kind;
    switch (s.kind) {
    case loop:
      for (Index k : range(number(s.low), number(s.high), number(s.step))) {
        counters.erase(s.variable);
        counters.emplace(s.variable, k);
        trace(s.body);
      }
      return;
    case when:
      if (s.otherwise.empty())
        return ashlar::when(condition(s.condition), [&] { trace(s.body); });
      return ashlar::when(
          condition(s.condition), [&] { trace(s.body); },
          [&] { trace(s.otherwise); });
    case acquire:
      return take(s, rings[s.ring].acquire());
    case wait:
      return take(s, rings[s.ring].wait());
    case commit:
      return rings[s.ring].commit(stages.at(s.variable));
    case release:
      return rings[s.ring].release(stages.at(s.variable));
    case copy:
      if (s.multicast)
        return ashlar::copy(place(s), sharedTile(s.target), multicast);
      return ashlar::copy(place(s), sharedTile(s.target));
    case write:
      return ashlar::store(sharedTile(s.target),
                           in(typeOf(s.target), value(s.value)));
    case writeOwn:
      return ashlar::store(*own, convert(value(s.value), bf16));
    case set:
      if (s.declares) {
        fragments.erase(s.variable);
        fragments.emplace(s.variable, value(s.value));
      } else {
        fragments.at(s.variable) = value(s.value);
      }
      return;
    case store:
      return ashlar::store(ownTile(s.tensor), value(s.value));
    case storeByTma:
      ashlar::store(*staging, value(s.value));
      return ashlar::copy(*staging, ownTile(s.tensor));
    }
  }

  void take(const Statement &s, const Stage &stage) {
    stages.erase(s.variable);
    stages.emplace(s.variable, stage);
    ringOfStage[s.variable] = s.ring;
  }

  TileRef ownTile(int tensor) {
    return tensors[tensor].tile({coordinates[0], coordinates[1]});
  }

  TileRef place(const Statement &s) {
    return tensors[s.tensor].tile(
        {number(s.coordinates[0]), number(s.coordinates[1])});
  }

  SharedTile sharedTile(const StageTile &t) {
    return t.stage == StageTile::ownTile ? *own : stages.at(t.stage)[t.tile];
  }

  ElementType typeOf(const StageTile &t) {
    return program.rings[ringOfStage.at(t.stage)].tiles[t.tile].type;
  }

  static Fragment in(ElementType type, const Fragment &fragment) {
    return type == f32 ? fragment : convert(fragment, type);
  }

  Index number(const Number &n) {
    auto left = [&] { return number(n.operands[0]); };
    auto right = [&] { return number(n.operands[1]); };
    using enum Number::Kind;
    switch (n.kind) {
    case constant:
      return n.value;
    case size:
      return sizes[n.value];
    case counter:
      return counters.at(static_cast<int>(n.value));
    case coordinate:
      return coordinates[n.value];
    case add:
      return left() + right();
    case subtract:
      return left() - right();
    case multiply:
      return left() * right();
    case divide:
      return left() / right();
    case remainder:
      return left() % right();
    case ceilDivide:
      return ceil_div(left(), right());
    case minimum:
      return min(left(), right());
    }
    return 0;
  }

  ashlar::Condition condition(const Condition &c) {
    const Index left = number(c.left), right = number(c.right);
    using enum Condition::Kind;
    switch (c.kind) {
    case equal:
      return left == right;
    case notEqual:
      return left != right;
    case less:
      return left < right;
    case atLeast:
      break;
    }
    return left >= right;
  }

  Fragment value(const Value &v) {
    const Shape shape{program.rows, program.columns};
    auto operand = [&](size_t i) { return value(v.operands[i]); };
    using enum Value::Kind;
    switch (v.kind) {
    case variable:
      return fragments.at(v.variable);
    case full:
      return v.number == 0 ? zeros(f32, shape)
                           : ashlar::full(f32, shape, v.number);
    case product:
      return mma(sharedTile(v.a), sharedTile(v.b).T(), operand(0));
    case add:
      return met(v, [](const Fragment &a, auto &&b) { return a + b; });
    case subtract:
      return met(v, [](const Fragment &a, auto &&b) { return a - b; });
    case multiply:
      return met(v, [](const Fragment &a, auto &&b) { return a * b; });
    case scale:
      return operand(0) * v.number;
    case floor:
      return max(operand(0), v.number);
    case row:
      return load(tensors[v.tensor].tile({number(v.at)}), {program.columns});
    case column:
      return load(tensors[v.tensor].tile({number(v.at)}), {program.rows});
    case Value::Kind::tile:
      break;
    }
    Fragment loaded = load(sharedTile(v.a));
    return typeOf(v.a) == f32 ? loaded : convert(loaded, f32);
  }

  /// Two operands that meet; the second may be a column.
  template <typename Meet> Fragment met(const Value &v, Meet meet) {
    const Fragment a = value(v.operands[0]), b = value(v.operands[1]);
    if (v.operands[1].kind == Value::Kind::column)
      return meet(a, along_rows(b));
    return meet(a, b);
  }

  const Program &program;
  const std::map<const Statement *, int> lines;
  std::vector<Size> sizes;
  std::vector<Tensor> tensors;
  std::vector<Pipeline> rings;
  std::optional<SharedTile> staging, own;
  std::vector<Index> coordinates;
  std::map<int, Index> counters;
  std::map<int, Stage> stages;
  std::map<int, int> ringOfStage;
  std::map<int, Fragment> fragments;
};

} // namespace

Kernel emit(const Program &program) {
  return kernel("corpus", [&] { Emitter(program).run(); });
}

} // namespace ashlar::corpus
