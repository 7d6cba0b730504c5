// Programs of one role that loads and one that multiplies: what stands between
// products, where stages are released, what loops and conditions surround.

#include "test/corpus/Draw.h"
#include "test/corpus/DrawBlock.h"

#include <algorithm>

namespace ashlar::corpus {
namespace {

class ComputeDraw : BlockDraw {
public:
  explicit ComputeDraw(uint64_t seed) : BlockDraw(seed) {}

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
        body.push_back(
            storeOf(Statement::Kind::store, label(),
                    addOutput("X" + std::to_string(p.tensors.size())),
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

  bool hasBudgets = false;
};

} // namespace

Program drawCompute(uint64_t seed) { return ComputeDraw(seed).run(); }

} // namespace ashlar::corpus
