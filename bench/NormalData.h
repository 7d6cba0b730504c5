// Random normal elements, of which a benchmark needs hundreds of millions.
#pragma once

#include "ashlar/element_type.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar::bench {

/// `count` elements of mean 0 and variance 1, the same for the same seed.
std::vector<std::byte> normalData(ElementType type, int64_t count,
                                  uint64_t seed);

} // namespace ashlar::bench
