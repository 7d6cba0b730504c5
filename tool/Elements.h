// Elements of every type, from and to double on the host.
#pragma once

#include "ashlar/element_type.h"

#include <cstddef>
#include <cstdint>

namespace ashlar::harness {

/// The bits of an element that lies so many elements behind `first`, in the low
/// ones of the result; and stores them.
uint32_t loadBits(ElementType type, const std::byte *first, int64_t offset);
void storeBits(ElementType type, std::byte *first, int64_t offset,
               uint32_t bits);

/// Bytes from the first element to behind the last of so many.
int64_t bytesOf(ElementType type, int64_t elements);

/// Whether all ones are a value, as they are of integers and of e2m1, and not
/// NaN.
bool allOnesIsValue(ElementType type);

/// What an output holds at this element, by its row-major number, until it is
/// written: all ones, or, where these are a value, bits that differ from
/// element to element, so that a few elements in a row tell.
uint32_t poisonBits(ElementType type, int64_t element);

/// The element's bits, in the low bytes. Rounds to nearest even; what the type
/// can't hold becomes its largest finite value. A NaN is 0 as an integer.
uint32_t encode(ElementType type, double value);

/// The value those bits mean.
double decode(ElementType type, uint32_t bits);

/// What the type makes of a value: decoded as it is encoded.
inline double rounded(ElementType type, double value) {
  return decode(type, encode(type, value));
}

bool isInteger(ElementType type);

/// The largest finite value.
double largest(ElementType type);

/// The distance from 1 to the next value; 0 for integers.
double epsilon(ElementType type);

} // namespace ashlar::harness
