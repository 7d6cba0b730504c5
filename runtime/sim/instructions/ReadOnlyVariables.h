// Variables that the kernels of a module only read, as the tables of random
// number generators: nothing can race there.
#pragma once

#include "runtime/sim/ptx/Module.h"

#include <vector>

namespace ashlar::sim {

/// For each variable of the module whether its address goes nowhere but to the
/// addresses of loads. The host may still give the address to a kernel.
std::vector<bool> findReadOnlyVariables(const ptx::Module &module);

} // namespace ashlar::sim
