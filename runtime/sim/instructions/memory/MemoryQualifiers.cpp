#include "runtime/sim/instructions/memory/MemoryQualifiers.h"

#include "runtime/sim/machine/Cluster.h"

#include <algorithm>

namespace ashlar::sim {
namespace {

using ptx::StateSpace;
using Semantics = MemoryQualifiers::Semantics;

struct SpaceName {
  std::string_view name;
  StateSpace space;
  bool anyCta;
};
constexpr SpaceName spaces[] = {
    {"const", StateSpace::constant, false},
    {"global", StateSpace::global, false},
    {"local", StateSpace::local, false},
    {"param", StateSpace::parameter, false},
    {"param::entry", StateSpace::parameter, false},
    {"param::func", StateSpace::parameter, false},
    {"shared", StateSpace::shared, false},
    {"shared::cta", StateSpace::shared, false},
    {"shared::cluster", StateSpace::shared, true},
};

struct SemanticsName {
  std::string_view name;
  Semantics semantics;
};
constexpr SemanticsName semanticsNames[] = {
    {"weak", Semantics::weak},       {"volatile", Semantics::isVolatile},
    {"relaxed", Semantics::relaxed}, {"acquire", Semantics::acquire},
    {"release", Semantics::release}, {"acq_rel", Semantics::acquireRelease},
};

struct ScopeName {
  std::string_view name;
  Scope scope;
};
constexpr ScopeName scopes[] = {{"cta", Scope::cta},
                                {"cluster", Scope::cluster},
                                {"gpu", Scope::gpu},
                                {"sys", Scope::system}};

constexpr std::string_view level1Priorities[] = {
    "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
    "L1::evict_last", "L1::no_allocate"};
constexpr std::string_view level2Priorities[] = {
    "L2::evict_normal", "L2::evict_first", "L2::evict_last"};
constexpr std::string_view prefetchSizes[] = {"L2::64B", "L2::128B",
                                              "L2::256B"};

template <class Range>
auto named(const Range &range, std::string_view name)
    -> decltype(&*std::begin(range)) {
  auto found = std::find_if(std::begin(range), std::end(range),
                            [&](auto &each) { return each.name == name; });
  return found == std::end(range) ? nullptr : &*found;
}

template <class Range> bool holds(const Range &range, std::string_view name) {
  return std::find(std::begin(range), std::end(range), name) != std::end(range);
}

/// Reads one modifier after the other.
class Reader {
public:
  Reader(Decoder &decoder, MemoryQualifiers &result)
      : decoder(decoder), result(result) {}

  bool read(std::string_view name) {
    if (auto *space = named(spaces, name)) {
      once(hasSpace, "state space");
      result.space = space->space;
      result.anyCta = space->anyCta;
    } else if (auto *semantics = named(semanticsNames, name)) {
      once(hasSemantics, "order (.weak, .volatile, .relaxed, ...)");
      result.semantics = semantics->semantics;
    } else if (auto *scope = named(scopes, name)) {
      once(hasScope, "scope");
      result.scope = scope->scope;
    } else if (holds(level1Priorities, name)) {
      once(hasLevel1, "priority of L1");
      result.level1Priority = name;
    } else if (holds(level2Priorities, name)) {
      once(hasLevel2, "priority of L2");
      result.level2Priority = name;
    } else if (holds(prefetchSizes, name)) {
      once(hasPrefetch, "prefetch size");
      result.prefetchSize = name;
    } else if (name == "v2" || name == "v4" || name == "v8") {
      once(hasVector, "vector size");
      result.vector = static_cast<unsigned>(name[1] - '0');
    } else if (name == "L2::cache_hint") {
      once(result.cacheHint, "cache hint");
    } else if (name == "nc") {
      once(result.nonCoherent, ".nc");
    } else if (name == "mmio") {
      once(result.memoryMapped, ".mmio");
    } else if (name == "noftz") {
      once(result.noFlush, ".noftz");
    } else if (name == "mbarrier::complete_tx::bytes") {
      once(result.completesBytes, ".mbarrier::complete_tx::bytes");
    } else if (auto type = ptx::typeNamed(name)) {
      once(hasType, "type");
      result.type = type;
    } else {
      return false;
    }
    return true;
  }

