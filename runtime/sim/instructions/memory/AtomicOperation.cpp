#include "runtime/sim/instructions/memory/AtomicOperation.h"

#include "runtime/sim/machine/numbers/Formats.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace ashlar::sim {

using ptx::Type;

namespace {

struct OperationName {
  std::string_view name;
  CopyOperation operation;
};
constexpr OperationName operations[] = {
    {"add", CopyOperation::add},       {"min", CopyOperation::minimum},
    {"max", CopyOperation::maximum},   {"inc", CopyOperation::increment},
    {"dec", CopyOperation::decrement}, {"and", CopyOperation::bitAnd},
    {"or", CopyOperation::bitOr},      {"xor", CopyOperation::bitXor},
};

bool isHalfType(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f16x2 ||
         type == Type::bf16x2;
}

/// A pair is two elements.
Type elementOf(Type type) {
  return type == Type::f16x2    ? Type::f16
         : type == Type::bf16x2 ? Type::bf16
                                : type;
}

} // namespace

std::optional<AtomicOperation>
AtomicOperation::named(std::string_view operation, Type type) {
  AtomicOperation result;
  result.type = type;
  if (operation == "exch" || operation == "cas") {
    result.kind = operation == "cas" ? Kind::compareAndSwap : Kind::exchange;
    if (type == Type::b32 || type == Type::b64 || type == Type::b128 ||
        (type == Type::b16 && operation == "cas"))
      return result;
    return std::nullopt;
  }
  for (const OperationName &each : operations)
    if (each.name == operation) {
      result.operation = each.operation;
      if (hasCopyReduction({each.operation, elementOf(type)},
                           /*toGlobal=*/true))
        return result;
    }
  return std::nullopt;
}

bool AtomicOperation::isHalf() const { return isHalfType(type); }

bool AtomicOperation::needsVector() const {
  return isHalf() && operation != CopyOperation::add;
}

// PTX ISA, atom, "Vector operations": .vec_32_bit and .vec_16_bit.
bool AtomicOperation::hasVector(unsigned elements) const {
  if (kind != Kind::combine)
    return false;
  if (type == Type::f32)
    return operation == CopyOperation::add && elements <= 4;
  return isHalf() && elements * sizeBytes() <= 16;
}

void AtomicOperation::apply(uint8_t *memory, const uint8_t *value,
                            const uint8_t *compared, bool isShared) const {
  switch (kind) {
  case Kind::exchange:
    std::memcpy(memory, value, sizeBytes());
    return;
  case Kind::compareAndSwap:
    if (std::memcmp(memory, compared, sizeBytes()) == 0)
      std::memcpy(memory, value, sizeBytes());
    return;
  case Kind::combine:
    break;
  }
  // PTX ISA, atom: on f32 in global memory subnormals are flushed, in shared
  // memory they are not.
  const bool flushes = type == Type::f32 && !isShared;
  CopyReduction{operation, elementOf(type), flushes}.apply(memory, value,
                                                           sizeBytes());
}

} // namespace ashlar::sim
