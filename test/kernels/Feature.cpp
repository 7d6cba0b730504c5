#include "test/kernels/Feature.h"
#include "test/kernels/Register.h"

#include <set>

namespace ashlar::test {
namespace {

/// Some seconds of the simulator.
constexpr double simulatedOperations = 5e7;

/// At most, by the sizes that tensors have.
double operations(const Artifact &artifact, const Sizes &sizes) {
  std::set<std::string> extents;
  for (const TensorContract &tensor : artifact.tensors)
    for (const Extent &extent : tensor.extents)
      if (extent.size >= 0)
        extents.insert(artifact.sizes[extent.size]);
  double product = 1;
  for (const NamedSize &size : sizes)
    if (extents.contains(size.name))
      product *= static_cast<double>(size.value);
  return product;
}

void runs(const Feature &feature) {
  Module module(device(), compileCleanly(feature.build()));
  bool hasRun = false;
  for (const Sizes &sizes : feature.problems) {
    if (isSimulated() &&
        operations(module.artifact(), sizes) > simulatedOperations)
      continue;
    hasRun = true;
    Problem problem = randomProblem(module.artifact(), sizes, feature.scalars,
                                    feature.zeros, feature.inputs);
    HostTensor d = launch(module, problem, feature.output);
    auto reference = [&](Coordinate at) {
      return feature.reference(problem, at);
    };
    EXPECT_LE(relativeError(d, reference), feature.tolerance) << feature.name;
  }
  EXPECT_TRUE(hasRun) << feature.name << ": each problem is too large";
}

} // namespace

bool registerFeatures(const std::vector<Feature> &features) {
  for (const Feature &feature : features)
    registerTest("Feature", feature.name, [feature] { runs(feature); });
  return true;
}

std::string textOf(ElementType type, int64_t rows, int64_t columns) {
  return std::to_string(rows) + "x" + std::to_string(columns) + " " +
         std::string(name(type));
}

std::vector<Sizes> gemmProblems() {
  return {{{"M", 1}, {"N", 1}, {"K", 1}},
          {{"M", 200}, {"N", 300}, {"K", 170}},
          {{"M", 384}, {"N", 512}, {"K", 512}}};
}

double gemmReference(const Problem &problem, Coordinate at) {
  const HostTensor &a = problem["A"], &b = problem["B"];
  double sum = 0;
  for (int64_t k = 0; k < a.shape()[1]; ++k)
    sum += a(at[0], k) * b(at[1], k);
  return sum;
}

} // namespace ashlar::test
