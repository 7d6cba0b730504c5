// The asynchronous copies: which decoder is whose, and the bulk groups.
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/copies/Copies.h"
#include "runtime/sim/machine/copies/BulkGroups.h"

namespace ashlar::sim {

namespace {

class CommitBulkGroup final : public Instruction {
public:
  Step execute(Warp &warp, LaneMask active) const override {
    BulkGroups &groups = BulkGroups::of(warp);
    forEachLane(active, [&](unsigned lane) { groups.commit(lane); });
    return Step::next;
  }
};

class WaitBulkGroup final : public Instruction {
public:
  Step execute(Warp &warp, LaneMask active) const override {
    BulkGroups &groups = BulkGroups::of(warp);
    forEachLane(active,
                [&](unsigned lane) { groups.wait(lane, pending, readsOnly); });
    return Step::next;
  }
  uint64_t pending = 0;
  bool readsOnly = false;
};

Decoded decodeWaitBulkGroup(Decoder &decoder) {
  auto wait = std::make_unique<WaitBulkGroup>();
  wait->readsOnly = decoder.modifiers.take("read");
  decoder.expectOperands(1);
  const int64_t pending = decoder.immediate(decoder.operand(0));
  if (pending < 0)
    decoder.refuse("the number of groups can't be negative");
  wait->pending = static_cast<uint64_t>(pending);
  return wait;
}

bool takeTensor(Decoder &decoder) {
  if (!decoder.modifiers.take("tensor"))
    return false;
  decoder.traits.engine = Engine::tensorCopy;
  return true;
}

Decoded decodeCopy(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  const bool reduces = modifiers.take("reduce");
  if (!modifiers.take("async"))
    decoder.refuse("'.async' is missing");
  if (!modifiers.take("bulk")) {
    if (reduces)
      decoder.refuse("'.bulk' is missing");
    return decodeThreadCopy(decoder);
  }
  decoder.traits.engine = Engine::bulkCopy;
  if (!reduces && modifiers.take("prefetch"))
    return takeTensor(decoder) ? decodeTensorPrefetch(decoder)
                               : decodeBulkPrefetch(decoder);
  if (takeTensor(decoder))
    return reduces ? decodeTensorReduction(decoder) : decodeTensorCopy(decoder);
  if (reduces)
    return decodeBulkReduction(decoder);
  if (modifiers.take("commit_group")) {
    decoder.expectOperands(0);
    return std::make_unique<CommitBulkGroup>();
  }
  if (modifiers.take("wait_group"))
    return decodeWaitBulkGroup(decoder);
  return decodeBulkCopy(decoder);
}

Decoded decodeTensorMap(Decoder &decoder) {
  if (decoder.modifiers.take("replace"))
    return decodeTensorMapReplace(decoder);
  if (decoder.modifiers.take("cp_fenceproxy"))
    return decodeTensorMapCopy(decoder);
  decoder.refuse("only tensormap.replace and tensormap.cp_fenceproxy exist");
}

} // namespace

void addCopyInstructions(OpcodeTable &table) {
  table.add("cp", decodeCopy,
            {.engine = Engine::threadCopy, .synchronises = true});
  table.add("tensormap", decodeTensorMap);
}

} // namespace ashlar::sim
