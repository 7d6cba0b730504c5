#include "runtime/sim/instructions/MatrixOperands.h"

namespace ashlar::sim {

void addWmma(DecoderTable &) {}

} // namespace ashlar::sim
