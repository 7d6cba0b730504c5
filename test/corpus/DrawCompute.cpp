// Programs of one role that loads and one that multiplies: what stands between
// products, where stages are released, what loops and conditions surround.

#include "test/corpus/Build.h"
#include "test/corpus/Dice.h"
#include "test/corpus/Draw.h"

#include <algorithm>

namespace ashlar::corpus {
namespace {

/// What a statement may use.
struct Scope {
  std::vector<int> stages; ///< waited for and not yet released
  std::vector<int> fragments;
  std::vector<int> counters;
  int depth = 0;
  bool mayTake = true;
};

class ComputeDraw {
public:
  explicit ComputeDraw(uint64_t seed) : dice(seed) {}

  Program run() {
    drawKernel();
    Scope scope;
    std::vector<Statement> body;
    const int64_t accumulators =
        dice.between(1, static_cast<int64_t>(mostFragments) - 1);
    for (int64_t i = 0; i < accumulators; ++i) {
      body.push_back(
          setOf(label(), nextFragment,
                everywhere(dice.percent(80) ? 0 : dice.between(1, 3)),
                /*declares=*/true));
      scope.fragments.push_back(nextFragment++);
    }
    std::vector<Statement> work =
        dice.percent(15) ? issuedEarly(scope) : segments(scope);
    std::ranges::move(work, std::back_inserter(body));
    for (int64_t i = 0; i < accumulators; ++i)
      body.push_back(storeOf(dice.percent(60) ? Statement::Kind::store
                                              : Statement::Kind::storeByTma,
                             label(), addOutput("D" + std::to_string(i)),
                             fragment(static_cast<int>(i))));
    p.hasStaging = std::ranges::any_of(body, [](const Statement &s) {
      return s.kind == Statement::Kind::storeByTma;
    });
    addRoles(std::move(body));
    return std::move(p);
  }

private:
  int label() { return nextLabel++; }

  void drawKernel() {
    p.family = Family::compute;
    const bool isFp8 = dice.percent(20);
    const ElementType type = isFp8 ? ElementType::e4m3 : ElementType::bf16;
    instances = dice.percent(15) ? 2 : 1;
    warpgroups = instances == 1 && dice.percent(30) ? 2 : 1;
    const bool isTall = warpgroups == 1 && instances == 1 && dice.percent(15);
    p.rows = 64 * warpgroups * (isTall ? 2 : 1);
    p.columns = isTall ? 32 : dice.of<int64_t>({64, 64, 64, 32, 8});
    hasBudgets = dice.percent(25);
    // Two warpgroups have 168 registers a thread, a fragment 32 of them, and
    // there are products in flight.
    mostFragments =
        hasBudgets || p.columns < 64 || (instances == 1 && warpgroups == 1) ? 4
                                                                            : 3;
    p.isPersistent = instances > 1 || dice.percent(70);
    p.residentClusters = dice.between(1, 2);
    const int64_t tiles = dice.between(1, 3);
    p.sizes = {{"M", p.rows * tiles - (dice.percent(30) ? 24 : 0)},
               {"N", p.columns},
               {"K", dice.of<int64_t>({40, 64, 100, 192, 256, 300})},
               {"C", dice.of<int64_t>({1, 64, 65, 100})},
               {"Z", dice.between(0, 3)}};
    mayPassThroughShared = !isFp8 && p.columns == 64 && dice.percent(20);
    addTensors(type);
    addRings(type);
    p.shape = std::string("products in ") + std::string(name(type)) + ", " +
              std::to_string(warpgroups) + " warpgroups" +
              (instances > 1 ? ", in ping-pong" : "");
  }

  void addTensors(ElementType type) {
    auto add = [&](const char *name, ElementType type,
                   std::vector<Number> extents) {
      p.tensors.push_back({name, type, std::move(extents)});
    };
    add("A", type, {sizeOf(sizeM), sizeOf(sizeK)});
    add("B", type, {sizeOf(sizeN), sizeOf(sizeK)});
    add("E", type, {sizeOf(sizeN), sizeOf(sizeK)});
    add("V", ElementType::f32, {sizeOf(sizeK)});
  }

