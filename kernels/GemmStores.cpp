#include "GemmStores.h"

#include "GemmResources.h"
#include "GemmTiling.h"
#include "compiler/target/Target.h"

#include <algorithm>
#include <numeric>

namespace ashlar {

double GemmStores::bytes() const {
  return static_cast<double>(c.bm * c.bn) *
         static_cast<double>(size_bytes(types.d) * (1 + form.auxiliary)) /
         static_cast<double>(c.split);
}

double GemmStores::clocks() const {
  return gpu.epilogue_clocks +
         static_cast<double>(stripCount(c) * rowBlocks()) * gpu.strip_clocks +
         shiftedClocks() + halfSectorBytes() * gpu.half_sector_clocks +
         splitClocks();
}

/// What threads take more than TMA to store rows that begin anywhere: a
/// warpgroup, for the ends of its strips' rows and for all between.
double GemmStores::shiftedClocks() const {
  if (types.layout.align_d >= target::tmaAlignment)
    return 0;
  const double bytes =
      static_cast<double>(rowBlocks() * target::wgmmaRows * storedColumns(c) *
                          size_bytes(types.d) * (1 + form.auxiliary));
  const int64_t rowsOfStrips =
      storesTransposed(types, c) ? storedColumns(c) : stripCount(c) * c.bm;
  return static_cast<double>(rowsOfStrips) /
             static_cast<double>(warpgroupsOfTile(c)) * gpu.shift_row_clocks +
         bytes / gpu.shift_store_bytes_per_clock;
}

/// Blocks of 64 rows that a warpgroup stores one after another.
int64_t GemmStores::rowBlocks() const {
  return std::max<int64_t>(c.bm / 64 / warpgroupsOfTile(c), 1);
}

/// What is stored in strips that end within a sector.
double GemmStores::halfSectorBytes() const {
  const int64_t last = lastStripColumns(c);
  auto ends = [&](int64_t columns) {
    return !storesTransposed(types, c) &&
           columns * size_bytes(types.d) % sectorBytes != 0;
  };
  const int64_t columns =
      (ends(stripColumns(c)) ? storedColumns(c) - last : 0) +
      (ends(last) ? last : 0);
  return bytes() * static_cast<double>(columns) /
         static_cast<double>(storedColumns(c));
}

/// With split-K each CTA adds up its part of the tile.
double GemmStores::splitClocks() const {
  return static_cast<double>(splitBytes(c)) / gpu.cluster_bytes_per_clock;
}

double GemmStores::partSectors(const GemmSizes &sizes) const {
  if (types.layout.align_d < target::tmaAlignment)
    return 0;
  const bool isTransposed = storesTransposed(types, c);
  const int64_t across = isTransposed ? c.bm : storedColumns(c),
                along = isTransposed ? storedColumns(c) : c.bm,
                width = across * size_bytes(types.d),
                strip =
                    (isTransposed ? mostStripColumns(types) : stripColumns(c)) *
                    size_bytes(types.d),
                apart = std::gcd(std::gcd(strideOfD(sizes, types), width),
                                 sectorBytes);
  int64_t ends = 0;
  for (int64_t first = 0; first < sectorBytes; first += apart)
    for (int64_t begin = 0; begin < width; begin += strip)
      for (int64_t end : {begin, std::min(begin + strip, width)})
        ends += (first + end) % sectorBytes != 0;
  return static_cast<double>(along * ends * apart) /
         static_cast<double>(sectorBytes) * (1 + form.auxiliary);
}

} // namespace ashlar
