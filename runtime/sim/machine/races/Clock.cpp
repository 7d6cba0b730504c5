#include "runtime/sim/machine/races/Clock.h"

#include <algorithm>

namespace ashlar::sim {
namespace {

uint64_t keyOf(AgentId agent) {
  return uint64_t(agent.cluster) << 32 | agent.index;
}

AgentId agentOf(uint64_t key) {
  return {static_cast<uint32_t>(key >> 32), static_cast<uint32_t>(key)};
}

bool knowsNothing(const Knowledge &knowledge) {
  return knowledge.all == 0 && knowledge.top == 0;
}

} // namespace

void Knowledge::join(const Knowledge &other) {
  all = std::max(all, other.all);
  LaneMask lanes = 0;
  Epoch greatest = 0;
  for (const Knowledge &side : {*this, other})
    if (side.ahead && side.top > all) {
      lanes |= side.ahead;
      greatest = std::max(greatest, side.top);
    }
  if (lanes == allLanes) {
    all = greatest;
    lanes = 0;
  }
  ahead = lanes;
  top = lanes ? greatest : 0;
}

Knowledge Clock::of(AgentId agent) const {
  if (agent.cluster == cluster)
    return agent.index < known.size() ? known[agent.index] : Knowledge{};
  auto found = foreign.find(keyOf(agent));
  return found == foreign.end() ? Knowledge{} : found->second;
}

bool Clock::covers(AgentId agent, Epoch epoch, unsigned lane) const {
  return of(agent).covers(epoch, lane);
}

void Clock::learn(AgentId agent, const Knowledge &knowledge) {
  if (knowsNothing(knowledge))
    return;
  if (agent.cluster != cluster) {
    foreign[keyOf(agent)].join(knowledge);
    return;
  }
  if (agent.index >= known.size())
    known.resize(agent.index + 1);
  known[agent.index].join(knowledge);
}

void Clock::join(const Clock &other) {
  if (this == &other)
    return;
  if (other.cluster == cluster) {
    if (known.size() < other.known.size())
      known.resize(other.known.size());
    for (size_t i = 0; i < other.known.size(); ++i)
      known[i].join(other.known[i]);
  } else {
    for (size_t i = 0; i < other.known.size(); ++i)
      learn({other.cluster, static_cast<uint32_t>(i)}, other.known[i]);
  }
  for (const auto &[key, knowledge] : other.foreign)
    learn(agentOf(key), knowledge);
}

void Clock::clear() {
  known.clear();
  foreign.clear();
}

std::shared_ptr<TensorMapFences> Causality::copyOfMaps() const {
  if (maps)
    return std::make_shared<TensorMapFences>(*maps);
  auto made = std::make_shared<TensorMapFences>();
  made->released = base;
  made->released.clear();
  return made;
}

void Causality::joinMaps(const TensorMapFences &other) {
  auto joined = copyOfMaps();
  joined->released.join(other.released);
  for (const auto &[address, clock] : other.acquired)
    joined->acquired.try_emplace(address, clock).first->second.join(clock);
  maps = std::move(joined);
}

void Causality::releaseMaps(AgentId agent, const Knowledge &own) {
  auto changed = copyOfMaps();
  changed->released.join(base);
  changed->released.learn(agent, own);
  maps = std::move(changed);
}

void Causality::acquireMap(uint64_t address) {
  auto changed = copyOfMaps();
  changed->acquired.try_emplace(address, changed->released)
      .first->second.join(changed->released);
  maps = std::move(changed);
}

Knowledge Causality::releasedMaps(AgentId agent) const {
  return maps ? maps->released.of(agent) : Knowledge{};
}

Knowledge Causality::acquiredMap(uint64_t address, AgentId agent) const {
  if (!maps)
    return {};
  auto found = maps->acquired.find(address);
  return found == maps->acquired.end() ? Knowledge{} : found->second.of(agent);
}

} // namespace ashlar::sim
