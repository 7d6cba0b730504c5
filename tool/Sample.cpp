#include "tool/Sample.h"

#include "tool/MakeProblem.h"

#include <chrono>
#include <random>
#include <vector>

namespace ashlar::harness {

namespace {

using Clock = std::chrono::steady_clock;
using Coordinate = std::vector<int64_t>;

/// Visits this many elements whatever the time.
constexpr int64_t atLeast = 64;

class Sampler {
public:
  explicit Sampler(std::span<const int64_t> shape) : shape(shape) {}

  Coordinate corner(uint64_t bits) const {
    Coordinate at;
    for (size_t d = 0; d < shape.size(); ++d)
      at.push_back(bits >> d & 1 ? shape[d] - 1 : 0);
    return at;
  }

  Coordinate anywhere() {
    Coordinate at;
    for (int64_t extent : shape)
      at.push_back(
          std::uniform_int_distribution<int64_t>(0, extent - 1)(random));
    return at;
  }

  Coordinate atAnEnd() {
    Coordinate at = anywhere();
    if (!at.empty()) {
      const size_t d =
          std::uniform_int_distribution<size_t>(0, at.size() - 1)(random);
      at[d] = shape[d] - 1;
    }
    return at;
  }

private:
  std::span<const int64_t> shape;
  std::mt19937_64 random{1};
};

} // namespace

void visitAsManyAsFit(
    std::span<const int64_t> shape, double seconds,
    const std::function<void(std::span<const int64_t>)> &visit) {
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  if (elements <= atLeast)
    return forEachCoordinate(shape, visit);

  Sampler sampler(shape);
  const auto start = Clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  int64_t visited = 0;
  auto take = [&](const Coordinate &at) {
    visit(at);
    ++visited;
  };
  for (uint64_t bits = 0; bits < uint64_t(1) << shape.size(); ++bits)
    take(sampler.corner(bits));
  while (visited < atLeast)
    take(visited % 2 ? sampler.atAnEnd() : sampler.anywhere());
  if (elapsed() / static_cast<double>(visited) *
          static_cast<double>(elements) <=
      seconds)
    return forEachCoordinate(shape, visit);
  while (elapsed() < seconds)
    take(visited % 2 ? sampler.atAnEnd() : sampler.anywhere());
}

} // namespace ashlar::harness
