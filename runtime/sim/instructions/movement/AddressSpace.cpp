// Generic addresses and those of a state space: cvta, isspacep, mapa,
// getctarank (PTX ISA, "Data Movement and Conversion Instructions").
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/movement/Move.h"
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"

using namespace ashlar::sim;
using ptx::Type;

namespace {

enum class Space : uint8_t {
  constant,
  global,
  local,
  sharedOfCta,
  sharedOfCluster,
  parameter,
};

Space expectSpace(Decoder &decoder) {
  switch (decoder.modifiers.takeOneOf({"const", "global", "local", "shared",
                                       "shared::cta", "shared::cluster",
                                       "param", "param::entry"})) {
  case 0:
    return Space::constant;
  case 1:
    return Space::global;
  case 2:
    return Space::local;
  case 3:
  case 4:
    return Space::sharedOfCta;
  case 5:
    return Space::sharedOfCluster;
  case 6:
  case 7:
    return Space::parameter;
  default:
    decoder.refuse("it needs a state space: .const, .global, .local, .shared, "
                   ".shared::cta, .shared::cluster or .param");
  }
}

/// Where a space begins in the generic address space; addresses of .global and
/// .const are generic as they are.
uint64_t windowOf(Space space) {
  switch (space) {
  case Space::local:
    return localWindow;
  case Space::sharedOfCta:
  case Space::sharedOfCluster:
    return sharedWindow;
  case Space::parameter:
    return parameterWindow;
  default:
    return 0;
  }
}

bool isIn(uint64_t window, uint64_t address) {
  return address >= window && address - window < windowBytes;
}

void expect64Bits(Decoder &decoder) {
  if (expectType(decoder, {Type::u32, Type::u64}) == Type::u32)
    decoder.refuse("generic addresses of 32 bits do not exist on sm_90a: use "
                   ".u64");
}

Decoded decodeConvertAddress(Decoder &decoder) {
  bool fromGeneric = decoder.modifiers.take("to");
  uint64_t window = windowOf(expectSpace(decoder));
  expect64Bits(decoder);
  if (fromGeneric)
    window = 0 - window;
  return unary<uint64_t>(decoder, Type::u64,
                         [=](uint64_t a) { return a + window; });
}

/// The address is that of a byte of a .const variable.
bool isConstant(const Program &program, uint64_t address) {
  auto holds = [&](const ptx::Variable &variable, uint64_t begin) {
    return variable.space == ptx::StateSpace::constant && address >= begin &&
           address - begin < variable.sizeBytes();
  };
  const ptx::Module &module = *program.module;
  for (size_t index = 0; index < module.variables.size(); ++index)
    if (holds(module.variables[index], program.variableAddresses[index]))
      return true;
  for (const auto &[key, begin] : program.functionVariableAddresses)
    if (holds(module.functions[key.first].variables[key.second], begin))
      return true;
  return false;
}

class IsInSpace final : public Instruction {
public:
  IsInSpace(Decoder &decoder, Space space) : space(space) {
    decoder.expectNoMoreModifiers();
    decoder.expectOperands(2);
    target = decoder.predicateTarget(decoder.operand(0));
    source = decoder.source(decoder.operand(1), Type::u64);
  }

  Step execute(Warp &warp, LaneMask active) const override {
    LaneMask result = 0;
    const auto *addresses = warp.lanes<uint64_t>(source);
    forEachLane(active, [&](unsigned lane) {
      result |= LaneMask(holds(warp, addresses[lane])) << lane;
    });
    warp.setPredicate(target, active, result);
    return Step::next;
  }

private:
  bool holds(Warp &warp, uint64_t address) const {
    switch (space) {
    case Space::constant:
      return isConstant(warp.cluster.launch.program, address);
    case Space::global: // the parameters of a kernel are in it
      return !isIn(sharedWindow, address) && !isIn(localWindow, address) &&
             !isConstant(warp.cluster.launch.program, address);
    case Space::sharedOfCta:
      return isIn(sharedWindow, address) &&
             (address - sharedWindow) >> sharedRankShift == warp.cta.rank;
    default:
      return isIn(windowOf(space), address);
    }
  }

  Space space;
  Slot target, source;
};

/// The same place in the shared memory of another CTA of the cluster.
template <class Address> class MapAddress final : public Instruction {
public:
  MapAddress(Operands<2> operands, bool generic)
      : operands(operands), generic(generic) {}

  Step execute(Warp &warp, LaneMask active) const override {
    const auto *from = warp.lanes<Address>(operands.sources[0]);
    const auto *ranks = warp.lanes<uint32_t>(operands.sources[1]);
    auto *out = warp.lanes<Address>(operands.target);
    const uint64_t window = generic ? sharedWindow : 0;
    constexpr uint64_t offsets = (uint64_t(1) << sharedRankShift) - 1;
    forEachLane(active, [&](unsigned lane) {
      check(warp, lane, from[lane], window, ranks[lane]);
      out[lane] = static_cast<Address>(
          window + (uint64_t(ranks[lane]) << sharedRankShift) +
          ((from[lane] - window) & offsets));
    });
    return Step::next;
  }

private:
  static void check(Warp &warp, unsigned lane, uint64_t address,
                    uint64_t window, uint32_t rank) {
    if (!isIn(window, address))
      warp.report(Finding::other,
                  "mapa gets an address that is not in shared memory: give it "
                  "one of shared memory",
                  "maps it", static_cast<int>(lane));
    size_t count = warp.cluster.ctas.size();
    if (rank >= count)
      warp.report(Finding::outOfBounds,
                  "mapa asks for CTA " + std::to_string(rank) +
                      " of a cluster of " + std::to_string(count),
                  "maps an address", static_cast<int>(lane));
  }

  Operands<2> operands;
  bool generic;
};

Decoded decodeMapAddress(Decoder &decoder) {
  bool generic = !decoder.modifiers.take("shared::cluster");
  Type type = expectType(decoder, {Type::u32, Type::u64});
  if (generic && type == Type::u32)
    decoder.refuse("generic addresses of 32 bits do not exist on sm_90a: use "
                   ".u64");
  auto operands = takeOperands(decoder, type, type, Type::u32);
  if (type == Type::u32)
    return std::make_unique<MapAddress<uint32_t>>(operands, generic);
  return std::make_unique<MapAddress<uint64_t>>(operands, generic);
}

Decoded decodeRankOf(Decoder &decoder) {
  bool generic = !decoder.modifiers.take("shared::cluster");
  Type type = expectType(decoder, {Type::u32, Type::u64});
  if (generic && type == Type::u32)
    decoder.refuse("generic addresses of 32 bits do not exist on sm_90a: use "
                   ".u64");
  auto operands = takeOperands(decoder, Type::u32, type);
  if (type == Type::u32)
    return laneWise<uint32_t, uint32_t>(
        operands.target, operands.sources,
        [](uint32_t a) { return a >> sharedRankShift; });
  const uint64_t window = generic ? sharedWindow : 0;
  return laneWise<uint32_t, uint64_t>(
      operands.target, operands.sources, [=](uint64_t a) {
        return static_cast<uint32_t>((a - window) >> sharedRankShift);
      });
}

} // namespace

void ashlar::sim::addAddressInstructions(OpcodeTable &table) {
  table.add("cvta", decodeConvertAddress);
  table.add("isspacep", [](Decoder &decoder) -> Decoded {
    Space space = expectSpace(decoder);
    return std::make_unique<IsInSpace>(decoder, space);
  });
  table.add("mapa", decodeMapAddress);
  table.add("getctarank", decodeRankOf);
}
