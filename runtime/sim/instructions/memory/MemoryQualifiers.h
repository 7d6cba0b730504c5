// The modifiers of loads, stores and atomic operations.
#pragma once

#include "runtime/sim/instructions/Decoder.h"
#include "runtime/sim/machine/Warp.h"
#include "runtime/sim/machine/memory/Memory.h"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace ashlar::sim {

/// What the modifiers say, each of them at most once. ptxas takes them in any
/// order, and so does this.
struct MemoryQualifiers {
  enum class Semantics : uint8_t {
    none,
    weak,
    isVolatile,
    relaxed,
    acquire,
    release,
    acquireRelease,
  };
  Semantics semantics = Semantics::none;
  bool memoryMapped = false; // .mmio
  Scope scope = Scope::weak; // weak: none is given
  ptx::StateSpace space = ptx::StateSpace::generic;
  /// `.shared` and `.shared::cta` hold the CTA's own memory only.
  bool anyCta = false;
  std::string_view cacheOperator, level1Priority, level2Priority, prefetchSize;
  bool cacheHint = false;
  bool nonCoherent = false;    // .nc
  bool completesBytes = false; // .mbarrier::complete_tx::bytes
  bool noFlush = false;        // .noftz
  unsigned vector = 1;
  std::optional<ptx::Type> type;
  std::string_view operation;

  bool isStrong() const {
    return semantics != Semantics::none && semantics != Semantics::weak;
  }
  /// Strong accesses' scope; volatile counts as relaxed of the whole system
  /// (PTX ISA, "Volatile Operations").
  Scope accessScope() const;
  Order order() const;
};

/// Reads all modifiers. `cacheOperators` and `operations` are those that the
/// instruction has.
MemoryQualifiers
readMemoryQualifiers(Decoder &decoder,
                     std::initializer_list<std::string_view> cacheOperators,
                     std::initializer_list<std::string_view> operations = {});

/// The address of a memory instruction and the space it lies in. Symbols of
/// another space than the one named are refused.
struct MemoryOperand {
  AddressOperand address;
  ptx::StateSpace space = ptx::StateSpace::generic;
  bool ownCtaOnly = false;

  /// The addresses, those of other CTAs refused where only the own is allowed.
  LaneAddresses addresses(Warp &warp, LaneMask active) const;
};
MemoryOperand memoryOperand(Decoder &decoder, const ptx::Operand &operand,
                            const MemoryQualifiers &qualifiers);

/// Checks a cache policy operand, where .L2::cache_hint asks for one, at
/// `index`: it has no effect here. Returns how many operands there must be.
size_t checkCachePolicy(Decoder &decoder, const MemoryQualifiers &qualifiers,
                        size_t index);

} // namespace ashlar::sim
