// cp.async: copies of a few bytes by each thread.
#include "runtime/sim/machine/copies/ThreadCopy.h"

#include "runtime/sim/instructions/copies/Copies.h"
#include "runtime/sim/instructions/copies/CopyOperands.h"

namespace ashlar::sim {

namespace {

using ptx::StateSpace;
using ptx::Type;

class CopyByThreads final : public Instruction {
public:
  Step execute(Warp &warp, LaneMask active) const override {
    ThreadCopies::Request request;
    request.copyBytes = copyBytes;
    request.to = warp.addresses(active, destination);
    request.from = warp.addresses(active, source);
    request.sourceBytes.fill(copyBytes);
    if (sourceBytes)
      forEachLane(active, [&](unsigned lane) {
        request.sourceBytes[lane] = warp.lanes<uint32_t>(*sourceBytes)[lane];
      });
    if (ignoresSource) {
      LaneMask ignored = warp.predicate(*ignoresSource);
      if (ignoresNegated)
        ignored = ~ignored;
      forEachLane(active & ignored,
                  [&](unsigned lane) { request.sourceBytes[lane] = 0; });
    }
    forEachLane(active, [&](unsigned lane) { check(warp, lane, request); });
    ThreadCopies::of(warp).issue(active, request);
    return Step::next;
  }

  void check(Warp &warp, unsigned lane,
             const ThreadCopies::Request &request) const {
    checkMultiple(warp, lane, "the destination of cp.async", request.to[lane],
                  copyBytes);
    if (request.sourceBytes[lane] > copyBytes)
      warp.stop(Finding::outOfBounds,
                "the source of cp.async is " +
                    std::to_string(request.sourceBytes[lane]) +
                    " bytes, more than the " + std::to_string(copyBytes) +
                    " that it copies: PTX leaves it undefined",
                "copies", static_cast<int>(lane));
    if (request.sourceBytes[lane] != 0)
      checkMultiple(warp, lane, "the source of cp.async", request.from[lane],
                    copyBytes);
  }

  AddressOperand destination, source;
  uint32_t copyBytes = 0;
  std::optional<Slot> sourceBytes, ignoresSource;
  bool ignoresNegated = false;
};

class CommitGroup final : public Instruction {
public:
  Step execute(Warp &warp, LaneMask active) const override {
    ThreadCopies::of(warp).commit(active);
    return Step::next;
  }
};

class WaitGroup final : public Instruction {
public:
  WaitGroup(uint64_t pending, bool commits)
      : pending(pending), commits(commits) {}
  Step execute(Warp &warp, LaneMask active) const override {
    ThreadCopies &copies = ThreadCopies::of(warp);
    if (commits)
      copies.commit(active);
    copies.wait(active, pending);
    return Step::next;
  }

private:
  const uint64_t pending;
  const bool commits; // cp.async.wait_all
};

class ArriveWhenCopied final : public Instruction {
public:
  Step execute(Warp &warp, LaneMask active) const override {
    LaneAddresses mbarriers = warp.addresses(active, mbarrier);
    if (isGeneric)
      forEachLane(active, [&](unsigned lane) {
        if (mbarriers[lane] - sharedWindow >= windowBytes)
          warp.stop(Finding::mbarrierMisuse,
                    "the mbarrier of cp.async.mbarrier.arrive is at " +
                        hexadecimal(mbarriers[lane]) +
                        ", which is not in shared memory",
                    "arrives on it", static_cast<int>(lane));
        mbarriers[lane] -= sharedWindow;
      });
    ThreadCopies::of(warp).arrive(active, mbarriers, noIncrement);
    return Step::next;
  }
  AddressOperand mbarrier;
  bool isGeneric = false, noIncrement = false;
};

Decoded decodeArrive(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  auto arrive = std::make_unique<ArriveWhenCopied>();
  if (!modifiers.take("arrive"))
    decoder.refuse("'.arrive' is missing");
  decoder.traits.arrives = true;
  arrive->noIncrement = modifiers.take("noinc");
  arrive->isGeneric = modifiers.takeOneOf({"shared::cta", "shared"}) < 0;
  if (!modifiers.take("b64"))
    decoder.refuse("the type must be .b64");
  decoder.expectOperands(1);
  if (arrive->isGeneric) {
    arrive->mbarrier = decoder.address(decoder.operand(0));
    // A variable's name gives its address in the shared window.
    arrive->isGeneric = arrive->mbarrier.symbolSpace != StateSpace::shared;
  } else {
    arrive->mbarrier = addressIn(decoder, 0, StateSpace::shared);
  }
  return arrive;
}

/// The optional operands: ignore-src or src-size, and the cache policy.
void takeOptions(Decoder &decoder, CopyByThreads &copy, bool cacheHint) {
  decoder.expectOperands(3 + cacheHint, 4 + cacheHint);
  if (cacheHint)
    decoder.source(decoder.operand(decoder.operandCount() - 1), Type::b64);
  if (decoder.operandCount() == size_t(3 + cacheHint))
    return;
  const ptx::Operand &option = decoder.operand(3);
  const bool isPredicate =
      option.kind == ptx::Operand::Kind::registerUse &&
      decoder.function().registers[option.registerUse.index].type == Type::pred;
  if (isPredicate) {
    copy.ignoresSource = decoder.predicateSource(option, copy.ignoresNegated);
    return;
  }
  if (option.kind == ptx::Operand::Kind::integer &&
      (option.integer < 0 || option.integer > copy.copyBytes))
    decoder.refuse("the source size is more than what is copied");
  copy.sourceBytes = decoder.source(option, Type::u32);
}

} // namespace

Decoded decodeThreadCopy(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  if (modifiers.take("commit_group")) {
    decoder.expectOperands(0);
    return std::make_unique<CommitGroup>();
  }
  if (modifiers.take("wait_all")) {
    decoder.expectOperands(0);
    return std::make_unique<WaitGroup>(0, true);
  }
  if (modifiers.take("wait_group")) {
    decoder.expectOperands(1);
    const int64_t pending = decoder.immediate(decoder.operand(0));
    if (pending < 0)
      decoder.refuse("the number of groups can't be negative");
    return std::make_unique<WaitGroup>(pending, false);
  }
  if (modifiers.take("mbarrier"))
    return decodeArrive(decoder);

  auto copy = std::make_unique<CopyByThreads>();
  const int level = modifiers.takeOneOf({"ca", "cg"});
  if (level < 0)
    decoder.refuse("'.ca' or '.cg' is missing");
  if (modifiers.takeOneOf({"shared::cta", "shared"}) < 0 ||
      !modifiers.take("global"))
    decoder.refuse("it copies from .global to .shared or .shared::cta");
  bool cacheHint = modifiers.take("L2::cache_hint");
  modifiers.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  cacheHint = cacheHint || modifiers.take("L2::cache_hint");
  copy->destination = addressIn(decoder, 0, StateSpace::shared);
  copy->source = addressIn(decoder, 1, StateSpace::global);
  const int64_t size = decoder.immediate(decoder.operand(2));
  if (size != 16 && (level == 1 || (size != 4 && size != 8)))
    decoder.refuse(level == 1 ? "'.cg' copies 16 bytes"
                              : "it copies 4, 8 or 16 bytes");
  copy->copyBytes = static_cast<uint32_t>(size);
  takeOptions(decoder, *copy, cacheHint);
  return copy;
}

} // namespace ashlar::sim
