#ifndef ASHLAR_TEST_CORPUS_DICE_H
#define ASHLAR_TEST_CORPUS_DICE_H

#include <cstdint>
#include <random>
#include <vector>

namespace ashlar::corpus {

/// What a program is drawn with: the same numbers for the same seed on every
/// machine.
class Dice {
public:
  explicit Dice(uint64_t seed) : random(seed) {}

  int64_t between(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % (most - least + 1));
  }
  bool percent(int64_t chance) { return between(1, 100) <= chance; }
  bool oneIn(int64_t count) { return between(1, count) == 1; }
  template <typename T> T of(const std::vector<T> &all) {
    return all[between(0, static_cast<int64_t>(all.size()) - 1)];
  }
  /// A number below the count of the weights, each as likely as its weight
  /// says.
  int weighted(const std::vector<int> &weights) {
    int64_t sum = 0;
    for (int weight : weights)
      sum += weight;
    int64_t at = between(0, sum - 1);
    int chosen = 0;
    while (at >= weights[chosen])
      at -= weights[chosen++];
    return chosen;
  }

private:
  std::mt19937_64 random;
};

} // namespace ashlar::corpus

#endif
