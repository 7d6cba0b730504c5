#include "test/corpus/DrawRole.h"

#include <algorithm>

namespace ashlar::corpus {

std::vector<int> RoleDraw::tensorsOf(int ring) const {
  switch (uses[ring]) {
  case Use::both:
    return {tensorA, tensorB};
  case Use::a:
    return {tensorA};
  case Use::b:
    return {tensorB};
  case Use::addend:
    break;
  }
  return {tensorL};
}

std::vector<Statement> RoleDraw::repeated(int64_t window, const Body &body) {
  const int64_t inner = perTrip / window;
  const int outerCounter = nextCounter++;
  if (inner == 1 || dice.percent(50)) {
    const Number count = inner == 1 ? trips : trips * inner;
    std::vector<Statement> inside = body(counterOf(outerCounter) * window);
    return {loopOf(loopLabel, outerCounter, 0, count, 1, std::move(inside))};
  }
  const int innerCounter = nextCounter++;
  std::vector<Statement> inside = body(counterOf(outerCounter) * perTrip +
                                       counterOf(innerCounter) * window);
  Statement nested =
      loopOf(label(), innerCounter, 0, inner, 1, std::move(inside));
  return {loopOf(loopLabel, outerCounter, 0, trips, 1, {std::move(nested)})};
}

void RoleDraw::append(std::vector<Statement> &body,
                      std::vector<Statement> more) {
  std::ranges::move(more, std::back_inserter(body));
}

void RoleDraw::addLoader(const Part &part, int64_t warps, int onlyTile) {
  std::vector<Statement> body;
  if (kept >= 0 && p.roles.empty())
    body = fillOf(fillLabel(kept), kept, 0, -1);
  append(body, repeated(part.window, [&](const Number &at) {
           // What is done for each stage; stages of a ring come in their
           // order.
           std::vector<std::vector<Statement>> tasks;
           std::vector<int> rings = part.fills;
           if (dice.percent(50))
             std::ranges::reverse(rings);
           for (int ring : rings)
             for (int64_t i = 0; i < part.window; ++i)
               tasks.push_back(fillOf(fillLabel(ring), ring, at + i, onlyTile));
           return interleaved(std::move(tasks));
         }));
  p.roles.push_back(
      {"load" + std::to_string(p.roles.size()), warps, 1, 0, std::move(body)});
}

std::vector<Statement> RoleDraw::fillOf(int label, int ring, Number at,
                                        int onlyTile) {
  const int stage = nextStage++;
  std::vector<Statement> result{
      onStage(Statement::Kind::acquire, label, stage, ring)};
  const std::vector<int> tensors = tensorsOf(ring);
  const Number depth = withinDepth(std::move(at));
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (onlyTile >= 0 && static_cast<int>(i) != onlyTile)
      continue;
    const bool isB = tensors[i] == tensorB;
    Statement copy =
        copyOf(label, ring, tensors[i], {stage, static_cast<int>(i)},
               {coordinateOf(isB ? 1 : 0), depth});
    copy.multicast = p.cluster > 1 && isB;
    result.push_back(std::move(copy));
  }
  result.push_back(onStage(Statement::Kind::commit, label, stage, ring));
  return result;
}

std::vector<Statement>
RoleDraw::interleaved(std::vector<std::vector<Statement>> tasks) {
  std::vector<Statement> result;
  const int style = dice.weighted({40, 30, 30});
  // The step of a later stage of a ring does not pass an earlier acquire.
  std::vector<size_t> next(tasks.size(), 0);
  auto advance = [&](size_t task) {
    result.push_back(tasks[task][next[task]++]);
  };
  auto isOpen = [&](size_t task) { return next[task] < tasks[task].size(); };
  if (style == 0)
    for (size_t task = 0; task < tasks.size(); ++task)
      while (isOpen(task))
        advance(task);
  if (style == 1)
    for (size_t task = 0; task < tasks.size(); ++task)
      advance(task);
  while (true) {
    std::vector<size_t> able;
    for (size_t task = 0; task < tasks.size(); ++task)
      if (isOpen(task) && (next[task] > 0 || task == 0 || next[task - 1] > 0))
        able.push_back(task);
    if (able.empty())
      return result;
    advance(dice.of(able));
  }
}

void RoleDraw::addUser(const Part &part) {
  std::vector<Statement> body = declareSums();
  if (kept >= 0)
    keptStage = waitFor(body, kept);
  append(body, repeated(part.window, [&](const Number &) {
           return draining(part.drains, part.window);
         }));
  if (kept >= 0)
    insertReleases(body, {keptStage}, dice);
  storeSums(body);
  p.roles.push_back({"math" + std::to_string(p.roles.size()), 4 * warpgroups,
                     instances, 0, std::move(body)});
}

