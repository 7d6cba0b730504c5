// Programs of many roles and rings: how many stages each role holds at once,
// in which order it takes and gives them, who fills and who drains what.

#include "test/corpus/Draw.h"
#include "test/corpus/DrawRole.h"

#include <algorithm>

namespace ashlar::corpus {
namespace {

class PipelineDraw : RoleDraw {
public:
  explicit PipelineDraw(uint64_t seed) : RoleDraw(seed) {}

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

  int64_t drawWindow() {
    std::vector<int64_t> divisors;
    for (int64_t w = 1; w <= perTrip; ++w)
      if (perTrip % w == 0)
        divisors.push_back(w);
    return dice.of(divisors);
  }

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
    // With the role between there are four warpgroups and more, and few
    // registers for each.
    instances = std::min<int64_t>(instances, 2);
    mostSums = instances > 1 ? 1 : 2;
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
             append(inside, draining({made, other}, window));
             return inside;
           }));
    storeSums(body);
    p.roles.push_back({"math", 4 * warpgroups, instances, 0, std::move(body)});
  }

  ElementType type = ElementType::bf16;
  int alignment = 16;
  int64_t sharedBytesLeft = 190 * 1024;
};

} // namespace

Program drawPipeline(uint64_t seed) { return PipelineDraw(seed).run(); }

} // namespace ashlar::corpus
