// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and
// cp.async.bulk.prefetch.tensor: boxes of tensors, by TMA.
#include "runtime/sim/instructions/copies/Copies.h"
#include "runtime/sim/instructions/copies/CopyOperands.h"
#include "runtime/sim/instructions/copies/IssueCopy.h"
#include "runtime/sim/machine/Launch.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

using ptx::StateSpace;

constexpr unsigned tileAlignment = 128; // of a tile in shared memory

/// What all of them begin with: the map and the box that a lane asks for.
class TensorInstruction : public Instruction {
public:
  Step execute(Warp &warp, LaneMask active) const override {
    const LaneAddresses maps = warp.addresses(active, tensor.map);
    LaneAddresses tiles = {}, signals = {};
    if (tile)
      tiles = warp.addresses(active, *tile);
    if (mbarrier)
      signals = warp.addresses(active, *mbarrier);
    auto isSame = [&](unsigned first, unsigned lane) {
      return lane == first ||
             (!mbarrier && !operation && maps[lane] == maps[first] &&
              tiles[lane] == tiles[first] &&
              coordinatesOf(warp, lane, tensor) ==
                  coordinatesOf(warp, first, tensor));
    };
    while (active) {
      const LaneMask lanes = sharersOf(active, isSame);
      active &= ~lanes;
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      const TensorMap map = readTensorMap(warp, lane, maps[lane], dimensions);
      const TensorBox box{map, coordinatesOf(warp, lane, tensor)};
      checkInnerCoordinate(warp, lane, box);
      if (!tile)
        continue; // a prefetch changes nothing
      checkMultiple(warp, lane, "the tile's address in shared memory",
                    tiles[lane], tileAlignment);
      CopyRequest request;
      request.layout = box.layout();
      request.tile = static_cast<uint32_t>(tiles[lane]);
      if (mbarrier)
        load(warp, lane, box, request, static_cast<uint32_t>(signals[lane]));
      else
        store(warp, lanes, box, request);
    }
    return Step::next;
  }

  unsigned dimensions = 0;
  TensorOperand tensor;
  std::optional<AddressOperand> tile, mbarrier; // none: prefetch; store
  bool isOwn = false;                           // to .shared::cta
  CopyOptions options;
  std::optional<CopyOperation> operation;

private:
  // An illegal instruction otherwise, as measured on an H200: a row's place in
  // the tensor's row is counted in 16 bytes.
  void checkInnerCoordinate(Warp &warp, unsigned lane,
                            const TensorBox &box) const {
    constexpr int64_t unitBytes = 16;
    const int64_t bytes = int64_t(box.at[0]) * box.map.elementBytes();
    if (bytes % unitBytes != 0)
      warp.stop(Finding::misaligned,
                "the innermost coordinate of the " + box.describe() +
                    " is no multiple of 16 bytes; TMA takes a multiple of " +
                    std::to_string(unitBytes / box.map.elementBytes()) +
                    " elements",
                "copies", static_cast<int>(lane));
  }

  void count(Warp &warp, const CopyRequest &request) const {
    warp.cluster.launch.addCopy(
        warp.current, std::ranges::all_of(request.rows, [](const CopyRow &row) {
          return row.begin == row.end;
        }));
  }

  void load(Warp &warp, unsigned lane, const TensorBox &box,
            CopyRequest &request, uint32_t signal) const {
    request.what = "TMA load of " + box.describe();
    if (isOwn && warp.cluster.ctaOfShared(request.tile) != &warp.cta)
      warp.stop(Finding::outOfBounds,
                "the destination of the " + request.what +
                    " is in another CTA's shared memory: .shared::cta names "
                    "the own; write .shared::cluster",
                "copies", static_cast<int>(lane));
    request.rows = box.rowsToLoad();
    count(warp, request);
    std::optional<uint16_t> mask;
    if (options.mask)
      mask = warp.lanes<uint16_t>(*options.mask)[lane];
    issueMbarrierCopy(warp, lane, request, signal, mask);
  }

  void store(Warp &warp, LaneMask lanes, const TensorBox &box,
             CopyRequest &request) const {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    request.what =
        (operation ? "TMA reduction of " : "TMA store of ") + box.describe();
    // The hardware takes it for an illegal instruction, as measured on an H200.
    for (unsigned i = 0; i < dimensions; ++i)
      if (box.at[i] < 0)
        warp.stop(Finding::outOfBounds,
                  "the " + request.what +
                      " begins before the tensor: a store clips what lies "
                      "behind the tensor's end, but a coordinate must not be "
                      "negative",
                  "copies", static_cast<int>(lane));
    request.rows = box.rowsToStore();
    count(warp, request);
    if (operation) {
      const TensorElement element = box.map.elementType();
      auto type = tensorReductionType(*operation, element);
      if (!type)
        warp.stop(Finding::invalidTensorMap,
                  "the " + request.what +
                      " can't be: the operation does not "
                      "exist for elements of type " +
                      name(element),
                  "reduces", static_cast<int>(lane));
      request.reduction = CopyReduction{*operation, *type, true};
    }
    issueGroupCopy(warp, lanes, request);
  }
};

