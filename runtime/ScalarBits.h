// A scalar argument as the bytes of the kernel's parameter.
#pragma once

#include "ashlar/module.h"

#include <cstdint>
#include <string>

namespace ashlar {

/// The low bytes hold the value in `contract.type`; floats are rounded to
/// nearest even. The argument's kind has been checked. Throws `Error` when an
/// integer does not fit 32 bits.
uint32_t scalarBits(const std::string &kernel, const ScalarContract &contract,
                    const Argument &argument);

/// IEEE 754 binary16 and bfloat16, rounded to nearest even.
uint16_t halfBits(float value);
uint16_t bfloat16Bits(float value);

} // namespace ashlar
