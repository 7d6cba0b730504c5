// cvt: its modifiers, and the files that implement its forms.
#pragma once

#include "runtime/sim/instructions/floating/Float.h"

namespace ashlar::sim {

struct ConversionModes {
  Rounding rounding = Rounding::nearestEven;
  bool hasRounding = false;
  bool toIntegral = false; // .rni and the like
  bool flush = false, saturate = false, relu = false, saturateFinite = false;
};

/// Conversion.cpp: one value of types u8 to s64, f16, bf16, f32, f64.
Decoded makeConversion(ptx::Type to, ptx::Type from, Slot target, Slot source,
                       const ConversionModes &modes);

/// ConversionPacked.cpp: tf32, and what gives or takes two values in one
/// register.
bool isPackedConversion(ptx::Type to, ptx::Type from);
Decoded decodePackedConversion(Decoder &decoder, ptx::Type to, ptx::Type from,
                               const ConversionModes &modes);
/// cvt.pack
Decoded decodePack(Decoder &decoder);

} // namespace ashlar::sim
