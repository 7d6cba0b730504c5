// Elements of every type, from and to double on the host.
#pragma once

#include "ashlar/element_type.h"

#include <cstdint>

namespace ashlar::harness {

/// The element's bits, in the low bytes. Rounds to nearest even; what the type
/// can't hold becomes its largest finite value. A NaN is 0 as an integer.
uint32_t encode(ElementType type, double value);

/// The value those bits mean.
double decode(ElementType type, uint32_t bits);

bool isInteger(ElementType type);

/// The largest finite value.
double largest(ElementType type);

/// The distance from 1 to the next value; 0 for integers.
double epsilon(ElementType type);

} // namespace ashlar::harness
