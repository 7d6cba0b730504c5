// A bug planted in the PTX of one of the kernels.
#ifndef ASHLAR_TEST_MUTANTS_MUTANT_H
#define ASHLAR_TEST_MUTANTS_MUTANT_H

#include "test/mutants/Kernels.h"

#include "ashlar/artifact.h"
#include "runtime/sim/machine/Report.h"

#include <ostream>
#include <string>
#include <vector>

namespace ashlar::test {

/// A change of the PTX.
struct Edit {
  /// ECMAScript regular expression, its replacement (with $1, ...), and which
  /// of the places where it matches is changed: 0 is the first, -1 all.
  std::string pattern, replacement;
  int occurrence = 0;
};

struct Mutant {
  std::string name;                 // what is wrong, in words
  std::string kernel;               // of mutantKernels()
  std::string pattern, replacement; // as in Edit
  int occurrence = 0;
  sim::Finding finding = sim::Finding::other;
  /// Marks of lines (see Kernels.h) one of which the report's sites must name.
  std::vector<std::string> marks;
  /// Words of the first report's sentence: it must name the cause, not what
  /// follows from it. Empty: any report may be the first.
  std::string headline = {};
  bool moreTilesThanCtas = false; // it shows in a CTA's second tile only
  std::vector<Edit> also = {};    // in what the first change left
};

inline std::ostream &operator<<(std::ostream &out, const Mutant &mutant) {
  return out << mutant.name;
}

const std::vector<Mutant> &mutants();
/// The last of them, those of the attention kernel.
std::vector<Mutant> attentionMutants();

/// The PTX with the bug. Throws `Error` when the pattern does not occur.
std::string mutate(const std::string &ptx, const Mutant &mutant);

/// Runs what a kernel was compiled to in the simulator under a seed, on a few
/// tiles or on more than there are CTAs. A wrong result is a report as well.
std::vector<sim::Report> run(const NamedKernel &kernel,
                             const Artifact &artifact, uint64_t seed,
                             bool moreTilesThanCtas = false);

/// The report that finds the mutant as expected; null when none does.
const sim::Report *findExpected(const Mutant &mutant,
                                const std::vector<sim::Report> &reports);

} // namespace ashlar::test

#endif
