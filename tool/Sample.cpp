#include "tool/Sample.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace ashlar::harness {

namespace {

class Sampler {
public:
  explicit Sampler(std::span<const int64_t> shape)
      : shape(shape), at(shape.size()) {}

  int64_t corner(uint64_t bits) {
    for (size_t d = 0; d < shape.size(); ++d)
      at[d] = bits >> d & 1 ? shape[d] - 1 : 0;
    return number();
  }

  int64_t anywhere() {
    drawAnywhere();
    return number();
  }

  int64_t atAnEnd() {
    drawAnywhere();
    const size_t d = below(static_cast<int64_t>(shape.size()));
    at[d] = shape[d] - 1;
    return number();
  }

private:
  int64_t below(int64_t limit) {
    return std::uniform_int_distribution<int64_t>(0, limit - 1)(random);
  }

  void drawAnywhere() {
    for (size_t d = 0; d < shape.size(); ++d)
      at[d] = below(shape[d]);
  }

  int64_t number() const {
    int64_t sum = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      sum = sum * shape[d] + at[d];
    return sum;
  }

  std::span<const int64_t> shape;
  std::vector<int64_t> at;
  std::mt19937_64 random{1};
};

} // namespace

std::vector<int64_t> sample(std::span<const int64_t> shape, int64_t count) {
  std::vector<int64_t> numbers;
  // The product of the others may not be a number.
  if (std::ranges::find(shape, 0) != shape.end())
    return numbers;
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  if (elements <= count) {
    numbers.resize(elements);
    std::iota(numbers.begin(), numbers.end(), int64_t(0));
    return numbers;
  }
  Sampler sampler(shape);
  for (uint64_t bits = 0; bits < uint64_t(1) << shape.size(); ++bits)
    numbers.push_back(sampler.corner(bits));
  while (static_cast<int64_t>(numbers.size()) < count)
    numbers.push_back(numbers.size() % 2 ? sampler.atAnEnd()
                                         : sampler.anywhere());
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  return numbers;
}

void coordinateOf(int64_t number, std::span<const int64_t> shape,
                  std::span<int64_t> coordinate) {
  for (size_t d = shape.size(); d-- > 0;) {
    coordinate[d] = number % shape[d];
    number /= shape[d];
  }
}

} // namespace ashlar::harness
