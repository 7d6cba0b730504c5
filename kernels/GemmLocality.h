// What launches of GEMM find in L2: the raster, what of the operands stays, and
// whether the next launch starts early.
#pragma once

#include "ashlar/gemm.h"

namespace ashlar {

/// Sets the raster, `kept_a`, `kept_b` and `early_launch` by rules from
/// measurements: the model sees too little of L2 to choose them.
void setLocality(const GemmSizes &sizes, const GemmTypes &types,
                 const GemmForm &form, GemmConfig &config);

/// Whether the next launch's CTAs find room beside this one's.
bool isNextBeside(const GemmTypes &types, const GemmForm &form,
                  const GemmConfig &config);

} // namespace ashlar
