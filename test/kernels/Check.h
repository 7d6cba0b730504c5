// Runs a kernel on a problem and holds its output against the host's.
#ifndef ASHLAR_TEST_KERNELS_CHECK_H
#define ASHLAR_TEST_KERNELS_CHECK_H

#include "ashlar/compile.h"
#include "ashlar/device.h"
#include "ashlar/gemm.h"
#include "ashlar/module.h"
#include "ashlar/problem.h"

#include <functional>
#include <span>
#include <string>

namespace ashlar::test {

using Coordinate = std::span<const int64_t>;

/// There is no GPU: the tests run in the simulator, on small problems.
bool isSimulated();

/// The device that the tests run on, opened once.
Device &device();

/// As in 128x256x64.
inline std::string shapeText(int64_t m, int64_t n, int64_t k) {
  return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
}

/// Compiles a kernel and refuses one that spills or that the assembler remarks
/// on. Throws `Error`.
Artifact compileCleanly(const Kernel &kernel);

/// The names of a configuration's workspaces, which begin as zeros.
std::vector<std::string> workspacesOf(const GemmTypes &types,
                                      const GemmConfig &config,
                                      const GemmForm &form = {});

/// A problem with random inputs, but for what is said of others, and zeros in
/// the tensors that are named.
Problem randomProblem(const Artifact &artifact,
                      const std::vector<NamedSize> &sizes,
                      const std::vector<NamedScalar> &scalars = {},
                      const std::vector<std::string> &zeros = {},
                      const std::vector<Input> &inputs = {});

/// Launches on the problem's tensors, with a time limit, and gives back one of
/// them. Throws when anything outside an output was written.
HostTensor launch(Module &module, const Problem &problem,
                  const std::string &output = "D");
/// The same, with all that the kernel writes.
std::vector<HostTensor> launchForAll(Module &module, const Problem &problem);

/// Launches with what is expected checked, and ends the process, for
/// EXPECT_EXIT of the style "threadsafe", as a device does not survive a fork:
/// with 0, or with 3 and what is wrong on standard error.
[[noreturn]] void launchAndExit(const Kernel &kernel,
                                const std::vector<NamedSize> &sizes,
                                const std::vector<Input> &inputs,
                                CompileOptions options = {},
                                const std::vector<NamedScalar> &scalars = {});

/// ‖result - reference‖ / ‖reference‖ over the whole tensor, whose elements the
/// reference is asked for in order, the last coordinate first, by one thread.
double relativeError(const HostTensor &result,
                     const std::function<double(Coordinate)> &reference);

/// The same for D = A · B over every element, or, where that is more than some
/// 10^10 multiplications, over random rows and columns and the last ones. Every
/// element of D is checked to be finite.
double gemmError(const HostTensor &a, bool transposeA, const HostTensor &b,
                 bool transposeB, const HostTensor &d);

/// What an element must be, and by how much it may differ.
struct Expected {
  double value, tolerance;
};

/// The largest difference of an element of D from what `expected` makes of the
/// element of A · Bᵀ, of what is stored K×M or K×N, in units of its tolerance;
/// the same elements are checked. `expected` is called by several threads.
double worstOfGemm(
    const HostTensor &a, bool transposeA, const HostTensor &b, bool transposeB,
    const HostTensor &d,
    const std::function<Expected(double product, Coordinate at)> &expected);

} // namespace ashlar::test

#endif
