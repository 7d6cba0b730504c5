// Kernels in the manner of other compilers and libraries: right, though not as
// Ashlar would write them. Each has mutants that are not.
#pragma once

#include "runtime/sim/machine/Report.h"

#include <string>
#include <vector>

namespace ashlar::sim {

/// One change of the text, and what must be said of it.
struct ForeignMutant {
  std::string name;
  std::string from, to; // every place
  Finding finding = Finding::race;
  std::string words; // in the report
};

/// Its parameters are a tensor map `m` of `data`, 64x64 bf16 in boxes of 8
/// rows, and the addresses of `data` and of 8 KB for results.
struct ForeignKernel {
  std::string name;
  std::string declarations, body;
  unsigned threads = 128, cluster = 1;
  std::vector<ForeignMutant> mutants;

  std::string text() const;
};

std::vector<ForeignKernel> foreignKernels();

} // namespace ashlar::sim
