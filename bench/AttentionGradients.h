// Times the gradients of the library's attention.
#ifndef ASHLAR_BENCH_ATTENTIONGRADIENTS_H
#define ASHLAR_BENCH_ATTENTIONGRADIENTS_H

#include "bench/AttentionProblem.h"
#include "bench/Timer.h"

#include <string>

namespace ashlar::bench {

/// The largest relative error of dQ, dK and dV over some rows, and microseconds
/// of all of their kernels together, cold and hot. O and L are made by the
/// library's choice.
std::string measureGradients(Device &device, Timer &timer,
                             const AttentionProblem &sizes,
                             const AttentionBackwardConfig &config);

} // namespace ashlar::bench

#endif