  int addOutput(const std::string &name) {
    p.tensors.push_back({hasTensor(name) ? name + "s" : name,
                         ElementType::f32,
                         {sizeOf(sizeM), sizeOf(sizeN)},
                         16,
                         true});
    return static_cast<int>(p.tensors.size()) - 1;
  }

  bool hasTensor(const std::string &name) const {
    return std::ranges::count(p.tensors, name, &TensorOf::name) > 0;
  }

  void addRings(ElementType type) {
    const Ring::Tile a{type, p.rows, 64}, b{type, p.columns, 64};
    auto stages = [&] { return dice.of<int64_t>({1, 2, 2, 3, 3, 4, 5, 6}); };
    const int form = dice.weighted({50, 25, 25});
    if (form == 0) {
      p.rings = {{stages(), {a, b}}};
      sources = {{0, 1}};
    } else if (form == 1) {
      p.rings = {{stages(), {a, b, b}}};
      sources = {{0, 1, 2}};
    } else {
      p.rings = {{stages(), {a}}, {stages(), {b}}};
      sources = {{0}, {1}};
    }
  }

  void addRoles(std::vector<Statement> body) {
    std::vector<std::vector<int>> loads;
    if (p.rings.size() == 2 && dice.percent(50))
      loads = {{0}, {1}};
    else
      loads = {p.rings.size() == 2 ? std::vector{0, 1} : std::vector{0}};
    for (size_t i = 0; i < loads.size(); ++i)
      p.roles.push_back({i ? "load B" : "load", 1, 1, hasBudgets ? 40 : 0,
                         fillingOf(body, loads[i], sources)});
    p.roles.push_back({"math", 4 * warpgroups, instances, hasBudgets ? 208 : 0,
                       std::move(body)});
  }

  /// Loops and straight lines, one after another.
  std::vector<Statement> segments(Scope &scope) {
    std::vector<Statement> body;
    // A stage that is held over what follows.
    const size_t held = dice.percent(15) ? 1 : 0;
    std::vector<int> own;
    for (size_t i = 0; i < held; ++i)
      takeInto(body, scope, own);
    const int64_t count = dice.weighted({60, 30, 10}) + 1;
    for (int64_t i = 0; i < count; ++i) {
      const int kind = dice.weighted({60, 18, 10, 8, 4});
      if (kind == 0) {
        body.push_back(loop(scope));
      } else if (kind == 3 && instances == 1) {
        body.push_back(conditionalSegment(scope));
      } else if (kind == 4) {
        body.push_back(storeOf(Statement::Kind::store, label(), addOutput("X"),
                               fragment(dice.of(scope.fragments))));
      } else if (kind == 1) {
        for (Statement &s : block(scope))
          body.push_back(std::move(s));
      } else {
        arithmetic(body, scope);
      }
    }
    insertReleases(body, own, dice);
    return body;
  }

  /// A loop, or what stands in one, that runs on some problems only.
  Statement conditionalSegment(const Scope &scope) {
    Statement s = statement(Statement::Kind::when, label(), -1);
    s.condition = dice.percent(50)
                      ? Condition{Condition::Kind::notEqual, coordinateOf(0), 1}
                      : Condition{Condition::Kind::less, sizeOf(sizeZ), 2};
    auto branch = [&] {
      return dice.percent(60) ? std::vector{loop(scope)} : block(scope);
    };
    s.body = branch();
    if (dice.percent(30))
      s.otherwise = branch();
    return s;
  }

