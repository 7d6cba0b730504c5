// The search for the fastest configuration of attention on a problem, and how
// near the model's choice comes.
#pragma once

#include "ashlar/attention_auto.h"
#include "bench/AttentionOperands.h"
#include "bench/Timer.h"

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace ashlar::bench {

/// Some `count` candidates of the model, its choice first: half are its
/// fastest, the others the fastest of every other kind (warpgroups, CTAs to an
/// SM, parts or none, heads of their own or grouped). None has one of the words
/// to avoid in its text. Throws `Error` where there is none.
std::vector<AttentionChoice>
tunedChoices(const AttentionProblem &problem, size_t count,
             const std::vector<std::string> &avoided, const GpuModel &gpu);

/// A choice and its microseconds; or why it was left out.
struct AttentionTrial {
  AttentionChoice choice;
  double cold = 0, hot = 0;
  std::string dropped;

  /// Geometric mean of cold and hot, as the model's.
  double total() const;
};

/// What came of one problem.
struct AttentionTuning {
  AttentionProblem problem;
  std::vector<AttentionTrial> trials; ///< the model's choice first

  /// The one with the least total; none where all were dropped.
  const AttentionTrial *best() const;
  /// The time of the model's choice over that of the best.
  std::optional<double> regret() const;
};

/// The table of a problem: what the model says beside what was measured, the
/// best with a star.
std::string table(const AttentionTuning &tuning);

/// Geometric mean of the regrets, and the worst, in a sentence.
std::string summary(const std::vector<AttentionTuning> &all);

/// Compiles candidates for a problem, checks the result of each and times them
/// in turns. One that is refused or computes something else is dropped.
class AttentionTuner {
public:
  AttentionTuner(Device &device, Timer &timer, size_t candidates,
                 std::vector<std::string> avoided)
      : device(device), timer(timer), candidates(candidates),
        avoided(std::move(avoided)) {}

  AttentionTuning tune(const AttentionProblem &problem);

private:
  class Search;

  Device &device;
  Timer &timer;
  size_t candidates;
  std::vector<std::string> avoided;
  std::mt19937 random;
};

} // namespace ashlar::bench
