// Compiles a program, runs it in the simulator and holds the results against
// the interpreter's.
#ifndef ASHLAR_TEST_CORPUS_CHECK_H
#define ASHLAR_TEST_CORPUS_CHECK_H

#include "test/corpus/Program.h"
#include "test/corpus/Waits.h"

namespace ashlar::corpus {

struct Failure {
  /// "refused", "C7515", "spill", "deadlock" and other findings of the
  /// simulator, "wrong result", "crash", "timeout".
  std::string kind;
  std::string detail;
};

struct Outcome {
  std::vector<Failure> failures; ///< none: the program does what it should
  /// See `lostInFlight`; nothing too where the program does not run.
  std::optional<Lost> lost = {};

  bool failsBy(const std::string &kind) const;
  /// Each once, in the order of the failures.
  std::vector<std::string> kinds() const;
  /// The first failure of each kind, in full.
  std::string str() const;
};

/// How far a program is followed.
struct Effort {
  bool simulates = true;
  /// Orders of execution that the simulator tries, up to the first failure.
  uint64_t schedules = 1;
};

Outcome check(const Program &program, const Effort &effort = {});

/// The same in a process of its own, which may crash or take too long.
Outcome checkApart(const Program &program, const Effort &effort = {});

/// Whether the assembler or the compiler finds failures of this kind.
bool isFoundByCompiling(const std::string &kind);

} // namespace ashlar::corpus

#endif
