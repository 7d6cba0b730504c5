// cp.async.bulk, cp.reduce.async.bulk and cp.async.bulk.prefetch: stretches of
// bytes.
#include "runtime/sim/instructions/copies/Copies.h"
#include "runtime/sim/instructions/copies/CopyOperands.h"
#include "runtime/sim/instructions/copies/IssueCopy.h"

namespace ashlar::sim {

namespace {

using ptx::StateSpace;
using ptx::Type;

constexpr unsigned unitBytes = 16; // of addresses and sizes

class BulkCopy final : public Instruction {
public:
  Step execute(Warp &warp, LaneMask active) const override {
    const LaneAddresses to = warp.addresses(active, destination),
                        from = warp.addresses(active, source);
    LaneAddresses signals = {};
    if (mbarrier)
      signals = warp.addresses(active, *mbarrier);
    const uint32_t *bytes = warp.lanes<uint32_t>(size);
    auto isSame = [&](unsigned first, unsigned lane) {
      return lane == first ||
             (!mbarrier && !reduction && to[lane] == to[first] &&
              from[lane] == from[first] && bytes[lane] == bytes[first]);
    };
    while (active) {
      const LaneMask lanes = sharersOf(active, isSame);
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      copy(warp, lanes, to[lane], from[lane],
           static_cast<uint32_t>(signals[lane]));
      active &= ~lanes;
    }
    return Step::next;
  }

  void copy(Warp &warp, LaneMask lanes, uint64_t to, uint64_t from,
            uint32_t signal) const {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const uint32_t bytes = warp.lanes<uint32_t>(size)[lane];
    checkMultiple(warp, lane, "the destination of a bulk copy", to, unitBytes);
    checkMultiple(warp, lane, "the source of a bulk copy", from, unitBytes);
    checkMultiple(warp, lane, "the size of a bulk copy", bytes, unitBytes);
    CopyRequest request;
    request.what = std::string(reduction ? "bulk reduction" : "bulk copy") +
                   " of " + std::to_string(bytes) + " bytes";
    request.space = space;
    request.reduction = reduction;
    if (!mbarrier) {
      request.tile = static_cast<uint32_t>(from);
      setBulkRows(request, to, bytes);
      issueGroupCopy(warp, lanes, request);
      return;
    }
    request.tile = static_cast<uint32_t>(to);
    checkDestination(warp, lane, request);
    setBulkRows(request, from, bytes);
    std::optional<uint16_t> mask;
    if (options.mask)
      mask = warp.lanes<uint16_t>(*options.mask)[lane];
    issueMbarrierCopy(warp, lane, request, signal, mask);
  }

  void checkDestination(Warp &warp, unsigned lane,
                        const CopyRequest &request) const {
    if (isOwn && warp.cluster.ctaOfShared(request.tile) != &warp.cta)
      warp.stop(Finding::outOfBounds,
                "the destination of the " + request.what +
                    " is in another CTA's shared memory: .shared::cta names "
                    "the own; write .shared::cluster",
                "copies", static_cast<int>(lane));
  }

