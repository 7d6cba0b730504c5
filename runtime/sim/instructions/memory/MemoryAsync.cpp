// st.async and red.async: a store or reduction in the shared memory of a CTA
// of the cluster, which completes on an mbarrier there.
#include "runtime/sim/instructions/memory/AtomicOperation.h"
#include "runtime/sim/instructions/memory/Memory.h"
#include "runtime/sim/instructions/memory/MemoryQualifiers.h"
#include "runtime/sim/machine/Asynchronous.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/barriers/Mbarrier.h"
#include "runtime/sim/machine/memory/AccessReport.h"

#include <cstring>
#include <memory>

namespace ashlar::sim {
namespace {

using ptx::StateSpace;
using ptx::Type;

/// One lane's, between its issue and its landing.
struct RemoteStore final : AsynchronousOperation {
  explicit RemoteStore(Cluster &cluster) : cluster(cluster) {}

  Cluster &cluster;
  Location to;
  uint32_t mbarrier = 0; // shared::cluster address
  std::array<uint8_t, 16> bytes{};
  unsigned sizeBytes = 0;
  std::optional<AtomicOperation> operation; // of red.async
  Accessor issuer;
  std::shared_ptr<const Causality> known;

  bool proceed(Cluster &, std::mt19937_64 &) override {
    Accessor by = issuer;
    by.causality = known.get();
    by.inProgramOrder = false;
    Mbarrier &barrier = useMbarrier(cluster, mbarrier, by,
                                    "signals it by an asynchronous store");
    by.agent = barrier.agent;
    by.epoch = barrier.phase + 1;
    by.scope = operation ? Scope::cluster : Scope::weak;
    if (const Cta *owner = ctaOf(cluster, *to.block);
        owner && owner->exited() && owner->linear != issuer.cta) {
      Report report;
      report.finding = Finding::exitedPeer;
      report.sentence =
          "the shared memory of " + owner->name() +
          " is written by an asynchronous store after all its threads have "
          "exited: wait there for the mbarrier on which it completes";
      report.sites.push_back(cluster.site(issuer, "issued it"));
      cluster.launch.reporter.add(std::move(report));
      return true;
    }
    if (operation)
      cluster.modify(
          to, sizeBytes, by,
          [&](uint8_t *memory) {
            operation->apply(memory, bytes.data(), nullptr, /*isShared=*/true);
          },
          "reduces into it asynchronously");
    else
      cluster.write(to, sizeBytes, by, bytes.data(), "stores asynchronously");
    completeTransactions(barrier, by, sizeBytes);
    cluster.noteProgress();
    return true;
  }

  std::string describe() const override {
    return std::string(operation ? "red.async" : "st.async") + " of " +
           std::to_string(sizeBytes) + " bytes to " +
           placeOf(cluster, *to.block, to.offset) + ", issued by " +
           cluster.who(issuer.cta, issuer.warp, issuer.lane);
  }
};

struct IssueRemoteStore final : Instruction {
  MemoryOperand to, mbarrier;
  std::vector<Slot> values;
  unsigned elementBytes = 0;
  std::optional<AtomicOperation> reduction;

  Step execute(Warp &warp, LaneMask active) const override {
    const LaneAddresses targets = to.addresses(warp, active);
    const LaneAddresses barriers = mbarrier.addresses(warp, active);
    forEachLane(active, [&](unsigned lane) {
      auto operation = std::make_shared<RemoteStore>(warp.cluster);
      operation->sizeBytes =
          elementBytes * static_cast<unsigned>(values.size());
      const uint32_t target = sharedAddress(warp, lane, to, targets[lane]);
      operation->mbarrier = sharedAddress(warp, lane, mbarrier, barriers[lane]);
      checkPlace(warp, lane, target, operation->mbarrier, operation->sizeBytes);
      operation->to = warp.cluster.locate(
          warp.cta, warp.index * warpLanes + lane, StateSpace::shared, target);
      if (!isWithin(operation->to, operation->sizeBytes))
        warp.stop(Finding::outOfBounds,
                  outOfBoundsSentence(warp.cluster, operation->to,
                                      operation->sizeBytes),
                  "stores asynchronously", static_cast<int>(lane));
      for (size_t i = 0; i < values.size(); ++i)
        std::memcpy(operation->bytes.data() + i * elementBytes,
                    warp.lanes<uint8_t>(values[i]) +
                        size_t(lane) * values[i].laneBytes,
                    elementBytes);
      operation->operation = reduction;
      operation->known = std::make_shared<Causality>(warp.causality(lane));
      operation->issuer = warp.accessor(lane);
      operation->issuer.causality = nullptr;
      warp.cluster.issue(std::move(operation));
    });
    return Step::next;
  }

private:
  static uint32_t sharedAddress(Warp &warp, unsigned lane,
                                const MemoryOperand &operand,
                                uint64_t address) {
    if (operand.space == StateSpace::generic)
      address -= sharedWindow;
    if (address >= windowBytes ||
        !warp.cluster.ctaOfShared(static_cast<uint32_t>(address)))
      warp.stop(Finding::outOfBounds,
                "the address " + hexadecimal(address) +
                    " is not in the shared memory of a CTA of the cluster",
                "stores asynchronously", static_cast<int>(lane));
    return static_cast<uint32_t>(address);
  }

