// Programs of many roles and rings: how many stages each role holds at once,
// in which order it takes and gives them, who fills and who drains what.

#include "test/corpus/Build.h"
#include "test/corpus/Draw.h"

#include <algorithm>

namespace ashlar::corpus {
namespace {

enum TensorNumber { tensorA, tensorB, tensorL, tensorV };

/// What the tiles of a ring are for.
enum class Use : uint8_t {
  both, ///< tile 0 is A of a product, tile 1 its B
  a,
  b,
  addend, ///< as large as the sums
};

/// A role while its body is drawn.
struct Part {
  std::vector<int> fills, drains; ///< rings
  int64_t window = 1; ///< stages of each ring that it takes in an iteration
};

class PipelineDraw {
public:
  explicit PipelineDraw(uint64_t seed) : dice(seed) {}

  Program run() {
    drawKernel();
    switch (dice.weighted({55, 20, 25})) {
    case 0:
      streams();
      break;
    case 1:
      ahead();
      break;
    default:
      chain();
    }
    return std::move(p);
  }

private:
  int label() { return nextLabel++; }

  void drawKernel() {
    p.family = Family::pipeline;
    type = dice.percent(85) ? ElementType::bf16 : ElementType::f16;
    p.columns = dice.of<int64_t>({64, 64, 32, 16});
    if (dice.percent(15))
      p.cluster = 2;
    else if (dice.percent(20))
      instances = dice.between(2, 3);
    warpgroups = instances == 1 && dice.percent(25) ? 2 : 1;
    p.rows = 64 * warpgroups;
    p.isPersistent = instances > 1 || dice.percent(75);
    p.residentClusters = dice.between(1, 2);
    const int64_t tiles = p.cluster * dice.between(1, p.cluster > 1 ? 2 : 4);
    p.sizes = {{"M", p.rows * tiles - (dice.percent(25) ? 8 : 0)},
               {"N", p.columns},
               {"K", dice.of<int64_t>({40, 64, 100, 192, 256, 300})},
               {"C", dice.of<int64_t>({1, 64, 65, 100})},
               {"Z", dice.between(0, 3)}};
    alignment = p.cluster == 1 && dice.percent(25)
                    ? static_cast<int>(dice.of<int64_t>({4, 8}))
                    : 16;
    p.tensors = {{"A", type, {sizeOf(sizeM), sizeOf(sizeK)}, alignment},
                 {"B", type, {sizeOf(sizeN), sizeOf(sizeK)}, alignment},
                 {"L", ElementType::f32, {sizeOf(sizeM), sizeOf(sizeK)}},
                 {"V", ElementType::f32, {sizeOf(sizeK)}}};
    trips = drawTrips();
    perTrip = dice.of<int64_t>({1, 1, 1, 2, 2, 3, 4, 6});
  }

  Number drawTrips() {
    const Number blocks = ceilDivide(sizeOf(sizeK), 64);
    switch (dice.weighted({35, p.cluster == 1 ? 15 : 0, 15, 10, 10, 10, 5})) {
    case 0:
      return blocks;
    case 1:
      return coordinateOf(0) + 1;
    case 2:
      return dice.between(0, 5);
    case 3:
      return sizeOf(sizeZ);
    case 4:
      return sizeOf(sizeK) / 64 + 1;
    case 5:
      return blocks - 1;
    default:
      return Number(2) * blocks;
    }
  }

  // --- rings ----------------------------------------------------------------

  int addRing(Use use) {
    const Ring::Tile a{type, p.rows, 64}, b{type, p.columns, 64};
    const Ring::Tile addend{ElementType::f32, p.rows, p.columns};
    Ring ring{dice.of<int64_t>({1, 2, 2, 3, 3, 4, 5, 6, 7, 8}), {}};
    if (use == Use::both)
      ring.tiles = {a, b};
    else
      ring.tiles = {use == Use::a ? a : use == Use::b ? b : addend};
    // 227 KiB, and some for the shared tile of the results.
    int64_t bytes = 0;
    for (const Ring::Tile &tile : ring.tiles)
      bytes += tile.rows * tile.columns * size_bytes(tile.type);
    ring.stages = std::max<int64_t>(
        1, std::min(ring.stages, sharedBytesLeft / 2 / bytes));
    sharedBytesLeft -= ring.stages * bytes;
    p.rings.push_back(ring);
    uses.push_back(use);
    return static_cast<int>(p.rings.size()) - 1;
  }

