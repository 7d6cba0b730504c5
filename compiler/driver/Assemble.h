// PTX to machine code, by ptxas as a child process.
#ifndef ASHLAR_COMPILER_DRIVER_ASSEMBLE_H
#define ASHLAR_COMPILER_DRIVER_ASSEMBLE_H

#include "ashlar/compilation.h"

namespace ashlar::compiler {

/// The path of ptxas: $ASHLAR_PTXAS, the PATH, a CUDA toolkit in its usual
/// place, or the one that `./dev` fetched when this was built; empty if there
/// is none.
std::string findPtxas();
/// What to do where there is none that will do: ends a sentence.
constexpr const char *howToHavePtxas = "install the CUDA toolkit 13.0 or newer "
                                       "or the package nvidia-cuda-nvcc, or "
                                       "set ASHLAR_PTXAS to the path of ptxas";

/// Fills in `cubin` and `resources` from `ptx`, and adds a warning for every
/// remark of the assembler: spills, wgmma that it serialised. Throws `Error` at
/// the author's line when ptxas refuses the text.
void assemble(Artifact &artifact, std::vector<Warning> &warnings);

} // namespace ashlar::compiler

#endif
