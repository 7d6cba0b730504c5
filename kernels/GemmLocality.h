// What launches of GEMM find in L2: the raster, what of the operands stays, and
// whether the next launch starts early.
#pragma once

#include "ashlar/gemm.h"

#include <vector>

namespace ashlar {

/// Sets the raster and `early_launch` by rules from measurements: the model
/// sees too little of L2 to choose them.
void setLocality(const GemmSizes &sizes, const GemmTypes &types,
                 const GemmForm &form, GemmConfig &config);

/// The configuration with each `kept_a` and `kept_b` that may be of use: all,
/// and of an operand that is read once, as it were, as much as stays in L2
/// until the next launch, and nothing.
std::vector<GemmConfig> eachKept(const GemmSizes &sizes, const GemmTypes &types,
                                 const GemmForm &form,
                                 const GemmConfig &config);

/// Whether the next launch's CTAs find room beside this one's.
bool isNextBeside(const GemmTypes &types, const GemmForm &form,
                  const GemmConfig &config);

} // namespace ashlar