  static void checkPlace(Warp &warp, unsigned lane, uint32_t target,
                         uint32_t mbarrier, unsigned sizeBytes) {
    if (target % sizeBytes)
      warp.stop(Finding::misaligned,
                "the destination shared+" +
                    std::to_string(target & ((1u << sharedRankShift) - 1)) +
                    " is not a multiple of the " + std::to_string(sizeBytes) +
                    " bytes that are stored",
                "stores asynchronously", static_cast<int>(lane));
    if (target >> sharedRankShift != mbarrier >> sharedRankShift)
      warp.stop(Finding::mbarrierMisuse,
                "the destination and the mbarrier are in the shared memories "
                "of different CTAs; they must be in the same",
                "stores asynchronously", static_cast<int>(lane));
  }
};

/// `[a], b, [mbar]` and what both instructions check.
std::unique_ptr<IssueRemoteStore> decodeIssue(Decoder &decoder,
                                              MemoryQualifiers qualifiers) {
  if (!qualifiers.completesBytes)
    decoder.refuse(".mbarrier::complete_tx::bytes is missing");
  if (!qualifiers.type)
    decoder.refuse("the type is missing");
  if (!(qualifiers.space == StateSpace::generic ||
        (qualifiers.space == StateSpace::shared && qualifiers.anyCta)))
    decoder.refuse("its state space is .shared::cluster; the forms on global "
                   "memory need sm_100");
  if (qualifiers.memoryMapped || qualifiers.cacheHint ||
      qualifiers.nonCoherent || qualifiers.noFlush ||
      !qualifiers.level1Priority.empty() ||
      !qualifiers.level2Priority.empty() || !qualifiers.prefetchSize.empty())
    decoder.refuse("it has a modifier of another instruction");
  decoder.expectOperands(3);
  auto made = std::make_unique<IssueRemoteStore>();
  made->to = memoryOperand(decoder, decoder.operand(0), qualifiers);
  made->mbarrier = memoryOperand(decoder, decoder.operand(2), qualifiers);
  for (const MemoryOperand *operand : {&made->to, &made->mbarrier})
    if (operand->space != StateSpace::shared &&
        operand->space != StateSpace::generic)
      decoder.refuse("destination and mbarrier must be in shared memory");
  made->elementBytes = ptx::sizeBytes(*qualifiers.type);
  auto texts = decoder.elements(decoder.operand(1));
  if (texts.size() != qualifiers.vector)
    decoder.refuse("the source must have " + std::to_string(qualifiers.vector) +
                   " elements");
  for (const ptx::Operand *text : texts)
    made->values.push_back(decoder.source(*text, *qualifiers.type));
  return made;
}

} // namespace

Decoded decodeStoreAsync(Decoder &decoder) {
  const MemoryQualifiers qualifiers = readMemoryQualifiers(decoder, {});
  if (qualifiers.semantics != MemoryQualifiers::Semantics::none &&
      qualifiers.semantics != MemoryQualifiers::Semantics::weak)
    decoder.refuse("it is a weak store; .release and .mmio forms need sm_100");
  if (qualifiers.scope != Scope::weak)
    decoder.refuse("it takes no scope");
  if (qualifiers.type)
    switch (*qualifiers.type) {
    case Type::b32:
    case Type::b64:
    case Type::u32:
    case Type::u64:
    case Type::s32:
    case Type::s64:
    case Type::f32:
    case Type::f64:
      break;
    default:
      decoder.refuse("it has no type ." +
                     std::string(ptx::name(*qualifiers.type)));
    }
  if (qualifiers.type &&
      ptx::sizeBytes(*qualifiers.type) * qualifiers.vector > 16)
    decoder.refuse("the vector is larger than 128 bits");
  return decodeIssue(decoder, qualifiers);
}

Decoded decodeReduceAsync(Decoder &decoder) {
  const MemoryQualifiers qualifiers = readMemoryQualifiers(
      decoder, {}, {"add", "inc", "dec", "min", "max", "and", "or", "xor"});
  if (qualifiers.semantics != MemoryQualifiers::Semantics::relaxed ||
      qualifiers.scope != Scope::cluster)
    decoder.refuse(".relaxed.cluster is missing; .release and .mmio forms need "
                   "sm_100");
  if (qualifiers.vector != 1)
    decoder.refuse("it has no vector form");
  if (!qualifiers.type || qualifiers.operation.empty())
    decoder.refuse("operation and type are missing");
  const Type type = *qualifiers.type;
  auto operation = AtomicOperation::named(qualifiers.operation, type);
  // Signed 64-bit sums are the unsigned ones.
  if (qualifiers.operation == "add" && type == Type::s64)
    operation = AtomicOperation::named("add", Type::u64);
  const bool isNarrow = ptx::sizeBytes(type) == 4 && type != Type::f32;
  if (!operation || operation->isHalf() ||
      !(isNarrow || (qualifiers.operation == "add" &&
                     (type == Type::u64 || type == Type::s64))))
    decoder.refuse("there is no operation ." +
                   std::string(qualifiers.operation) + " on the type ." +
                   std::string(ptx::name(type)));
  auto made = decodeIssue(decoder, qualifiers);
  made->reduction = operation;
  return made;
}

} // namespace ashlar::sim