  AddressOperand destination, source;
  std::optional<AddressOperand> mbarrier;
  Slot size;
  StateSpace space = StateSpace::global; // of the side that is not the tile
  bool isOwn = false;                    // to .shared::cta
  CopyOptions options;
  std::optional<CopyReduction> reduction;
};

void takeSize(Decoder &decoder, BulkCopy &copy) {
  const ptx::Operand &operand = decoder.operand(2);
  if (operand.kind == ptx::Operand::Kind::integer &&
      operand.integer % unitBytes != 0)
    decoder.refuse("the size must be a multiple of 16");
  copy.size = decoder.source(operand, Type::u32);
}

/// `.global.shared::cta.bulk_group`, behind these modifiers.
void takeToGlobal(Decoder &decoder, BulkCopy &copy) {
  if (!decoder.modifiers.take("bulk_group"))
    decoder.refuse("a copy to .global completes with '.bulk_group'");
  copy.options.takeModifiers(decoder, false);
  if (decoder.modifiers.next() == "cp_mask")
    decoder.refuse("'.cp_mask' needs sm_100; sm_90 copies all bytes");
  copy.destination = addressIn(decoder, 0, StateSpace::global);
  copy.source = addressIn(decoder, 1, StateSpace::shared);
  takeSize(decoder, copy);
  copy.options.takeOperands(decoder, 3);
}

void takeToShared(Decoder &decoder, BulkCopy &copy, StateSpace from) {
  if (!decoder.modifiers.take("mbarrier::complete_tx::bytes"))
    decoder.refuse(
        "a copy to shared memory completes with '.mbarrier::complete_tx::"
        "bytes'");
  if (from == StateSpace::global)
    copy.options.takeModifiers(decoder, !copy.isOwn);
  copy.space = from;
  copy.destination = addressIn(decoder, 0, StateSpace::shared);
  copy.source = addressIn(decoder, 1, from);
  takeSize(decoder, copy);
  copy.mbarrier = addressIn(decoder, 3, StateSpace::shared);
  copy.options.takeOperands(decoder, 4);
}

constexpr const char *unknownSpaces =
    "it copies from .global to .shared::cta or .shared::cluster, from "
    ".shared::cta to .shared::cluster, or from .shared::cta to .global";

CopyReduction takeReduction(Decoder &decoder, bool toGlobal) {
  Modifiers &modifiers = decoder.modifiers;
  const int operation = modifiers.takeOneOf(
      {"add", "min", "max", "inc", "dec", "and", "or", "xor"});
  if (operation < 0)
    decoder.refuse("the operation (.add, .min, .max, .inc, .dec, .and, .or, "
                   ".xor) is missing");
  CopyReduction reduction;
  reduction.operation = static_cast<CopyOperation>(operation);
  const bool noFlush = modifiers.take("noftz");
  auto type = modifiers.takeType();
  if (!type)
    decoder.refuse("the type is missing");
  reduction.type = *type;
  if (!hasCopyReduction(reduction, toGlobal))
    decoder.refuse("the operation does not exist for this type and these "
                   "state spaces");
  const bool needsNoFlush = reduction.operation == CopyOperation::add &&
                            (*type == Type::f16 || *type == Type::bf16);
  if (noFlush != needsNoFlush)
    decoder.refuse(needsNoFlush
                       ? "'.noftz' is missing: sums of .f16 and .bf16 keep "
                         "subnormals"
                       : "'.noftz' is for .add of .f16 and .bf16 only");
  return reduction;
}

class BulkPrefetch final : public Instruction {
public:
  Step execute(Warp &warp, LaneMask active) const override {
    const LaneAddresses from = warp.addresses(active, source);
    forEachLane(active, [&](unsigned lane) {
      checkMultiple(warp, lane, "the address of a bulk prefetch", from[lane],
                    unitBytes);
      checkMultiple(warp, lane, "the size of a bulk prefetch",
                    warp.lanes<uint32_t>(size)[lane], unitBytes);
    });
    return Step::next;
  }
  AddressOperand source;
  Slot size;
};

} // namespace

Decoded decodeBulkCopy(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  auto copy = std::make_unique<BulkCopy>();
  if (modifiers.take("global")) {
    if (!modifiers.take("shared::cta"))
      decoder.refuse(unknownSpaces);
    takeToGlobal(decoder, *copy);
    return copy;
  }
  copy->isOwn = modifiers.take("shared::cta");
  if (!copy->isOwn && !modifiers.take("shared::cluster"))
    decoder.refuse(unknownSpaces);
  if (modifiers.take("global"))
    takeToShared(decoder, *copy, StateSpace::global);
  else if (!copy->isOwn && modifiers.take("shared::cta"))
    takeToShared(decoder, *copy, StateSpace::shared);
  else
    decoder.refuse(unknownSpaces);
  return copy;
}

// The operation stands behind the completion mechanism and the cache hint.
Decoded decodeBulkReduction(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  auto copy = std::make_unique<BulkCopy>();
  const bool toGlobal = modifiers.take("global");
  if ((!toGlobal && !modifiers.take("shared::cluster")) ||
      !modifiers.take("shared::cta"))
    decoder.refuse("it reduces from .shared::cta to .shared::cluster or "
                   ".global");
  if (toGlobal)
    takeToGlobal(decoder, *copy);
  else
    takeToShared(decoder, *copy, StateSpace::shared);
  copy->reduction = takeReduction(decoder, toGlobal);
  return copy;
}

Decoded decodeBulkPrefetch(Decoder &decoder) {
  auto prefetch = std::make_unique<BulkPrefetch>();
  if (!decoder.modifiers.take("L2") || !decoder.modifiers.take("global"))
    decoder.refuse("it prefetches to .L2 from .global");
  CopyOptions options;
  options.takeModifiers(decoder, false);
  prefetch->source = addressIn(decoder, 0, StateSpace::global);
  prefetch->size = decoder.source(decoder.operand(1), Type::u32);
  options.takeOperands(decoder, 2);
  return prefetch;
}

} // namespace ashlar::sim
