// The library's GEMM on 200 random problems in random configurations: each
// compiles without a spill or a remark, and each element of every output is
// within what rounding explains. A test is named after
// its number; --gtest_random_seed=N draws 200 others.

#include "test/kernels/RandomGemm.h"
#include "test/kernels/FormReference.h"
#include "test/kernels/Register.h"
#include "tool/MakeProblem.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <map>
#include <thread>

namespace ashlar::test {
namespace {

constexpr const char *suite = "RandomGemm";
constexpr int problems = 200;
constexpr double largestE4m3 = 448;

RandomGemm drawn(int number) {
  return drawGemm(GTEST_FLAG_GET(random_seed) * problems + number);
}

/// The kernels of the tests that this process runs, compiled on every core
/// while the first of them run.
class Kernels {
public:
  Kernels() {
    for (int number : selected())
      numbers.push_back(number);
    for (int number : numbers) {
      auto &task = tasks[number] = Task([number] {
        const RandomGemm random = drawn(number);
        return compileCleanly(gemm(random.types, random.config, random.form));
      });
      compilations[number] = task.get_future();
    }
    for (unsigned t = 0; t < std::thread::hardware_concurrency(); ++t)
      threads.emplace_back([this] {
        for (size_t i; (i = next++) < numbers.size();)
          tasks.at(numbers[i])();
      });
  }

  Artifact of(int number) { return compilations.at(number).get(); }

private:
  using Task = std::packaged_task<Artifact()>;

  static std::vector<int> selected() {
    std::vector<int> numbers;
    const testing::UnitTest &all = *testing::UnitTest::GetInstance();
    for (int s = 0; s < all.total_test_suite_count(); ++s) {
      const testing::TestSuite &tests = *all.GetTestSuite(s);
      for (int i = 0; i < tests.total_test_count(); ++i)
        if (tests.name() == std::string(suite) &&
            tests.GetTestInfo(i)->should_run())
          numbers.push_back(std::stoi(tests.GetTestInfo(i)->name()));
    }
    return numbers;
  }

  std::vector<int> numbers;
  std::map<int, Task> tasks;
  std::map<int, std::shared_future<Artifact>> compilations;
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
};

/// Half a unit in the last place, relative to the value; and what it is where
/// numbers are subnormal.
double rounding(ElementType type) {
  return type == bf16   ? 0x1p-8
         : type == f16  ? 0x1p-11
         : type == e4m3 ? 0x1p-4
                        : 0x1p-24;
}
double smallestRounding(ElementType type) {
  return type == f16 ? 0x1p-25 : type == e4m3 ? 0x1p-10 : 0;
}

/// Of a sum of K products of normal numbers, relative to its deviation: the
/// tensor cores cut each partial sum off, of fp8 to 14 bits.
double summation(const GemmTypes &types, int64_t k) {
  if (size_bytes(types.a) > 1)
    return 0x1p-22 * (4 + k * size_bytes(types.a) / 32);
  const bool isPromoted = types.accumulation == Accumulation::full;
  return 0x1p-12 * (2 + (isPromoted ? std::min<int64_t>(k, 128) : k) / 32);
}

/// One matrix of a batch.
HostTensor matrixOf(const HostTensor &tensor, int64_t batch) {
  if (tensor.shape().size() == 2)
    return tensor;
  HostTensor matrix(tensor.name(), tensor.type(),
                    {tensor.shape()[1], tensor.shape()[2]},
                    {tensor.strides()[1], tensor.strides()[2]});
  const int64_t start = batch * tensor.strides()[0] * size_bytes(tensor.type());
  std::copy_n(tensor.bytes().begin() + start, matrix.bytes().size(),
              matrix.bytes().begin());
  return matrix;
}

class Run {
public:
  Run(const RandomGemm &random, Artifact compiled)
      : random(random), module(device(), std::move(compiled)),
        problem(randomProblem(module.artifact(), random.sizes,
                              scalarsOf(random.form),
                              workspacesOf(random.config))) {}

  void check() {
    const std::vector<HostTensor> results = launchForAll(module, problem);
    for (const HostTensor &result : results)
      if (result.name() == "Amax")
        checkAmax(result, *std::ranges::find(results, "D", &HostTensor::name));
      else if (result.name() == "Arrivals")
        EXPECT_EQ(result.bytes(), problem["Arrivals"].bytes());
      else if (result.name() != "Partials")
        checkMatrices(result);
  }

private:
  bool isBatched() const { return random.form.batched; }

  void checkMatrices(const HostTensor &result) {
    for (int64_t i = 0; i < (isBatched() ? problem.size("batch") : 1); ++i)
      EXPECT_LE(worstOfGemm(matrixOf(problem["A"], i),
                            matrixOf(problem["B"], i), matrixOf(result, i),
                            [&](double product, Coordinate at) {
                              return expected(result.name() == "D", product, i,
                                              at);
                            }),
                1)
          << "of the tolerance of an element of " << result.name();
  }

  Expected expected(bool isD, double product, int64_t batch,
                    Coordinate at) const {
    const GemmForm &form = random.form;
    const int64_t inBatch[] = {batch, at[0], at[1]};
    const Coordinate place = isBatched() ? Coordinate(inBatch) : at;
    const int64_t k = problem.size("K");
    const double x = linear(form, problem, place, product);
    const double scale = isD && form.scale_d ? problem.scalar("scale_d") : 1;
    double value = isD ? stored(form, problem, place, product) : x;
    double tolerance =
        1e-5 + summation(random.types, k) *
                   (std::abs(x) +
                    std::sqrt(k) * std::abs(scaleOf(form, problem, place)));
    // gelu is the approximation by tanh.
    if (isD && form.activation > Activation::relu)
      tolerance += 1e-3 + 1e-3 * std::abs(x);
    const ElementType type = random.types.d;
    if (type == e4m3)
      value = std::clamp(value, -largestE4m3, largestE4m3);
    return {value, tolerance * scale + smallestRounding(type) +
                       1.01 * rounding(type) * std::abs(value)};
  }

  /// Against D, which is checked by itself.
  void checkAmax(const HostTensor &amax, const HostTensor &d) {
    const double scale = random.form.scale_d ? problem.scalar("scale_d") : 1;
    double largest = 0;
    harness::forEachCoordinate(d.shape(), [&](Coordinate at) {
      largest = std::max(largest, std::abs(d(at)) / scale);
    });
    largest = std::max(largest, problem["Amax"](0));
    const double found =
        d.type() == e4m3 ? std::min(amax(0), largestE4m3 / scale) : amax(0);
    EXPECT_NEAR(found, largest,
                1.01 * rounding(d.type()) * largest +
                    smallestRounding(d.type()) / scale);
  }

  const RandomGemm &random;
  Module module;
  Problem problem;
};

void runs(int number) {
  static Kernels kernels;
  const RandomGemm random = drawn(number);
  SCOPED_TRACE(random.str() + "; --gtest_filter=" + suite + "." +
               std::to_string(number) + " --gtest_random_seed=" +
               std::to_string(GTEST_FLAG_GET(random_seed)));
  try {
    Run(random, kernels.of(number)).check();
  } catch (const std::exception &error) {
    ADD_FAILURE() << error.what();
  }
}

[[maybe_unused]] const bool registered = [] {
  for (int number = 0; number < problems; ++number)
    registerTest(suite, std::to_string(number), [number] { runs(number); });
  return true;
}();

} // namespace
} // namespace ashlar::test
