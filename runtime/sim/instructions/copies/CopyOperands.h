// Operands that the asynchronous copies have in common, and what they check.
#pragma once

#include "runtime/sim/instructions/Decoder.h"
#include "runtime/sim/machine/Warp.h"
#include "runtime/sim/machine/copies/TensorBox.h"
#include "runtime/sim/machine/memory/AccessReport.h"

#include <optional>
#include <vector>

namespace ashlar::sim {

/// An address whose space the instruction names.
AddressOperand addressIn(Decoder &decoder, size_t operand,
                         ptx::StateSpace space);

/// `.multicast::cluster` and `.L2::cache_hint`, which both add an operand. The
/// policy of a cache hint changes nothing that can be seen: it is read and
/// forgotten.
struct CopyOptions {
  bool multicast = false, cacheHint = false;
  std::optional<Slot> mask;

  void takeModifiers(Decoder &decoder, bool mayMulticast);
  /// Of their operands, from `first` on, which are the last.
  void takeOperands(Decoder &decoder, size_t first);
};

/// `[map, {coordinates}]`.
struct TensorOperand {
  AddressOperand map;
  std::vector<Slot> coordinates;
};
TensorOperand tensorOperand(Decoder &decoder, size_t operand,
                            unsigned dimensions);

/// The tensor map at a generic address. Where it is none, or breaks a rule, or
/// has another rank than the instruction, ends the launch with a finding.
TensorMap readTensorMap(Warp &warp, unsigned lane, uint64_t address,
                        unsigned dimensions);
std::array<int32_t, maxTensorRank> coordinatesOf(Warp &warp, unsigned lane,
                                                 const TensorOperand &operand);

/// Ends the launch unless the address or size is a multiple. `what` is "the
/// destination".
void checkMultiple(Warp &warp, unsigned lane, const char *what, uint64_t value,
                   unsigned of);

} // namespace ashlar::sim
