// Correct programs with one call dropped, doubled or moved, or one index
// changed.
#ifndef ASHLAR_TEST_BROKEN_BREAKPROGRAM_H
#define ASHLAR_TEST_BROKEN_BREAKPROGRAM_H

#include "test/corpus/Dice.h"
#include "test/corpus/Program.h"

#include <optional>
#include <set>

namespace ashlar::broken {

/// What calls are about.
struct Touched {
  std::set<int> rings; ///< StageTile::ownTile: the math role's own tile
  std::set<int> outputs;
};

struct BrokenProgram {
  corpus::Program program;
  std::string call;   ///< "acquire", "commit", "copy", ...
  std::string change; ///< "dropped", "doubled", "moved", "index"
  std::string text;   ///< the call, as it was
  Touched touched;    ///< by the call, and by what it was moved past
};

/// Nothing where what was drawn is no change. The names in it are declared
/// where they are used, so that a compiler of C++ would take it.
std::optional<BrokenProgram> breakOneCall(const corpus::Program &program,
                                          corpus::Dice &dice);

/// The lines of the listing that are about the same.
std::set<int> linesAbout(const corpus::Program &program,
                         const Touched &touched);

} // namespace ashlar::broken

#endif
