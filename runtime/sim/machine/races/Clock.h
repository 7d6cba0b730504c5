// Happens-before by vector clocks.
//
// An *agent* is whatever performs memory accesses in an order of its own: a
// warp (lanes told apart), the copies that complete on one mbarrier, a
// thread's bulk groups, a warp's cp.async groups, a warp's wgmma groups. Its
// accesses are labelled with its *epoch* at the time: for a warp a counter
// that grows at every release, for mbarrier copies the phase, for groups the
// number of the group. A thread's Clock says, for each agent, up to which
// epoch it is known to be complete and visible to it.
#pragma once

#include "runtime/sim/machine/Lanes.h"

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ashlar::sim {

/// Unique in a launch: the number of the cluster and an index in it.
struct AgentId {
  uint32_t cluster = 0;
  uint32_t index = 0;
  bool operator==(const AgentId &) const = default;
};

using Epoch = uint32_t;

/// What is known of an agent: every lane up to and including epoch `all`; the
/// lanes in `ahead` up to and including epoch `top`. Where two lanes are ahead
/// by different amounts, the greater is kept for both: a race may be missed,
/// none is invented.
struct Knowledge {
  Epoch all = 0;
  Epoch top = 0;
  LaneMask ahead = 0;

  bool covers(Epoch epoch, unsigned lane) const {
    return epoch <= all || (epoch <= top && (ahead >> lane & 1));
  }
  void join(const Knowledge &other);
};

/// Knowledge of every agent: dense for the cluster it belongs to, sparse for
/// agents of other clusters (known through global memory only).
class Clock {
public:
  explicit Clock(uint32_t cluster = 0) : cluster(cluster) {}

  bool covers(AgentId agent, Epoch epoch, unsigned lane) const;
  void join(const Clock &other);
  void learn(AgentId agent, const Knowledge &knowledge);
  Knowledge of(AgentId agent) const;
  void clear();
  bool empty() const { return known.empty() && foreign.empty(); }

private:
  uint32_t cluster;
  std::vector<Knowledge> known; // by index, of this cluster's agents
  std::unordered_map<uint64_t, Knowledge> foreign;
};

/// Which generic writes TMA sees when it reads a tensor map (PTX ISA,
/// fence.proxy.tensormap): those behind which somebody released, and which
/// somebody acquired for that map after learning of it.
struct TensorMapFences {
  Clock released;
  std::map<uint64_t, Clock> acquired; // by the map's address
};

/// What a thread knows. `base` is causality order. `asynchronous` is the part
/// of it that a proxy fence has made visible to the asynchronous proxy (TMA,
/// bulk copies, wgmma): a generic write must be in it before such an operation
/// may read or overwrite what it wrote, a generic read before one may overwrite
/// what it read. Every proxy fence of generic and
/// asynchronous accesses on the way will do, the writer's or the reader's.
struct Causality {
  Clock base, asynchronous;
  std::shared_ptr<const TensorMapFences> maps; // null: none, as mostly

  explicit Causality(uint32_t cluster = 0)
      : base(cluster), asynchronous(cluster) {}
  void join(const Causality &other) {
    base.join(other.base);
    asynchronous.join(other.asynchronous);
    if (other.maps && other.maps != maps)
      joinMaps(*other.maps);
  }
  void fenceProxy() { asynchronous.join(base); }
  void clear() {
    base.clear();
    asynchronous.clear();
    maps.reset();
  }
  /// fence.proxy.tensormap of what is known, and of `own` accesses.
  void releaseMaps(AgentId agent, const Knowledge &own);
  void acquireMap(uint64_t address);
  /// What is known to be released, and acquired for the map.
  Knowledge releasedMaps(AgentId agent) const;
  Knowledge acquiredMap(uint64_t address, AgentId agent) const;

private:
  void joinMaps(const TensorMapFences &other);
  std::shared_ptr<TensorMapFences> copyOfMaps() const;
};

} // namespace ashlar::sim
