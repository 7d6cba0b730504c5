// fence and membar (PTX ISA, "membar, fence").
#include "runtime/sim/instructions/barriers/Barrier.h"
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/copies/TensorMap.h"

namespace ashlar::sim {

namespace {

/// Orders memory accesses of the thread: every order and scope is carried out
/// as acquire and release at once for the whole machine. A scope narrower than
/// the synchronisation needs is therefore not found here.
struct ThreadFence final : Instruction {
  Step execute(Warp &warp, LaneMask active) const override {
    warp.fence(active);
    return Step::next;
  }
};

/// Makes generic accesses visible to the asynchronous proxy and the reverse;
/// the one-sided forms order the thread as well.
struct ProxyFence final : Instruction {
  bool ordersThread = false;
  Step execute(Warp &warp, LaneMask active) const override {
    if (ordersThread)
      warp.fence(active);
    warp.fenceProxy(active);
    return Step::next;
  }
};

/// fence.proxy.tensormap::generic: behind the change of a tensor map in memory,
/// and before its use.
struct TensorMapFence final : Instruction {
  std::optional<AddressOperand> acquired;
  Step execute(Warp &warp, LaneMask active) const override {
    warp.fence(active);
    if (!acquired) {
      warp.releaseTensorMaps(active);
      return Step::next;
    }
    const LaneAddresses maps = warp.addresses(active, *acquired);
    while (active) {
      const uint64_t map = maps[static_cast<size_t>(std::countr_zero(active))];
      LaneMask lanes = 0;
      forEachLane(active, [&](unsigned lane) {
        lanes |= maps[lane] == map ? LaneMask(1) << lane : 0;
      });
      warp.acquireTensorMap(lanes, map);
      active &= ~lanes;
    }
    return Step::next;
  }
};

/// fence.proxy.alias: virtual aliases of one place. Memory here has no
/// aliases, so that there is nothing to order.
struct AliasFence final : Instruction {
  Step execute(Warp &, LaneMask) const override { return Step::next; }
};

struct InitialisationFence final : Instruction {
  Step execute(Warp &warp, LaneMask active) const override {
    fenceInitialisations(warp.cta, warp.index, active);
    return Step::next;
  }
};

bool takeScope(Decoder &decoder) {
  return decoder.modifiers.takeOneOf({"cta", "cluster", "gpu", "sys"}) >= 0;
}

void needScope(Decoder &decoder) {
  if (!takeScope(decoder))
    decoder.refuse("the scope is missing: .cta, .cluster, .gpu or .sys");
}

/// `.acquire.sync_restrict::shared::cluster.cluster` and
/// `.release.sync_restrict::shared::cta.cluster`, behind the order.
void needRestriction(Decoder &decoder, bool acquire) {
  const char *space =
      acquire ? "sync_restrict::shared::cluster" : "sync_restrict::shared::cta";
  if (!decoder.modifiers.take(space))
    decoder.refuse("behind ." + std::string(acquire ? "acquire" : "release") +
                   " stands ." + space);
  if (!decoder.modifiers.take("cluster"))
    decoder.refuse("with .sync_restrict the scope is .cluster");
}

Decoded decodeTensorMapFence(Decoder &decoder) {
  auto made = std::make_unique<TensorMapFence>();
  const int order = decoder.modifiers.takeOneOf({"release", "acquire"});
  if (order < 0)
    decoder.refuse("the order is missing: .release or .acquire");
  needScope(decoder);
  if (order == 0) {
    decoder.expectOperands(0);
    return made;
  }
  decoder.expectOperands(2);
  made->acquired = decoder.address(decoder.operand(0));
  if (decoder.immediate(decoder.operand(1)) !=
      static_cast<int64_t>(tensorMapBytes))
    decoder.refuse("the size must be 128, that of a tensor map");
  return made;
}

Decoded decodeProxyFence(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  if (modifiers.take("tensormap::generic"))
    return decodeTensorMapFence(decoder);
  decoder.expectOperands(0);
  if (modifiers.take("alias"))
    return std::make_unique<AliasFence>();
  auto made = std::make_unique<ProxyFence>();
  if (modifiers.take("async::generic")) {
    const int order = modifiers.takeOneOf({"acquire", "release"});
    if (order < 0)
      decoder.refuse("the order is missing: .acquire or .release");
    needRestriction(decoder, order == 0);
    made->ordersThread = true;
    return made;
  }
  // ptxas takes the space before .async, too.
  auto takeSpace = [&] {
    return modifiers.takeOneOf({"global", "shared::cta", "shared::cluster"}) >=
           0;
  };
  const bool hasSpace = takeSpace();
  if (!modifiers.take("async"))
    decoder.refuse("the proxy is missing: .alias, .async, .async::generic or "
                   ".tensormap::generic");
  if (!hasSpace)
    takeSpace();
  return made;
}

} // namespace

Decoded decodeFence(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  if (modifiers.take("proxy"))
    return decodeProxyFence(decoder);
  decoder.expectOperands(0);
  if (modifiers.take("mbarrier_init")) {
    if (!modifiers.take("release") || !modifiers.take("cluster"))
      decoder.refuse("behind .mbarrier_init stands .release.cluster");
    return std::make_unique<InitialisationFence>();
  }
  const int order =
      modifiers.takeOneOf({"sc", "acq_rel", "acquire", "release"});
  if (order >= 2 && modifiers.next().starts_with("sync_restrict"))
    needRestriction(decoder, order == 2);
  else
    needScope(decoder);
  return std::make_unique<ThreadFence>();
}

Decoded decodeMembar(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  decoder.expectOperands(0);
  if (modifiers.take("proxy")) {
    if (!modifiers.take("alias"))
      decoder.refuse("membar.proxy has .alias only; use fence.proxy");
    return std::make_unique<AliasFence>();
  }
  if (modifiers.takeOneOf({"cta", "gl", "sys"}) < 0)
    decoder.refuse("the level is missing: .cta, .gl or .sys");
  return std::make_unique<ThreadFence>();
}

} // namespace ashlar::sim
