// What a stage of GEMM takes of the tensor cores, and of what feeds them.
#pragma once

#include "ashlar/gemm_cost.h"

namespace ashlar {

/// In clocks of an SM, once the stage's operands are there. Types,
/// configuration and model have to outlive it.
class GemmStageMath {
public:
  GemmStageMath(const GemmTypes &types, const GemmConfig &config,
                const GpuModel &gpu)
      : types(types), c(config), gpu(gpu),
        depth(static_cast<double>(c.bk * size_bytes(types.a))),
        elements(static_cast<double>(c.bm * c.bn)) {}

  /// Of the warpgroups that multiply.
  double clocks() const;
  /// Of the warpgroup that transposes the columns' operand, if one does.
  double transposeClocks() const;

private:
  bool isAlone() const;
  double ownClocks(double tensor) const;
  double sharedClocks(double products) const;
  double registerClocks(double tensor) const;
  double narrowness() const;
  double promotionClocks() const;

  const GemmTypes &types;
  const GemmConfig &c;
  const GpuModel &gpu;
  double depth;    ///< bytes of a row of a stage
  double elements; ///< of the tile
};

} // namespace ashlar
