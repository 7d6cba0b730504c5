// What the simulator is told of a kernel in `//@` lines at the head of its PTX
// (runtime/sim/machine/Notes.h): the warps of each role, and what lies where in
// shared memory.
#ifndef ASHLAR_COMPILER_DRIVER_DEBUGNOTES_H
#define ASHLAR_COMPILER_DRIVER_DEBUGNOTES_H

#include "compiler/tile/Tile.h"

#include <string>

namespace ashlar::compiler {

/// For a kernel whose memory and warps are planned.
std::string debugNotes(tile::KernelOp kernel);

} // namespace ashlar::compiler

#endif