  std::vector<int> tensorsOf(int ring) const {
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

  int64_t drawWindow() {
    std::vector<int64_t> divisors;
    for (int64_t w = 1; w <= perTrip; ++w)
      if (perTrip % w == 0)
        divisors.push_back(w);
    return dice.of(divisors);
  }

  // --- forms of programs ----------------------------------------------------

  /// Roles that load, roles that use.
  void streams() {
    p.shape = "streams";
    std::vector<int> rings;
    const bool isPlain = dice.percent(25);
    if (isPlain) {
      // Tiles are loaded ahead of their use, as far as there are registers.
      p.columns = p.sizes[sizeN].value = std::min<int64_t>(p.columns, 32);
      for (int64_t i = dice.between(1, 3); i > 0; --i)
        rings.push_back(addRing(Use::addend));
    } else if (dice.percent(50)) {
      rings = {addRing(Use::both)};
    } else {
      rings = {addRing(Use::a), addRing(Use::b)};
    }
    if (!isPlain && dice.percent(25))
      rings.push_back(addRing(Use::addend));
    if (!isPlain && dice.percent(20))
      kept = addRing(Use::a);
    const bool areApart = rings.size() > 1 && dice.percent(50);
    // Two roles fill each its tile of a ring.
    const bool isShared = !areApart && rings.size() == 1 &&
                          uses[0] == Use::both && dice.percent(25);
    const int64_t warps =
        alignment < 16 || dice.percent(20) ? dice.of<int64_t>({1, 2, 4}) : 1;
    if (areApart)
      for (int ring : rings)
        addLoader({{ring}, {}, drawWindow()}, warps);
    else
      addLoader({rings, {}, drawWindow()}, warps, isShared ? 0 : -1);
    if (isShared)
      addLoader({rings, {}, drawWindow()}, warps, 1);
    const int64_t users =
        instances == 1 && warpgroups == 1 && dice.percent(20) ? 2 : 1;
    for (int64_t i = 0; i < users; ++i)
      addUser({{}, rings, drawWindow()});
  }

  /// One role that fills its ring ahead of what it uses.
  void ahead() {
    p.shape = "one role, ahead";
    instances = 1;
    const int ring = addRing(Use::both);
    const int64_t stages = p.rings[ring].stages;
    const int64_t distance =
        dice.between(std::max<int64_t>(0, stages - 2), stages);
    const int fill = label(), loop = label();
    const int first = nextCounter++, k = nextCounter++;
    std::vector<Statement> body = declareSums();
    std::vector<Statement> before = fillOf(fill, ring, counterOf(first), -1);
    body.push_back(
        loopOf(loop, first, 0, least(distance, trips), 1, std::move(before)));
    std::vector<Statement> inside;
    int64_t at = 0;
    const int stage = waitFor(inside, ring);
    use(inside, {stage});
    if (dice.percent(40))
      arithmetic(inside);
    insertReleases(inside, {stage}, dice);
    Statement more = statement(Statement::Kind::when, fill, -1);
    more.condition = {Condition::Kind::less, counterOf(k) + distance, trips};
    more.body = fillOf(fill, ring, counterOf(k) + distance, -1);
    // Before the wait where a stage is free, or behind the release.
    if (distance == stages || dice.percent(30))
      at = static_cast<int64_t>(inside.size());
    if (distance > 0)
      inside.insert(inside.begin() + at, std::move(more));
    else
      for (Statement &s : fillOf(fill, ring, counterOf(k), -1))
        inside.insert(inside.begin() + at++, std::move(s));
    body.push_back(loopOf(loop, k, 0, trips, 1, std::move(inside)));
    storeSums(body);
    p.roles.push_back({"all", 4 * warpgroups, 1, 0, std::move(body)});
  }

  /// A role between, that drains one ring and fills another.
  void chain() {
    p.shape = "chain";
    alignment = 16;
    p.tensors[tensorA].alignment = p.tensors[tensorB].alignment = 16;
    p.columns = p.sizes[1].value = 64;
    const int raw = addRing(Use::addend), made = addRing(Use::a);
    const int other = addRing(Use::b);
    const bool areApart = dice.percent(50);
    const int64_t window = drawWindow();
    if (areApart) {
      addLoader({{raw}, {}, drawWindow()}, 1);
      addLoader({{other}, {}, drawWindow()}, 1);
    } else {
      addLoader({{raw, other}, {}, drawWindow()}, 1);
    }
    if (dice.percent(70)) {
      std::vector<Statement> body = repeated(window, [&](const Number &) {
        return converting(raw, made, window);
      });
      p.roles.push_back({"convert", 4,
                         instances > 1 && dice.percent(50) ? 2 : 1, 0,
                         std::move(body)});
      addUser({{}, {made, other}, drawWindow()});
      return;
    }
    p.shape = "chain in one role";
    std::vector<Statement> body = declareSums();
    append(body, repeated(window, [&](const Number &) {
             std::vector<Statement> inside = converting(raw, made, window);
             append(inside, using_({made, other}, window));
             return inside;
           }));
    storeSums(body);
    p.roles.push_back({"math", 4 * warpgroups, instances, 0, std::move(body)});
  }

  static void append(std::vector<Statement> &body,
                     std::vector<Statement> more) {
    std::ranges::move(more, std::back_inserter(body));
  }

  // --- parts of roles -------------------------------------------------------

  /// The loops around `window` stages of each ring.
  template <typename Body>
  std::vector<Statement> repeated(int64_t window, Body body) {
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

  void addLoader(const Part &part, int64_t warps, int onlyTile = -1) {
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
                 tasks.push_back(
                     fillOf(fillLabel(ring), ring, at + i, onlyTile));
             return interleaved(std::move(tasks));
           }));
    p.roles.push_back({"load" + std::to_string(p.roles.size()), warps, 1, 0,
                       std::move(body)});
  }

