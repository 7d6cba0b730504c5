// What the simulator is told of a kernel in `//@` lines at the head of its PTX
// (runtime/sim/machine/Notes.h): the warps of each role, what lies where in
// shared memory, and where its tensors are.
#ifndef ASHLAR_COMPILER_DRIVER_DEBUGNOTES_H
#define ASHLAR_COMPILER_DRIVER_DEBUGNOTES_H

#include "ashlar/artifact.h"
#include "compiler/tile/Tile.h"

#include <string>

namespace ashlar::compiler {

/// For a kernel whose memory and warps are planned.
std::string debugNotes(tile::KernelOp kernel);

/// Where its tensors lie, of an artifact whose parameters are known.
std::string tensorNotes(const Artifact &artifact);

} // namespace ashlar::compiler

#endif