  void once(bool &seen, const char *what) {
    if (seen)
      decoder.refuse("the " + std::string(what) + " is given twice");
    seen = true;
  }
  bool hasCacheOperator = false, hasOperation = false;

private:
  Decoder &decoder;
  MemoryQualifiers &result;
  bool hasSpace = false, hasSemantics = false, hasScope = false,
       hasLevel1 = false, hasLevel2 = false, hasPrefetch = false,
       hasVector = false, hasType = false;
};

} // namespace

Scope MemoryQualifiers::accessScope() const {
  if (semantics == Semantics::isVolatile)
    return Scope::system;
  return isStrong() ? scope : Scope::weak;
}

Order MemoryQualifiers::order() const {
  switch (semantics) {
  case Semantics::acquire:
    return Order::acquire;
  case Semantics::release:
    return Order::release;
  case Semantics::acquireRelease:
    return Order::acquireRelease;
  default:
    return Order::relaxed;
  }
}

MemoryQualifiers
readMemoryQualifiers(Decoder &decoder,
                     std::initializer_list<std::string_view> cacheOperators,
                     std::initializer_list<std::string_view> operations) {
  MemoryQualifiers result;
  Reader reader(decoder, result);
  for (; !decoder.modifiers.empty(); decoder.modifiers.skip()) {
    std::string_view name = decoder.modifiers.next();
    if (holds(cacheOperators, name)) {
      reader.once(reader.hasCacheOperator, "cache operator");
      result.cacheOperator = name;
    } else if (holds(operations, name)) {
      reader.once(reader.hasOperation, "operation");
      result.operation = name;
    } else if (!reader.read(name)) {
      decoder.refuse("the modifier ." + std::string(name) + " is not known");
    }
  }
  return result;
}

MemoryOperand memoryOperand(Decoder &decoder, const ptx::Operand &operand,
                            const MemoryQualifiers &qualifiers) {
  MemoryOperand result;
  result.address = decoder.address(operand);
  result.space = qualifiers.space;
  result.ownCtaOnly = result.space == StateSpace::shared && !qualifiers.anyCta;
  StateSpace symbol = result.address.symbolSpace;
  if (result.address.namesKernelParameter) {
    // Without a space the parameter's own one is meant.
    if (result.space != StateSpace::parameter &&
        result.space != StateSpace::generic)
      decoder.refuse("the operand names a parameter of the kernel; the space "
                     "must be .param");
    result.space = StateSpace::parameter;
    return result;
  }
  if (result.space == StateSpace::parameter) {
    // Parameters of functions and calls lie in the thread's frame.
    if (symbol != StateSpace::generic && symbol != StateSpace::local)
      decoder.refuse("the operand names a variable that is not in .param");
    if (symbol == StateSpace::local || !decoder.function().isEntry)
      result.space = StateSpace::local;
    return result;
  }
  if (symbol == StateSpace::generic)
    return result;
  if (result.space == StateSpace::generic)
    result.space = symbol;
  else if (result.space != symbol)
    decoder.refuse("the operand names a variable of another state space");
  return result;
}

LaneAddresses MemoryOperand::addresses(Warp &warp, LaneMask active) const {
  LaneAddresses result = warp.addresses(active, address);
  if (!ownCtaOnly)
    return result;
  const uint32_t rank = warp.cta.rank;
  uint64_t other = 0;
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    other |= result[lane] >> sharedRankShift ^ rank;
  if (!other)
    return result;
  forEachLane(active, [&](unsigned lane) {
    if (result[lane] >> sharedRankShift == rank)
      return;
    // Beyond the window it is out of bounds, which the access itself finds.
    if (result[lane] < windowBytes &&
        warp.cluster.ctaOfShared(static_cast<uint32_t>(result[lane])))
      warp.stop(Finding::outOfBounds,
                "the address is in the shared memory of another CTA of the "
                "cluster, which .shared::cta does not reach: use "
                ".shared::cluster",
                "accesses it", static_cast<int>(lane));
  });
  return result;
}

size_t checkCachePolicy(Decoder &decoder, const MemoryQualifiers &qualifiers,
                        size_t index) {
  if (!qualifiers.cacheHint)
    return index;
  if (qualifiers.space != StateSpace::generic &&
      qualifiers.space != StateSpace::global)
    decoder.refuse(".L2::cache_hint is for global memory");
  decoder.source(decoder.operand(index), ptx::Type::b64);
  return index + 1;
}

} // namespace ashlar::sim
