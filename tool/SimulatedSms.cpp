#include "tool/SimulatedSms.h"

#include "runtime/Grid.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ashlar::harness {

uint32_t simulatedSms(const Artifact &artifact,
                      std::span<const NamedSize> sizes) {
  auto isOverTiles = [](const TileSpace &space) {
    return space.persistent &&
           std::ranges::any_of(space.tile, [](int64_t t) { return t > 1; });
  };
  const GridRule &rule = artifact.grid;
  if (!std::ranges::all_of(rule.spaces, isOverTiles))
    return sim::mostSms;
  std::vector<int64_t> values;
  for (const std::string &name : artifact.sizes)
    values.push_back(std::ranges::find(sizes, name, &NamedSize::name)->value);
  const Grid grid = computeGrid(artifact, values, sim::mostSms);
  // Where there are many, groups of warps that take tiles in turns have two
  // each.
  constexpr int64_t many = 8;
  const int64_t clusters = grid.blocks / grid.clusterSize;
  const int64_t tilesOfEach = clusters < many ? 2 : 4;
  // A CTA alone would have no other to race with.
  const int64_t least = grid.clusterSize > 1 ? 1 : 2;
  const int64_t blocks =
      std::max((clusters + tilesOfEach - 1) / tilesOfEach, least) *
      grid.clusterSize;
  return static_cast<uint32_t>(std::clamp<int64_t>(
      (blocks + rule.ctasPerSm - 1) / rule.ctasPerSm, 1, sim::mostSms));
}

SimulatedSms::SimulatedSms(uint32_t sms)
    : before(std::exchange(sim::smCount, sms)) {}

SimulatedSms::~SimulatedSms() { sim::smCount = before; }

} // namespace ashlar::harness
