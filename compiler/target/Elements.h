// What sm_90a does with the element types of tiles. Every switch is exhaustive:
// a new type does not compile until each question here has an answer.

#pragma once

#include "runtime/include/ashlar/element_type.h"

namespace ashlar::target {

/// The type that elements have in registers: tf32 is an f32 whose lower bits
/// the tensor cores do not read, and a register of 8 bits has no sign of its
/// own.
constexpr ElementType inRegisters(ElementType type) {
  switch (type) {
  case ElementType::tf32:
    return ElementType::f32;
  case ElementType::u8:
    return ElementType::s8;
  case ElementType::bf16:
  case ElementType::f16:
  case ElementType::f32:
  case ElementType::e4m3:
  case ElementType::e5m2:
  case ElementType::s8:
  case ElementType::s16:
  case ElementType::s32:
  case ElementType::s4:
  case ElementType::u4:
  case ElementType::e2m1:
  case ElementType::e8m0:
    return type;
  }
  return type;
}

/// Whether wgmma multiplies these into that sum (PTX ISA, "wgmma.mma_async",
/// types of D, A and B). It names the types as their authors do.
constexpr bool canMultiply(ElementType a, ElementType b, ElementType sum) {
  switch (a) {
  case ElementType::bf16:
  case ElementType::tf32:
    return b == a && sum == ElementType::f32;
  case ElementType::f16:
    return b == a && (sum == ElementType::f32 || sum == ElementType::f16);
  case ElementType::e4m3:
  case ElementType::e5m2:
    return (b == ElementType::e4m3 || b == ElementType::e5m2) &&
           (sum == ElementType::f32 || sum == ElementType::f16);
  case ElementType::s8:
  case ElementType::u8:
    return (b == ElementType::s8 || b == ElementType::u8) &&
           sum == ElementType::s32;
  case ElementType::f32:
  case ElementType::s16:
  case ElementType::s32:
  case ElementType::s4:
  case ElementType::u4:
  case ElementType::e2m1:
  case ElementType::e8m0:
    return false;
  }
  return false;
}

/// Whether they are integers; wgmma's columns come in other steps for these.
constexpr bool isInteger(ElementType type) {
  switch (type) {
  case ElementType::s8:
  case ElementType::u8:
  case ElementType::s16:
  case ElementType::s32:
  case ElementType::s4:
  case ElementType::u4:
    return true;
  case ElementType::bf16:
  case ElementType::f16:
  case ElementType::f32:
  case ElementType::tf32:
  case ElementType::e4m3:
  case ElementType::e5m2:
  case ElementType::e2m1:
  case ElementType::e8m0:
    return false;
  }
  return false;
}

/// Whether elements are only moved and converted: no instruction computes with
/// them.
constexpr bool isStorage(ElementType type) {
  return pack_length(type) > 1 || type == ElementType::e8m0;
}

/// Whether elements of a storage type become those of another type, or are made
/// of them, at once.
constexpr bool canConvert(ElementType from, ElementType to) {
  switch (from) {
  case ElementType::s4:
  case ElementType::u4:
  case ElementType::e2m1:
    return to == ElementType::f32 || to == ElementType::bf16 ||
           to == ElementType::f16 || to == ElementType::e4m3 ||
           to == ElementType::e5m2 || to == ElementType::s8;
  case ElementType::e8m0:
    return to == ElementType::f32 || to == ElementType::bf16;
  case ElementType::f32:
    return isStorage(to);
  case ElementType::s32:
    return to == ElementType::s4 || to == ElementType::u4;
  case ElementType::bf16:
  case ElementType::f16:
  case ElementType::tf32:
  case ElementType::e4m3:
  case ElementType::e5m2:
  case ElementType::s8:
  case ElementType::u8:
  case ElementType::s16:
    return false;
  }
  return false;
}

} // namespace ashlar::target
