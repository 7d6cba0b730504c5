// The statements that the warps of a role execute on a problem, one after
// another.
#ifndef ASHLAR_TEST_CORPUS_UNROLL_H
#define ASHLAR_TEST_CORPUS_UNROLL_H

#include "test/corpus/Program.h"

#include <array>

namespace ashlar::corpus {

struct Tile {
  int64_t m = 0, n = 0;
};

/// The counters of the loops around a statement, by number.
using Counters = std::vector<int64_t>;

struct Step {
  enum class Kind : uint8_t {
    run,       ///< the statement
    orderWait, ///< of ping-pong: until the instance before has arrived
    orderArrive,
  };
  Kind kind = Kind::run;
  const Statement *statement = nullptr;
  Counters counters;
  Tile tile;
  /// Of the tile, for the order of ping-pong; of the fill of the ring, for
  /// acquire and wait.
  int64_t number = 0;
};

/// A role's warps, or those of one of its instances.
struct Agent {
  int role = 0;
  std::vector<Step> steps;
};

int64_t valueOf(const Program &program, const Number &number,
                const Counters &counters, Tile tile);

/// The tiles of each CTA, in its order.
std::vector<std::vector<Tile>> tilesOfCtas(const Program &program);

/// The agents of a CTA. Loops and conditions are gone; steps are statements
/// without a body. Empty where a loop would never end or a step is not
/// positive.
std::vector<Agent> unroll(const Program &program,
                          const std::vector<Tile> &tiles);

} // namespace ashlar::corpus

#endif
