#include "runtime/sim/machine/matrix/SparseMatrix.h"

#include <cstring>

namespace ashlar::sim {

namespace {

unsigned unitBytes(MatrixType type) { return bits(type) >= 16 ? 2 : 1; }

} // namespace

unsigned metadataLanes(MatrixType type, unsigned rowBytes) {
  return rowBytes / (4 * unitBytes(type)) / 4;
}

bool expandSparse(MatrixType type, const uint8_t *packed,
                  const uint32_t *metadata, unsigned selector,
                  unsigned rowBytes, bool ordered, uint8_t *dense) {
  const unsigned unit = unitBytes(type);
  const unsigned chunks = rowBytes / (4 * unit);
  const unsigned firstLane = selector * metadataLanes(type, rowBytes);
  bool valid = true;
  std::memset(dense, 0, size_t(16) * rowBytes);
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned chunk = 0; chunk < chunks; ++chunk) {
      const bool high = row >= 8;
      unsigned lane = row % 8 * 4 + firstLane;
      unsigned shift = 0;
      if (unit == 2) {
        lane += chunk / 4;
        shift = chunk % 4 * 4 + 16 * high;
      } else {
        lane += chunk / 8 * 2 + high;
        shift = chunk % 8 * 4;
      }
      const unsigned places = metadata[lane] >> shift & 15;
      const unsigned first = places & 3, second = places >> 2;
      valid &= ordered ? first < second : first != second;
      const uint8_t *from = packed + (row * chunks + chunk) * 2 * unit;
      uint8_t *to = dense + (row * chunks + chunk) * 4 * unit;
      std::memcpy(to + first * unit, from, unit);
      std::memcpy(to + second * unit, from + unit, unit);
    }
  return valid;
}

} // namespace ashlar::sim
