#include "test/corpus/DrawBlock.h"

#include <algorithm>

namespace ashlar::corpus {

Statement BlockDraw::openLoop(const Scope &scope) {
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

Statement BlockDraw::loop(const Scope &scope) {
  Statement result = openLoop(scope);
  Scope inside = scope;
  inside.counters.push_back(result.variable);
  ++inside.depth;
  result.body = block(inside);
  return result;
}

std::vector<Statement> BlockDraw::block(Scope scope) {
  const int firstOwn = nextFragment;
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
  for (int product : scope.fragments)
    if (product >= firstOwn && dice.percent(80))
      addUp(body, scope, product);
  insertReleases(body, own, dice);
  return body;
}

void BlockDraw::addUp(std::vector<Statement> &body, const Scope &scope,
                      int product) {
  const int sum = scope.fragments.front();
  const bool isScaled = dice.percent(30);
  body.push_back(
      setOf(label(), sum,
            binary(Value::Kind::add, fragment(sum),
                   isScaled ? withNumber(Value::Kind::scale, fragment(product),
                                         dice.of<int64_t>({-1, 2}))
                            : fragment(product))));
}

bool BlockDraw::hasOperands(const Scope &scope) {
  return !tilesOf(scope, 0).empty() && !tilesOf(scope, 1).empty();
}

void BlockDraw::takeInto(std::vector<Statement> &body, Scope &scope,
                         std::vector<int> &own) {
  const Number at = depth(scope);
  std::vector<int> order(p.rings.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int>(i);
  if (dice.percent(50))
    std::ranges::reverse(order);
  for (int ring : order) {
    own.push_back(addWait(body, ring, label(), {at}));
    scope.stages.push_back(own.back());
  }
}

void BlockDraw::throughShared(std::vector<Statement> &body, Scope &scope) {
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

Number BlockDraw::depth(const Scope &scope) {
  if (scope.counters.empty())
    return dice.percent(70) ? 0 : dice.between(1, 3);
  Number at = counterOf(scope.counters.back());
  if (scope.counters.size() > 1 && dice.percent(50))
    at = at + counterOf(scope.counters.front());
  return withinDepth(std::move(at));
}

std::vector<StageTile> BlockDraw::tilesOf(const Scope &scope, int operand) {
  std::vector<StageTile> tiles;
  for (int stage : scope.stages) {
    const std::vector<int> &held = sources[ringOfStage[stage]];
    for (size_t i = 0; i < held.size(); ++i)
      if ((held[i] == 0) == (operand == 0))
        tiles.push_back({stage, static_cast<int>(i)});
  }
  return tiles;
}

StageTile BlockDraw::drawOf(const Scope &scope, int operand) {
  const std::vector<StageTile> tiles = tilesOf(scope, operand);
  return dice.percent(60) ? tiles.back() : dice.of(tiles);
}

StageTile BlockDraw::drawA(const Scope &scope) { return drawOf(scope, 0); }

StageTile BlockDraw::drawB(const Scope &scope) { return drawOf(scope, 1); }

void BlockDraw::multiply(std::vector<Statement> &body, Scope &scope) {
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

Value BlockDraw::drawVector(const Scope &scope) {
  const Number at =
      scope.counters.empty() ? Number(0) : counterOf(scope.counters.back());
  return vectorOf(dice.percent(70) ? Value::Kind::row : Value::Kind::column, 3,
                  at);
}

void BlockDraw::other(std::vector<Statement> &body, Scope &scope) {
  if (scope.depth > 0 && dice.percent(40))
    body.push_back(conditional(scope));
  else
    arithmetic(body, scope);
}

void BlockDraw::arithmetic(std::vector<Statement> &body, Scope &scope) {
  const int sum = dice.of(scope.fragments), from = dice.of(scope.fragments);
  // What is dropped at once was computed for nothing; in a condition it is the
  // way to begin anew.
  const int mayDrop = scope.depth > 1 ? 10 : 3;
  using enum Value::Kind;
  Value value;
  switch (dice.weighted({20, 20, 18, 8, 12, mayDrop, mayDrop, 7})) {
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

Statement BlockDraw::conditional(const Scope &scope) {
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

std::vector<Statement> BlockDraw::branch(Scope scope) {
  scope.depth += 2; // no loops
  std::vector<Statement> body;
  // The instances count each other's stages without executing conditions.
  scope.mayTake = scope.mayTake && instances == 1;
  const int kind =
      dice.weighted({55, hasOperands(scope) ? 25 : 0, scope.mayTake ? 20 : 0});
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

} // namespace ashlar::corpus
