// What atom, red and red.async do to a value in memory.
#pragma once

#include "runtime/sim/machine/copies/CopyReduction.h"

#include <optional>
#include <string_view>

namespace ashlar::sim {

class AtomicOperation {
public:
  /// The operation on the type, if PTX has it (for atom; red lacks exchange
  /// and compare-and-swap).
  static std::optional<AtomicOperation> named(std::string_view operation,
                                              ptx::Type type);

  unsigned sizeBytes() const { return ptx::sizeBytes(type); }
  bool isExchange() const { return kind == Kind::exchange; }
  bool isCompare() const { return kind == Kind::compareAndSwap; }
  bool isHalf() const; // f16, bf16 and their pairs
  bool hasVector(unsigned elements) const;
  bool needsVector() const;

  /// Changes one element in memory. `compared` is cas's first operand. f32 sums
  /// in global memory flush subnormals; in shared memory they don't.
  void apply(uint8_t *memory, const uint8_t *value, const uint8_t *compared,
             bool isShared) const;

private:
  enum class Kind : uint8_t { combine, exchange, compareAndSwap };
  Kind kind = Kind::combine;
  CopyOperation operation = CopyOperation::add;
  ptx::Type type = ptx::Type::b32;
};

} // namespace ashlar::sim