  /// A product is issued an iteration before its sum is used.
  std::vector<Statement> issuedEarly(Scope &scope) {
    std::vector<Statement> body;
    const int current = nextFragment++, following = nextFragment++;
    auto productOf = [&](std::vector<Statement> &into, Scope &at, int variable,
                         bool declares) {
      std::vector<int> own;
      std::vector<Statement> statements;
      takeInto(statements, at, own);
      statements.push_back(setOf(label(), variable,
                                 product(drawA(at), drawB(at), everywhere(0)),
                                 declares));
      insertReleases(statements, own, dice);
      for (int stage : own)
        std::erase(at.stages, stage);
      std::ranges::move(statements, std::back_inserter(into));
    };
    productOf(body, scope, current, true);
    Statement repeat = openLoop(scope);
    Scope inside = scope;
    inside.counters.push_back(repeat.variable);
    ++inside.depth;
    productOf(repeat.body, inside, following, true);
    const int sum = dice.of(scope.fragments);
    if (dice.percent(40))
      arithmetic(repeat.body, inside);
    std::vector<int> own;
    if (dice.percent(50)) {
      std::vector<Statement> more;
      takeInto(more, inside, own);
      more.push_back(setOf(
          label(), sum, product(drawA(inside), drawB(inside), fragment(sum))));
      insertReleases(more, own, dice);
      std::ranges::move(more, std::back_inserter(repeat.body));
    }
    repeat.body.push_back(setOf(
        label(), sum,
        binary(Value::Kind::add, fragment(sum),
               dice.percent(50)
                   ? fragment(current)
                   : withNumber(Value::Kind::scale, fragment(current), 2))));
    repeat.body.push_back(setOf(label(), current, fragment(following)));
    body.push_back(std::move(repeat));
    body.push_back(
        setOf(label(), sum,
              binary(Value::Kind::add, fragment(sum), fragment(current))));
    return body;
  }

  /// A loop without a body.
  Statement openLoop(const Scope &scope) {
    const Number k = sizeOf(sizeK), m = coordinateOf(0),
                 blocks = ceilDivide(k, 64);
    Number low = 0, high, step = 1;
    switch (
        dice.weighted({30, 8, scope.depth ? 0 : 5, 6, 6, 8, 8, 6, 8, 10, 8})) {
    case 0:
      high = blocks;
      break;
    case 1:
      high = m + 1;
      break;
    case 2:
      high = Number(9) * ceilDivide(sizeOf(sizeC), 64);
      break;
    case 3:
      high = Number(2) * blocks;
      break;
    case 4:
      high = blocks / 2;
      break;
    case 5:
      high = blocks - 1;
      break;
    case 6:
      high = k / 64 + 1;
      break;
    case 7:
      low = Number(2) * m;
      high = Number(2) * m + 4;
      break;
    case 8:
      low = dice.between(0, 1);
      high = k / 64 + 2;
      step = dice.between(2, 3);
      break;
    case 9:
      high = dice.of<int64_t>({0, 1, 2, 2, 5});
      break;
    default:
      high = sizeOf(sizeZ);
    }
    return loopOf(label(), nextCounter++, low, high, step, {});
  }

  Statement loop(const Scope &scope) {
    Statement result = openLoop(scope);
    Scope inside = scope;
    inside.counters.push_back(result.variable);
    ++inside.depth;
    result.body = block(inside);
    return result;
  }

  /// Some stages, some products of them, and what stands between.
  std::vector<Statement> block(Scope scope) {
    std::vector<Statement> body;
    std::vector<int> own;
    int64_t takes = scope.mayTake ? dice.weighted({0, 70, 20, 10}) : 0;
    int64_t products = dice.weighted({0, 55, 30, 15});
    int64_t others = dice.weighted({40, 30, 20, 10});
    const bool nests = scope.depth < 2 && dice.percent(20);
    if (nests && dice.percent(50))
      takes = 0;
    if (takes == 0 && !hasOperands(scope))
      products = 0;
    while (takes + products + others > 0) {
      const int kind = dice.weighted(
          {static_cast<int>(4 * takes),
           hasOperands(scope) ? static_cast<int>(3 * products) : 0,
           static_cast<int>(others) + (takes || hasOperands(scope) ? 0 : 1)});
      if (kind == 0) {
        takeInto(body, scope, own);
        --takes;
      } else if (kind == 1) {
        multiply(body, scope);
        --products;
      } else {
        if (others == 0)
          break;
        other(body, scope);
        --others;
      }
    }
    if (nests)
      body.push_back(loop(scope));
    insertReleases(body, own, dice);
    return body;
  }

