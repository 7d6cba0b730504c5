// A failing program, made as small as it goes while it still fails.
#ifndef ASHLAR_TEST_CORPUS_SHRINK_H
#define ASHLAR_TEST_CORPUS_SHRINK_H

#include "test/corpus/Program.h"

#include <functional>

namespace ashlar::corpus {

/// Applies one simplification after another, each that leaves a correct program
/// of which `fails` still holds: statements deleted, loops cut to a constant,
/// conditions and products taken apart, rings shortened.
Program shrink(Program program,
               const std::function<bool(const Program &)> &fails);

/// Without rings, outputs and roles that nothing uses.
Program withoutLeftovers(Program program);

} // namespace ashlar::corpus

#endif