std::vector<Statement> RoleDraw::draining(const std::vector<int> &rings,
                                          int64_t window) {
  std::vector<Statement> body;
  std::vector<int> own;
  const bool allFirst = dice.percent(50);
  std::vector<std::vector<int>> rounds(window);
  for (int64_t i = 0; i < window; ++i) {
    for (int ring : rings)
      rounds[i].push_back(waitFor(body, ring));
    own.insert(own.end(), rounds[i].begin(), rounds[i].end());
    if (!allFirst)
      use(body, rounds[i]);
  }
  if (allFirst)
    for (int64_t i = 0; i < window; ++i)
      use(body, rounds[dice.percent(70) ? i : dice.between(0, window - 1)]);
  if (dice.percent(25))
    arithmetic(body);
  insertReleases(body, own, dice);
  return body;
}

int RoleDraw::waitFor(std::vector<Statement> &body, int ring) {
  return addWait(body, ring, fillLabel(ring));
}

void RoleDraw::use(std::vector<Statement> &body,
                   const std::vector<int> &stages) {
  StageTile a, b;
  const int sum = dice.of(sums);
  for (int stage : stages)
    switch (uses[ringOfStage[stage]]) {
    case Use::both:
      a = {stage, 0};
      b = {stage, 1};
      break;
    case Use::a:
      a = {stage, 0};
      break;
    case Use::b:
      b = {stage, 0};
      break;
    case Use::addend:
      body.push_back(setOf(
          label(), sum,
          binary(dice.percent(70) ? Value::Kind::add : Value::Kind::subtract,
                 fragment(sum), tileOf({stage, 0}))));
    }
  if (a.stage < 0)
    return;
  if (kept >= 0 && dice.percent(60))
    a = {keptStage, 0};
  const bool adds = dice.percent(25);
  Value value = product(a, b, adds ? everywhere(0) : fragment(sum));
  if (adds)
    value = binary(Value::Kind::add, fragment(sum), std::move(value));
  body.push_back(setOf(label(), sum, std::move(value)));
}

std::vector<Statement> RoleDraw::converting(int from, int to, int64_t window) {
  std::vector<Statement> body;
  std::vector<int> own;
  const bool allFirst = dice.percent(50);
  std::vector<int> stages;
  auto pass = [&](int stage) {
    const int held = nextFragment++, filled = nextStage++;
    body.push_back(setOf(label(), held, tileOf({stage, 0}), true));
    Statement write =
        onStage(Statement::Kind::write, fillLabel(to), filled, to);
    write.target = {filled, 0};
    write.value = dice.percent(50)
                      ? fragment(held)
                      : withNumber(Value::Kind::scale, fragment(held), -1);
    body.push_back(
        onStage(Statement::Kind::acquire, fillLabel(to), filled, to));
    body.push_back(std::move(write));
    body.push_back(onStage(Statement::Kind::commit, fillLabel(to), filled, to));
  };
  for (int64_t i = 0; i < window; ++i) {
    own.push_back(waitFor(body, from));
    if (!allFirst)
      pass(own.back());
  }
  if (allFirst)
    for (int stage : own)
      pass(stage);
  insertReleases(body, own, dice);
  return body;
}

void RoleDraw::arithmetic(std::vector<Statement> &body) {
  const int sum = dice.of(sums);
  body.push_back(setOf(label(), sum,
                       dice.percent(50)
                           ? withNumber(Value::Kind::scale, fragment(sum), -1)
                           : binary(Value::Kind::add, fragment(sum),
                                    vectorOf(Value::Kind::row, tensorV, 0))));
}

std::vector<Statement> RoleDraw::declareSums() {
  std::vector<Statement> body;
  sums.clear();
  for (int64_t i = dice.between(1, mostSums); i > 0; --i) {
    body.push_back(setOf(label(), nextFragment, everywhere(0), true));
    sums.push_back(nextFragment++);
  }
  return body;
}

void RoleDraw::storeSums(std::vector<Statement> &body) {
  for (int sum : sums) {
    const int tensor = addOutput("D" + std::to_string(p.tensors.size()));
    // The shared tile belongs to one role.
    const bool byTma = p.roles.empty() || !p.hasStaging
                           ? dice.percent(30)
                           : stagingRole == p.roles.size();
    if (byTma) {
      p.hasStaging = true;
      stagingRole = p.roles.size();
    }
    body.push_back(
        storeOf(byTma ? Statement::Kind::storeByTma : Statement::Kind::store,
                label(), tensor, fragment(sum)));
  }
}

int RoleDraw::fillLabel(int ring) {
  fillLabels.resize(std::max<size_t>(fillLabels.size(), ring + 1), 0);
  if (!fillLabels[ring])
    fillLabels[ring] = label();
  return fillLabels[ring];
}

} // namespace ashlar::corpus
