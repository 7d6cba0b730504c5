// Draws by a seed: the same on every machine.
#ifndef ASHLAR_TEST_KERNELS_DRAW_H
#define ASHLAR_TEST_KERNELS_DRAW_H

#include <cstdint>
#include <iterator>
#include <random>

namespace ashlar::test {

class Draw {
public:
  explicit Draw(std::mt19937_64 &random) : random(random) {}

  /// One of these.
  int64_t operator()(auto... values) const {
    const int64_t all[] = {values...};
    return all[random() % std::size(all)];
  }

private:
  std::mt19937_64 &random;
};

} // namespace ashlar::test

#endif
