// What becomes of broken programs and kernels.
#ifndef ASHLAR_TEST_BROKEN_JUDGE_H
#define ASHLAR_TEST_BROKEN_JUDGE_H

#include "test/broken/BreakKernel.h"
#include "test/broken/BreakProgram.h"
#include "test/broken/Kernels.h"

#include <cstdint>
#include <string>

namespace ashlar::broken {

/// What became of a broken program.
enum class Fate : uint8_t {
  refused,
  reported, ///< at a line about what the change is about
  harmless, ///< it computes the same, as the interpreter shows
  another,  ///< it computes something else, which the interpreter does too
  reportedElsewhere, ///< the first report names other lines only
  wrong,             ///< its results are not the interpreter's; no report
  missed,            ///< the interpreter stops; no report
};

struct Judgement {
  Fate fate;
  std::string why;
};

/// Tries so many orders of execution.
Judgement judge(const corpus::Program &right, const BrokenProgram &broken,
                uint64_t schedules);

/// `broken` is `right.make()` with the operation changed. What is not found is
/// harmless where each order of execution gives the same results, to the bit.
Judgement judge(const MeetingKernel &right, const Kernel &broken,
                const BrokenOperation &operation, uint64_t schedules);

} // namespace ashlar::broken

#endif