  bool hasOperands(const Scope &scope) {
    return !tilesOf(scope, 0).empty() && !tilesOf(scope, 1).empty();
  }

  /// Waits for one stage of each ring that a product needs.
  void takeInto(std::vector<Statement> &body, Scope &scope,
                std::vector<int> &own) {
    const Number at = depth(scope);
    std::vector<int> order(p.rings.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<int>(i);
    if (dice.percent(50))
      std::ranges::reverse(order);
    for (int ring : order) {
      Statement s = onStage(Statement::Kind::wait, label(), nextStage, ring);
      s.coordinates = {at};
      body.push_back(std::move(s));
      ringOfStage.resize(nextStage + 1);
      ringOfStage[nextStage] = ring;
      scope.stages.push_back(nextStage);
      own.push_back(nextStage++);
    }
  }

  /// A sum, rounded, is A of the next product.
  void throughShared(std::vector<Statement> &body, Scope &scope) {
    const int sum = dice.of(scope.fragments), into = dice.of(scope.fragments);
    Statement s = statement(Statement::Kind::writeOwn, label(), -1);
    s.value = fragment(sum);
    body.push_back(std::move(s));
    p.hasOwnTile = true;
    body.push_back(
        setOf(label(), into,
              product({StageTile::ownTile, 0}, drawB(scope),
                      dice.percent(70) ? fragment(into) : everywhere(0))));
  }

  /// Where along K a stage is filled from.
  Number depth(const Scope &scope) {
    if (scope.counters.empty())
      return dice.between(0, 3);
    Number at = counterOf(scope.counters.back());
    if (scope.counters.size() > 1 && dice.percent(50))
      at = at + counterOf(scope.counters.front());
    return dice.percent(50) ? at % 3 : at;
  }

  /// The tiles of the stages in scope that hold A (0) or a B (1).
  std::vector<StageTile> tilesOf(const Scope &scope, int operand) {
    std::vector<StageTile> tiles;
    for (int stage : scope.stages) {
      const std::vector<int> &held = sources[ringOfStage[stage]];
      for (size_t i = 0; i < held.size(); ++i)
        if ((held[i] == 0) == (operand == 0))
          tiles.push_back({stage, static_cast<int>(i)});
    }
    return tiles;
  }
  /// The newest stage more often than one before.
  StageTile drawOf(const Scope &scope, int operand) {
    const std::vector<StageTile> tiles = tilesOf(scope, operand);
    return dice.percent(60) ? tiles.back() : dice.of(tiles);
  }
  StageTile drawA(const Scope &scope) { return drawOf(scope, 0); }
  StageTile drawB(const Scope &scope) { return drawOf(scope, 1); }

  void multiply(std::vector<Statement> &body, Scope &scope) {
    if (mayPassThroughShared && dice.percent(25))
      return throughShared(body, scope);
    const int sum = dice.of(scope.fragments), from = dice.of(scope.fragments);
    auto with = [&](Value accumulator) {
      return product(drawA(scope), drawB(scope), std::move(accumulator));
    };
    const bool mayDeclare = scope.fragments.size() < mostFragments;
    using enum Value::Kind;
    Value value;
    switch (dice.weighted({40, 10, 10, 6, mayDeclare ? 14 : 0, 5, 6, 4, 5})) {
    case 0:
      value = with(fragment(sum));
      break;
    case 1:
      value = binary(add, fragment(sum), with(everywhere(0)));
      break;
    case 2:
      value = binary(
          add, fragment(sum),
          withNumber(scale, with(everywhere(0)), dice.of<int64_t>({-1, 2})));
      break;
    case 3:
      value = with(withNumber(scale, fragment(sum), dice.of<int64_t>({-1, 2})));
      break;
    case 4:
      body.push_back(setOf(label(), nextFragment, with(everywhere(0)), true));
      scope.fragments.push_back(nextFragment++);
      return;
    case 5:
      value = with(fragment(from));
      break;
    case 6:
      value = with(with(fragment(sum)));
      break;
    case 7:
      value = binary(subtract, fragment(from), with(everywhere(0)));
      break;
    default:
      value = with(binary(add, fragment(sum), drawVector(scope)));
    }
    body.push_back(setOf(label(), sum, std::move(value)));
  }

  Value drawVector(const Scope &scope) {
    const Number at =
        scope.counters.empty() ? Number(0) : counterOf(scope.counters.back());
    return vectorOf(dice.percent(70) ? Value::Kind::row : Value::Kind::column,
                    3, at);
  }

  void other(std::vector<Statement> &body, Scope &scope) {
    if (scope.depth > 0 && dice.percent(40))
      body.push_back(conditional(scope));
    else
      arithmetic(body, scope);
  }

  void arithmetic(std::vector<Statement> &body, Scope &scope) {
    const int sum = dice.of(scope.fragments), from = dice.of(scope.fragments);
    using enum Value::Kind;
    Value value;
    switch (dice.weighted({20, 20, 15, 8, 12, 10, 8, 7})) {
    case 0:
      value = withNumber(scale, fragment(sum), dice.of<int64_t>({-1, 2}));
      break;
    case 1:
      value = binary(add, fragment(sum), drawVector(scope));
      break;
    case 2:
      value = binary(add, fragment(sum), fragment(from));
      break;
    case 3:
      value = binary(subtract, fragment(sum), fragment(from));
      break;
    case 4: {
      const int kept = nextFragment++;
      body.push_back(setOf(label(), kept, fragment(sum), true));
      body.push_back(setOf(label(), sum, fragment(from)));
      body.push_back(setOf(label(), from, fragment(kept)));
      return;
    }
    case 5:
      value = everywhere(dice.percent(80) ? 0 : 1);
      break;
    case 6:
      value = fragment(from);
      break;
    default:
      value = withNumber(Value::Kind::floor, fragment(sum), 0);
    }
    body.push_back(setOf(label(), sum, std::move(value)));
  }

  Statement conditional(const Scope &scope) {
    Statement s = statement(Statement::Kind::when, label(), -1);
    const Number k = counterOf(dice.of(scope.counters));
    using enum Condition::Kind;
    switch (dice.weighted({30, 20, 15, 20, 8, 7})) {
    case 0:
      s.condition = {equal, k, dice.between(0, 3)};
      break;
    case 1:
      s.condition = {less, k, dice.between(1, 3)};
      break;
    case 2:
      s.condition = {atLeast, k, dice.between(1, 2)};
      break;
    case 3:
      s.condition = {equal, k % 2, dice.between(0, 1)};
      break;
    case 4:
      s.condition = {notEqual, coordinateOf(0), 1};
      break;
    default:
      s.condition = {equal, k, ceilDivide(sizeOf(sizeK), 64) - 1};
    }
    s.body = branch(scope);
    if (dice.percent(25))
      s.otherwise = branch(scope);
    return s;
  }

  std::vector<Statement> branch(Scope scope) {
    scope.depth += 2; // no loops
    std::vector<Statement> body;
    // The instances count each other's stages without executing conditions.
    scope.mayTake = scope.mayTake && instances == 1;
    const int kind = dice.weighted(
        {55, hasOperands(scope) ? 25 : 0, scope.mayTake ? 20 : 0});
    if (kind == 0) {
      arithmetic(body, scope);
      return body;
    }
    if (kind == 1)
      multiply(body, scope);
    else
      body = block(scope);
    return body;
  }

  Dice dice;
  Program p;
  int64_t instances = 1, warpgroups = 1;
  bool mayPassThroughShared = false, hasBudgets = false;
  size_t mostFragments = 4;
  std::vector<std::vector<int>> sources; ///< tensors, by ring and tile
  std::vector<int> ringOfStage;
  int nextLabel = 1, nextCounter = 0, nextStage = 0, nextFragment = 0;
};

} // namespace

Program drawCompute(uint64_t seed) { return ComputeDraw(seed).run(); }

} // namespace ashlar::corpus
