// What it takes a CTA of GEMM to store its tile.
#pragma once

#include "ashlar/gemm_cost.h"

namespace ashlar {

/// What L2 fetches at least, and writes as a whole.
inline constexpr int64_t sectorBytes = 32;

/// Types, configuration, form and model have to outlive it.
class GemmStores {
public:
  GemmStores(const GemmTypes &types, const GemmConfig &config,
             const GemmForm &form, const GpuModel &gpu)
      : types(types), c(config), form(form), gpu(gpu) {}

  /// What a CTA stores of a tile.
  double bytes() const;
  /// Of an SM, until a warpgroup's sums have left its registers.
  double clocks() const;
  /// Sectors of D that TMA writes a part of for a tile: where the rows of its
  /// strips begin and end.
  double partSectors(const GemmSizes &sizes) const;

private:
  double shiftedClocks() const;
  double halfSectorBytes() const;
  double splitClocks() const;
  int64_t rowBlocks() const;

  const GemmTypes &types;
  const GemmConfig &c;
  const GemmForm &form;
  const GpuModel &gpu;
};

} // namespace ashlar