  /// Acquire, copies, commit.
  std::vector<Statement> fillOf(int label, int ring, Number at, int onlyTile) {
    const int stage = nextStage++;
    std::vector<Statement> result{
        onStage(Statement::Kind::acquire, label, stage, ring)};
    const std::vector<int> tensors = tensorsOf(ring);
    const Number depth = dice.percent(50) ? at % 5 : at;
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

  /// One list of several: one after another, or all first steps first, or in
  /// any order that keeps each.
  std::vector<Statement>
  interleaved(std::vector<std::vector<Statement>> tasks) {
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

  void addUser(const Part &part) {
    std::vector<Statement> body = declareSums();
    if (kept >= 0)
      keptStage = waitFor(body, kept);
    append(body, repeated(part.window, [&](const Number &) {
             return using_(part.drains, part.window);
           }));
    if (kept >= 0)
      insertReleases(body, {keptStage}, dice);
    storeSums(body);
    p.roles.push_back({"math" + std::to_string(p.roles.size()), 4 * warpgroups,
                       instances, 0, std::move(body)});
  }

  /// Waits for some stages of each ring, uses and releases them.
  std::vector<Statement> using_(const std::vector<int> &rings, int64_t window) {
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

  int waitFor(std::vector<Statement> &body, int ring) {
    body.push_back(
        onStage(Statement::Kind::wait, fillLabel(ring), nextStage, ring));
    ringOfStage.resize(nextStage + 1);
    ringOfStage[nextStage] = ring;
    return nextStage++;
  }

  /// The product of these stages, or their sum.
  void use(std::vector<Statement> &body, const std::vector<int> &stages) {
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

  /// Waits for tiles of one ring, writes them, changed, to another.
  std::vector<Statement> converting(int from, int to, int64_t window) {
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
      body.push_back(
          onStage(Statement::Kind::commit, fillLabel(to), filled, to));
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

  void arithmetic(std::vector<Statement> &body) {
    const int sum = dice.of(sums);
    body.push_back(setOf(label(), sum,
                         dice.percent(50)
                             ? withNumber(Value::Kind::scale, fragment(sum), -1)
                             : binary(Value::Kind::add, fragment(sum),
                                      vectorOf(Value::Kind::row, tensorV, 0))));
  }

  std::vector<Statement> declareSums() {
    std::vector<Statement> body;
    sums.clear();
    for (int64_t i = dice.between(1, 2); i > 0; --i) {
      body.push_back(setOf(label(), nextFragment, everywhere(0), true));
      sums.push_back(nextFragment++);
    }
    return body;
  }

  void storeSums(std::vector<Statement> &body) {
    for (int sum : sums) {
      const int tensor = static_cast<int>(p.tensors.size());
      p.tensors.push_back({"D" + std::to_string(tensor),
                           ElementType::f32,
                           {sizeOf(sizeM), sizeOf(sizeN)},
                           16,
                           true});
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

  int fillLabel(int ring) {
    fillLabels.resize(std::max<size_t>(fillLabels.size(), ring + 1), 0);
    if (!fillLabels[ring])
      fillLabels[ring] = label();
    return fillLabels[ring];
  }

  Dice dice;
  Program p;
  ElementType type = ElementType::bf16;
  int64_t instances = 1, warpgroups = 1;
  int alignment = 16;
  int64_t sharedBytesLeft = 190 * 1024;
  Number trips;
  int64_t perTrip = 1; ///< stages of each ring
  std::vector<Use> uses;
  std::vector<int> fillLabels, ringOfStage, sums;
  int kept = -1;      ///< a ring of which a tile has one stage, used all along
  int keptStage = -1; ///< in the role that is drawn
  size_t stagingRole = 0;
  const int loopLabel = 1;
  int nextLabel = 2, nextCounter = 0, nextStage = 0, nextFragment = 0;
};

} // namespace

Program drawPipeline(uint64_t seed) { return PipelineDraw(seed).run(); }

} // namespace ashlar::corpus
