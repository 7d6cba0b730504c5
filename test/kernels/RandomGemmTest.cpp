// The library's GEMM on 200 random problems in random configurations: each
// compiles without a spill or a remark, and each element of every output is
// within what rounding explains. A test is named after
// its number; --gtest_random_seed=N draws 200 others.

#include "test/kernels/RandomGemm.h"
#include "test/kernels/Check.h"
#include "test/kernels/Register.h"

#include <atomic>
#include <future>
#include <map>
#include <thread>

namespace ashlar::test {
namespace {

constexpr const char *suite = "RandomGemm";
constexpr int problems = 200;

GemmCase drawn(int number) {
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
        const GemmCase random = drawn(number);
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

void runs(int number) {
  static Kernels kernels;
  const GemmCase random = drawn(number);
  runPart(random.str() + "; --gtest_filter=" + suite + "." +
              std::to_string(number) + " --gtest_random_seed=" +
              std::to_string(GTEST_FLAG_GET(random_seed)),
          [&] { expectRight(random, kernels.of(number)); });
}

[[maybe_unused]] const bool registered = [] {
  for (int number = 0; number < problems; ++number)
    registerTest(suite, std::to_string(number), [number] { runs(number); });
  return true;
}();

} // namespace
} // namespace ashlar::test
