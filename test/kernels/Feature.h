// A kernel that uses something of the language, and what it must compute: it
// compiles without a spill or a remark, and its result is right.
#ifndef ASHLAR_TEST_KERNELS_FEATURE_H
#define ASHLAR_TEST_KERNELS_FEATURE_H

#include "test/kernels/Check.h"

#include "ashlar/ashlar.h"

namespace ashlar::test {

using Sizes = std::vector<NamedSize>;

/// A kernel, problems to run it on, and what an output of it must be.
struct Feature {
  std::string name;
  std::function<Kernel()> build;
  /// The simulator leaves out the large ones.
  std::vector<Sizes> problems;
  /// Asked for the elements in order, so that it may keep what a row has in
  /// common.
  std::function<double(const Problem &, Coordinate)> reference;
  double tolerance;
  std::vector<NamedScalar> scalars = {};
  std::string output = "D";
  std::vector<std::string> zeros = {}; ///< tensors that start as zeros
  std::vector<Input> inputs = {};      ///< what others hold
};

/// Registers a test of each.
bool registerFeatures(const std::vector<Feature> &features);

/// Such as "64x32 bf16", for a name.
std::string textOf(ElementType type, int64_t rows, int64_t columns);

/// M, N and K of a GEMM: less than a tile, ragged, whole.
std::vector<Sizes> gemmProblems();
/// An element of A · Bᵀ, where A is M×K and B is N×K.
double gemmReference(const Problem &problem, Coordinate at);

/// Defines a role with this register budget, or with none for 0.
inline void roleOf(std::string_view name, Warps warps, int64_t budget,
                   detail::Body<> body) {
  if (budget)
    role(name, warps, registers(budget), body);
  else
    role(name, warps, body);
}

} // namespace ashlar::test

#endif