unsigned takeDimensions(Decoder &decoder) {
  const int index = decoder.modifiers.takeOneOf({"1d", "2d", "3d", "4d", "5d"});
  if (index < 0)
    decoder.refuse("the dimension (.1d to .5d) is missing");
  return static_cast<unsigned>(index) + 1;
}

/// `.tile`, which is the default; the others are refused.
void takeMode(Decoder &decoder) {
  if (decoder.modifiers.take("tile"))
    return;
  const std::string_view next = decoder.modifiers.next();
  if (next.starts_with("tile::") || next.starts_with("im2col::"))
    decoder.refuse("'." + std::string(next) + "' needs sm_100");
  if (next.starts_with("im2col"))
    decoder.refuse("the im2col mode is not simulated yet; only the tile mode");
}

Decoded decodeLoad(Decoder &decoder, std::unique_ptr<TensorInstruction> copy) {
  Modifiers &modifiers = decoder.modifiers;
  if (!modifiers.take("global"))
    decoder.refuse("a load reads from .global");
  takeMode(decoder);
  if (!modifiers.take("mbarrier::complete_tx::bytes"))
    decoder.refuse("a load completes with '.mbarrier::complete_tx::bytes'");
  copy->options.takeModifiers(decoder, !copy->isOwn);
  copy->tile = addressIn(decoder, 0, StateSpace::shared);
  copy->tensor = tensorOperand(decoder, 1, copy->dimensions);
  copy->mbarrier = addressIn(decoder, 2, StateSpace::shared);
  copy->options.takeOperands(decoder, 3);
  return copy;
}

/// A store or reduction, behind `.global.shared::cta` and the operation.
Decoded decodeStore(Decoder &decoder, std::unique_ptr<TensorInstruction> copy) {
  takeMode(decoder);
  if (!decoder.modifiers.take("bulk_group"))
    decoder.refuse("a copy to .global completes with '.bulk_group'");
  copy->options.takeModifiers(decoder, false);
  copy->tensor = tensorOperand(decoder, 0, copy->dimensions);
  copy->tile = addressIn(decoder, 1, StateSpace::shared);
  copy->options.takeOperands(decoder, 2);
  return copy;
}

} // namespace

Decoded decodeTensorCopy(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  auto copy = std::make_unique<TensorInstruction>();
  copy->dimensions = takeDimensions(decoder);
  copy->isOwn = modifiers.take("shared::cta");
  if (copy->isOwn || modifiers.take("shared::cluster"))
    return decodeLoad(decoder, std::move(copy));
  if (!modifiers.take("global") || !modifiers.take("shared::cta"))
    decoder.refuse("it copies from .global to .shared::cta or "
                   ".shared::cluster, or from .shared::cta to .global");
  return decodeStore(decoder, std::move(copy));
}

Decoded decodeTensorReduction(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  auto copy = std::make_unique<TensorInstruction>();
  copy->dimensions = takeDimensions(decoder);
  if (!modifiers.take("global") || !modifiers.take("shared::cta"))
    decoder.refuse("it reduces from .shared::cta to .global");
  const int operation = modifiers.takeOneOf(
      {"add", "min", "max", "inc", "dec", "and", "or", "xor"});
  if (operation < 0)
    decoder.refuse("the operation (.add, .min, .max, .inc, .dec, .and, .or, "
                   ".xor) is missing");
  copy->operation = static_cast<CopyOperation>(operation);
  return decodeStore(decoder, std::move(copy));
}

Decoded decodeTensorPrefetch(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  auto copy = std::make_unique<TensorInstruction>();
  copy->dimensions = takeDimensions(decoder);
  if (!modifiers.take("L2") || !modifiers.take("global"))
    decoder.refuse("it prefetches to .L2 from .global");
  takeMode(decoder);
  copy->options.takeModifiers(decoder, false);
  copy->tensor = tensorOperand(decoder, 0, copy->dimensions);
  copy->options.takeOperands(decoder, 1);
  return copy;
}

} // namespace ashlar::sim
