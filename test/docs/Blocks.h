// The kernels in the pages of docs/language.
#pragma once

#include "ashlar/ashlar.h"

#include <functional>
#include <ostream>
#include <span>

namespace ashlar::test {

struct Block {
  const char *where; ///< "mma.md:24"
  std::function<Kernel()> define;
  const char *said; ///< "error: ...", "note: ..." or nothing
};

inline void PrintTo(const Block &block, std::ostream *out) {
  *out << block.where;
}

std::span<const Block> blocks();

} // namespace ashlar::test
