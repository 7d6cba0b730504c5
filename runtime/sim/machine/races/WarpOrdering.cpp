#include "runtime/sim/machine/races/Ordering.h"

#include "runtime/sim/machine/Launch.h"

#include <algorithm>
#include <utility>

namespace ashlar::sim {
namespace {

/// Where strong accesses to an address publish; null for memory that only one
/// thread can see. The caller holds the lock of global memory.
Publications *publicationsAt(Warp &warp, unsigned lane, ptx::StateSpace space,
                             uint64_t address, uint64_t &key) {
  const Location place = warp.cluster.locate(
      warp.cta, warp.index * warpLanes + lane, space, address);
  if (!place.block)
    return nullptr;
  key = place.offset;
  if (place.block->kind == MemoryBlock::Kind::shared) {
    for (auto &cta : warp.cluster.ctas)
      if (cta->shared.get() == place.block)
        return &cta->publications;
    return nullptr;
  }
  key += place.block->address;
  return place.block->kind == MemoryBlock::Kind::global
             ? &warp.cluster.launch.publications
             : nullptr;
}

} // namespace

Warp::Ordering::Ordering(Warp &warp)
    : warp(warp), agent(warp.cluster.newAgent()) {
  auto all = std::make_unique<Group>();
  all->lanes = allLanes; // those that don't exist never do anything
  all->causality = Causality(agent.cluster);
  groups.push_back(std::move(all));
}

void Warp::Ordering::renumber() {
  for (size_t i = 0; i < groups.size(); ++i)
    forEachLane(groups[i]->lanes, [&](unsigned lane) {
      indexOf[lane] = static_cast<uint8_t>(i);
    });
}

void Warp::Ordering::split(LaneMask lanes) {
  const size_t count = groups.size();
  for (size_t i = 0; i < count; ++i) {
    Group &group = *groups[i];
    LaneMask inside = group.lanes & lanes;
    if (!inside || inside == group.lanes)
      continue;
    auto part = std::make_unique<Group>();
    part->lanes = inside;
    part->causality = group.causality;
    part->prepared = group.prepared;
    part->acquired = group.acquired;
    if (group.observed)
      part->observed = std::make_unique<Causality>(*group.observed);
    part->version = ++versions;
    group.lanes &= ~inside;
    groups.push_back(std::move(part));
  }
  if (groups.size() != count)
    renumber();
}

void Warp::Ordering::merge(LaneMask lanes) {
  split(lanes);
  Group *first = nullptr;
  for (auto &group : groups) {
    if (!(group->lanes & lanes))
      continue;
    if (!first) {
      first = group.get();
      continue;
    }
    first->lanes |= group->lanes;
    first->causality.join(group->causality);
    if (group->prepared && group->prepared != first->prepared) {
      auto prepared = std::make_shared<Causality>(*group->prepared);
      if (first->prepared)
        prepared->join(*first->prepared);
      first->prepared = std::move(prepared);
    }
    if (group->observed) {
      if (first->observed)
        first->observed->join(*group->observed);
      else
        first->observed = std::move(group->observed);
    }
    group->lanes = 0;
  }
  if (first)
    first->version = ++versions;
  if (std::erase_if(groups, [](const auto &group) { return !group->lanes; }))
    renumber();
}

Epoch Warp::Ordering::endEpoch() {
  if (!accessed)
    return warp.currentEpoch - 1;
  accessed = false;
  return warp.currentEpoch++;
}

Knowledge Warp::Ordering::own(LaneMask lanes, Epoch epoch) const {
  lanes |= ~warp.existing;
  Knowledge knowledge;
  if (lanes == allLanes) {
    knowledge.all = epoch;
  } else {
    knowledge.top = epoch;
    knowledge.ahead = lanes;
  }
  return knowledge;
}

void Warp::Ordering::learnObserved(Group &group) {
  if (!group.observed)
    return;
  group.causality.join(*group.observed);
  group.observed.reset();
  group.version = ++versions;
}

void Warp::Ordering::publish(Group &group, LaneMask lanes, Epoch epoch,
                             Causality &into) {
  into.join(group.causality);
  into.base.learn(agent, own(lanes, epoch));
}

AgentId Warp::agent() const { return ordering->agent; }

Accessor Warp::accessor(unsigned lane, Scope scope) {
  ordering->accessed = true;
  Accessor accessor;
  accessor.agent = ordering->agent;
  accessor.epoch = currentEpoch;
  accessor.cta = cta.linear;
  accessor.warp = index;
  accessor.lane = static_cast<uint8_t>(lane);
  accessor.inProgramOrder = true;
  accessor.scope = scope;
  accessor.causality = &ordering->groupOf(lane).causality;
  accessor.instruction = current;
  return accessor;
}

// Whoever takes this as the past of an operation must not count what the lane
// does afterwards in it: the epoch ends.
Causality &Warp::causality(unsigned lane) {
  const Epoch epoch = ordering->endEpoch();
  Ordering::Group &group = ordering->groupOf(lane);
  auto &complete = ordering->complete[lane];
  if (!complete)
    complete = std::make_unique<Ordering::Complete>();
  if (complete->group != &group || complete->version != group.version ||
      complete->epoch != epoch) {
    complete->causality = group.causality;
    complete->causality.base.learn(ordering->agent,
                                   ordering->own(LaneMask(1) << lane, epoch));
    complete->group = &group;
    complete->version = group.version;
    complete->epoch = epoch;
  }
  return complete->causality;
}

// What relaxed reads have observed goes along. PTX asks for a fence before
// that, but kernels that poll in one thread and then meet at bar.sync count on
// it, and the hardware lets them.
void Warp::release(LaneMask lanes, Causality &into) {
  const Epoch epoch = ordering->endEpoch();
  for (auto &group : ordering->groups)
    if (group->lanes & lanes) {
      ordering->learnObserved(*group);
      ordering->publish(*group, lanes, epoch, into);
    }
}

void Warp::acquire(LaneMask lanes, const Causality &from) {
  ordering->forGroups(lanes, [&](Ordering::Group &group) {
    group.causality.join(from);
    group.version = ++ordering->versions;
  });
}

void Warp::acquire(LaneMask lanes, AgentId agent, Epoch epoch,
                   LaneMask ofLanes) {
  Knowledge knowledge;
  if (ofLanes == allLanes) {
    knowledge.all = epoch;
  } else {
    knowledge.top = epoch;
    knowledge.ahead = ofLanes;
  }
  ordering->forGroups(lanes, [&](Ordering::Group &group) {
    group.causality.base.learn(agent, knowledge);
    group.version = ++ordering->versions;
  });
}

void Warp::synchroniseLanes(LaneMask lanes) {
  const Epoch epoch = ordering->endEpoch();
  ordering->merge(lanes);
  if (!lanes)
    return;
  Ordering::Group &group =
      ordering->groupOf(static_cast<unsigned>(std::countr_zero(lanes)));
  group.causality.base.learn(ordering->agent, ordering->own(lanes, epoch));
  group.version = ++ordering->versions;
}

// What the lanes know becomes visible to the asynchronous proxy, and so does
// what each of them has written itself.
void Warp::fenceProxy(LaneMask lanes) {
  const Epoch epoch = ordering->endEpoch();
  ordering->forGroups(lanes, [&](Ordering::Group &group) {
    group.causality.fenceProxy();
    group.causality.asynchronous.learn(ordering->agent,
                                       ordering->own(lanes, epoch));
    group.version = ++ordering->versions;
  });
}

void Warp::releaseTensorMaps(LaneMask lanes) {
  const Epoch epoch = ordering->endEpoch();
  ordering->forGroups(lanes, [&](Ordering::Group &group) {
    group.causality.releaseMaps(ordering->agent,
                                ordering->own(group.lanes, epoch));
    group.version = ++ordering->versions;
  });
}

void Warp::acquireTensorMap(LaneMask lanes, uint64_t address) {
  ordering->forGroups(lanes, [&](Ordering::Group &group) {
    group.causality.acquireMap(address);
    group.version = ++ordering->versions;
  });
}

void Warp::fence(LaneMask lanes) {
  const Epoch epoch = ordering->endEpoch();
  ordering->forGroups(lanes, [&](Ordering::Group &group) {
    ordering->learnObserved(group);
    auto prepared = std::make_shared<Causality>(ordering->agent.cluster);
    ordering->publish(group, group.lanes, epoch, *prepared);
    group.prepared = std::move(prepared);
  });
}

void Warp::releaseRelaxed(LaneMask lanes, Causality &into) {
  for (auto &group : ordering->groups)
    if (group->lanes & lanes && group->prepared)
      into.join(*group->prepared);
}

void Warp::acquireRelaxed(LaneMask lanes, const Causality &from) {
  ordering->forGroups(lanes, [&](Ordering::Group &group) {
    if (!group.observed)
      group.observed = std::make_unique<Causality>(ordering->agent.cluster);
    group.observed->join(from);
  });
}

void Warp::publish(LaneMask lanes, ptx::StateSpace space,
                   const LaneAddresses &addresses, Order order,
                   bool readModifyWrite) {
  if (current->traits.signals)
    noteSignals(lanes, space, addresses);
  Publications::Published released;
  if (isRelease(order)) {
    auto made = std::make_shared<Causality>(ordering->agent.cluster);
    release(lanes, *made);
    released = std::move(made);
  } else if (readModifyWrite &&
             std::ranges::none_of(ordering->groups, [](const auto &group) {
               return bool(group->prepared);
             })) {
    return; // nothing to add to what is published there
  }
  forEachLane(lanes, [&](unsigned lane) {
    uint64_t key = 0;
    Publications *there =
        publicationsAt(*this, lane, space, addresses[lane], key);
    if (!there)
      return;
    const auto &what = released ? released : ordering->groupOf(lane).prepared;
    if (readModifyWrite)
      there->add(key, what);
    else
      there->write(key, what);
  });
}

void Warp::noteSignals(LaneMask lanes, ptx::StateSpace space,
                       const LaneAddresses &addresses) {
  forEachLane(lanes, [&](unsigned lane) {
    const Location place =
        cluster.locate(cta, index * warpLanes + lane, space, addresses[lane]);
    if (place.block)
      cluster.launch.signals.note(
          Signals::keyOf(*place.block, place.offset),
          {current, 0, cta.linear, index, static_cast<uint8_t>(lane)});
  });
}

void Warp::observe(LaneMask lanes, ptx::StateSpace space,
                   const LaneAddresses &addresses, Order order) {
  if (cluster.launch.publications.empty() &&
      std::ranges::all_of(cluster.ctas, [](const auto &cta) {
        return cta->publications.empty();
      }))
    return;
  std::vector<std::pair<Publications::Published, LaneMask>> seen;
  forEachLane(lanes, [&](unsigned lane) {
    uint64_t key = 0;
    Publications *there =
        publicationsAt(*this, lane, space, addresses[lane], key);
    Publications::Published what = there ? there->at(key) : nullptr;
    if (!what)
      return;
    auto known = std::find_if(seen.begin(), seen.end(),
                              [&](auto &each) { return each.first == what; });
    if (known == seen.end())
      seen.emplace_back(what, LaneMask(1) << lane);
    else
      known->second |= LaneMask(1) << lane;
  });
  for (const auto &[what, observers] : seen) {
    if (!isAcquire(order)) {
      acquireRelaxed(observers, *what);
      continue;
    }
    ordering->forGroups(observers, [&](Ordering::Group &group) {
      if (group.acquired == what)
        return;
      group.causality.join(*what);
      group.acquired = what;
      group.version = ++ordering->versions;
    });
  }
}

} // namespace ashlar::sim
