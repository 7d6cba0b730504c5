// A with half of its elements zero (PTX ISA, "Sparse matrix storage" of mma.sp
// and wgmma.mma_async.sp).
//
// A row is cut into chunks of 8 bytes (elements of 16 and 32 bits) or 4 bytes
// (of 4 and 8 bits). A chunk has four units of 2 bytes or 1 byte, of which two
// are stored; four bits of metadata hold their places, the first in the lower
// two. So an element of 32 bits takes two units, an element of 4 bits half of
// one, and the places of the units say the same as those of the elements.
//
// Where the metadata lies was read off an H200. Of each four lanes 4 g to 4 g +
// 3, which hold rows g and g + 8, as many as are needed contribute, from lane
// `selector` times that number on. Units of 2 bytes: a lane has four chunks of
// row g in its lower half and the same of row g + 8 in its upper half. Units of
// 1 byte: an even lane has eight chunks of row g, the next one those of row
// g + 8.
#pragma once

#include "runtime/sim/machine/matrix/MatrixType.h"

#include <cstdint>

namespace ashlar::sim {

/// Lanes of each four that contribute metadata, for rows of `rowBytes` bytes
/// with their zeros.
unsigned metadataLanes(MatrixType type, unsigned rowBytes);

/// Puts zeros between the elements of 16 rows: `packed` has rowBytes / 2 bytes
/// for each, `dense` rowBytes. `metadata` are the 32 lanes of the register.
/// False where two units of a chunk have one place, or `ordered` is asked for
/// and the second comes before the first, which PTX leaves undefined.
bool expandSparse(MatrixType type, const uint8_t *packed,
                  const uint32_t *metadata, unsigned selector,
                  unsigned rowBytes, bool ordered, uint8_t *dense);

} // namespace ashlar::sim
