#include "GemmStageMath.h"

#include "GemmResources.h"
#include "GemmTiling.h"
#include "compiler/target/Target.h"

#include <algorithm>
#include <cmath>

namespace ashlar {

double GemmStageMath::clocks() const {
  // Of bf16 in half the time.
  const double products = !isInParts(types) ? 1 : c.bf16_parts ? 2 : 3;
  const double narrow = isInParts(types) ? gpu.parts_narrow : gpu.narrow;
  const double tensor = products * elements * depth / gpu.tensor_flops *
                        (1 + narrow * narrowness());
  const double together =
      std::max(tensor, sharedClocks(products)) + promotionClocks();
  return std::max(together, ownClocks(tensor)) + registerClocks(tensor) +
         (c.warpgroups == 1 ? gpu.lone_stage_clocks
          : isAlone()       ? 0
                            : gpu.joint_stage_clocks);
}

/// What one warpgroup takes by itself for a stage of f32.
double GemmStageMath::ownClocks(double tensor) const {
  if (!isInParts(types))
    return 0;
  const double sharers = isAlone() ? 1 : static_cast<double>(c.warpgroups);
  return tensor / sharers +
         static_cast<double>(
             ceilDiv(productsOfStage(types, c), productsTogether(types, c))) *
             gpu.parts_step_clocks;
}

/// What a stage that a role makes something of takes of shared memory: it is
/// written once and read once, and each block of rows reads the columns'
/// operand for each product. Small parts are read from the stage and written,
/// and so is what is transposed.
double GemmStageMath::sharedClocks(double products) const {
  if (!isInParts(types) && !isBesideTransposed(c))
    return 0;
  constexpr double bytesPerClock = 128;
  const auto bm = static_cast<double>(c.bm), bn = static_cast<double>(c.bn);
  const double ofColumns = isStageRounded(types, c) ? 4 : 3;
  return depth *
         (2 * bm + ofColumns * bn + products * bm / target::wgmmaRows * bn) /
         bytesPerClock;
}

/// A warpgroup transposes one row of a swizzle after another, however few
/// columns there are.
double GemmStageMath::transposeClocks() const {
  return isBesideTransposed(c)
             ? gpu.transpose_clocks * depth / target::mostSwizzleBytes
             : 0;
}

/// What rows add that are transposed through registers. All warpgroups of a
/// tile transpose theirs at the same time, under the products of the stage
/// before, and what takes longer than these is added. Where sums are added to
/// f32 that fills this time, and each product takes more. Rows of f32 go
/// through registers anyway (`ownClocks`).
double GemmStageMath::registerClocks(double tensor) const {
  if (!isAboveTransposed(c) || isInParts(types))
    return 0;
  if (isPromoted(types))
    return static_cast<double>(productsOfStage(types, c)) *
           gpu.register_step_clocks;
  const double sharers = isAlone() ? 1 : static_cast<double>(c.warpgroups);
  return std::max(
      (gpu.register_stage_clocks + (sharers - 1) * gpu.register_sharer_clocks) *
              depth / target::mostSwizzleBytes -
          tensor,
      0.0);
}

/// Whether no other warpgroup multiplies for the same tile.
bool GemmStageMath::isAlone() const { return c.warpgroups == 1 || c.ping_pong; }

/// What a wgmma of 64 rows reads of shared memory for each product, over what
/// one of the most columns reads, less 1; of f32, whose rows are in registers,
/// over one of as many columns as take the tensor cores' whole time.
double GemmStageMath::narrowness() const {
  constexpr double blockRows = target::wgmmaRows;
  constexpr double enoughOfParts = 128;
  const double mostColumns =
      isInParts(types) ? enoughOfParts : target::wgmmaMostColumns;
  const double n = std::min(static_cast<double>(c.bn), mostColumns);
  return (1 + blockRows / n) / (1 + blockRows / mostColumns) - 1;
}

/// Adding the tensor cores' sums to f32: under the next products where there
/// are registers for both, else partly under those of another warpgroup on
/// the same tile.
double GemmStageMath::promotionClocks() const {
  constexpr double lanes = 128;
  if (!isPromoted(types) || isProductInFlight(types, c))
    return 0;
  return static_cast<double>(productsOfStage(types, c)) * elements / lanes *
         gpu.addition_unhidden * (isAlone() ? 2 : 1);
}

} // namespace ashlar
