#include "bench/AttentionTuner.h"

#include "ashlar/error.h"
#include "bench/Parallel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>

namespace ashlar::bench {

namespace {

constexpr int rounds = 3;
/// What a measurement may take on the device.
constexpr double milliseconds = 15;

using Kind = std::tuple<int64_t, int64_t, bool, bool, bool>;

Kind kindOf(const AttentionChoice &choice) {
  return {choice.config.warpgroups, choice.config.ctas, choice.config.splits,
          choice.group > 1, choice.config.dynamic};
}

} // namespace

std::vector<AttentionChoice>
tunedChoices(const AttentionProblem &problem, size_t count,
             const std::vector<std::string> &avoided, const GpuModel &gpu) {
  const AttentionForm form = problem.form();
  // It says why where there is none.
  attention_auto(form, problem.sizes(), gpu);
  std::vector<AttentionChoice> left = attention_candidates(
                                   form, problem.sizes(), gpu),
                               taken;
  std::erase_if(left, [&](const AttentionChoice &choice) {
    return std::ranges::any_of(avoided, [&](const std::string &word) {
      return str(choice).find(word) != std::string::npos;
    });
  });
  if (left.empty())
    throw Error("--avoid leaves no configuration: avoid fewer words");
  std::set<Kind> kinds;
  auto take = [&](size_t most, auto isWanted) {
    std::erase_if(left, [&](const AttentionChoice &choice) {
      if (taken.size() >= most || !isWanted(choice))
        return false;
      taken.push_back(choice);
      kinds.insert(kindOf(choice));
      return true;
    });
  };
  auto any = [](const AttentionChoice &) { return true; };
  take((count + 1) / 2, any);
  take(count, [&](const AttentionChoice &choice) {
    return !kinds.contains(kindOf(choice));
  });
  take(count, any);
  return taken;
}

double AttentionTrial::total() const { return std::sqrt(cold * hot); }

const AttentionTrial *AttentionTuning::best() const {
  const AttentionTrial *best = nullptr;
  for (const AttentionTrial &trial : trials)
    if (trial.dropped.empty() && (!best || trial.total() < best->total()))
      best = &trial;
  return best;
}

std::optional<double> AttentionTuning::regret() const {
  if (trials.empty() || !trials.front().dropped.empty())
    return std::nullopt;
  return trials.front().total() / best()->total();
}

std::string table(const AttentionTuning &tuning) {
  const AttentionProblem &problem = tuning.problem;
  std::string text = str(problem) + "\n  " + std::string(32, ' ') +
                     "model us  cold us   hot us  TFLOP/s    GB/s\n";
  auto print = [&](const char *format, auto... values) {
    char line[160];
    std::snprintf(line, sizeof line, format, values...);
    text += line;
  };
  const AttentionTrial *best = tuning.best();
  for (const AttentionTrial &trial : tuning.trials) {
    print("  %-30s%10.1f", str(trial.choice).c_str(), trial.choice.cost.total);
    if (trial.dropped.empty())
      print("%9.1f%9.1f%9.0f%8.0f%s\n", trial.cold, trial.hot,
            problem.operations() / trial.hot / 1e6,
            problem.bytes() / trial.hot / 1e3, &trial == best ? " *" : "");
    else
      text += "  is dropped: " + trial.dropped + "\n";
  }
  if (!best)
    return text + "  none of them could be measured\n";
  text += "  the best is " + str(best->choice);
  if (const std::optional<double> regret = tuning.regret())
    print("; the model's choice takes %.3f times as long\n", *regret);
  else
    text += "; the model's choice was dropped\n";
  return text;
}

std::string summary(const std::vector<AttentionTuning> &all) {
  double logarithms = 0, worst = 1;
  int count = 0;
  const AttentionProblem *of = nullptr;
  for (const AttentionTuning &tuning : all)
    if (const std::optional<double> regret = tuning.regret()) {
      logarithms += std::log(*regret);
      ++count;
      if (!of || *regret > worst) {
        worst = *regret;
        of = &tuning.problem;
      }
    }
  if (!of)
    return "no choice of the model could be measured\n";
  char text[320];
  std::snprintf(text, sizeof text,
                "the model's choices take %.3f times as long as the best of "
                "those measured (geometric mean of %d), at worst %.3f times "
                "(%s)\n",
                std::exp(logarithms / count), count, worst, str(*of).c_str());
  return text;
}

/// The candidates of one problem.
class AttentionTuner::Search {
public:
  Search(AttentionTuner &tuner, const AttentionProblem &problem)
      : tuner(tuner), operands(tuner.device, problem) {
    tuning.problem = problem;
    for (const AttentionChoice &choice :
         tunedChoices(problem, tuner.candidates, tuner.avoided,
                      modelOf(tuner.device.sm_count())))
      tuning.trials.push_back({choice, 0, 0, {}});
  }

  AttentionTuning run() {
    compileAll();
    measureInTurns();
    return tuning;
  }

private:
  void compileAll() {
    std::vector<AttentionTrial> &trials = tuning.trials;
    std::vector<Artifact> artifacts(trials.size());
    inParallel(int64_t(trials.size()), 1, [&](int64_t i, int64_t) {
      try {
        artifacts[i] = compileChoice(operands.problem, trials[i].choice);
      } catch (const std::exception &error) {
        trials[i].dropped = error.what();
      }
    });
    for (size_t i = 0; i < trials.size(); ++i)
      if (trials[i].dropped.empty())
        add(trials[i], artifacts[i]);
  }

  void add(AttentionTrial &trial, const Artifact &artifact) {
    try {
      auto launch = std::make_shared<AttentionLaunch>(tuner.device, operands,
                                                      trial.choice, artifact);
      const Contender ours{str(operands.problem) + ", " + str(trial.choice),
                           [launch](Stream &stream) { (*launch)(stream); }};
      operands.forgetResult();
      tuner.timer.once(ours);
      if (const double error = operands.error();
          !(error < operands.tolerance())) {
        char text[80];
        std::snprintf(text, sizeof text, "its result is WRONG by %.1e", error);
        throw Error(text);
      }
      contenders.push_back({&trial, ours, {}, {}});
    } catch (const Error &error) {
      trial.dropped = error.what();
    }
  }

  /// Times all in rounds of random order: clocks follow what the card has done
  /// before.
  void measureInTurns() {
    for (int round = 0; round < rounds; ++round) {
      std::ranges::shuffle(contenders, tuner.random);
      for (Measured &of : contenders)
        of.hot.push_back(tuner.timer.hot(of.contender, milliseconds));
      for (Measured &of : contenders)
        of.cold.push_back(tuner.timer.cold(of.contender, milliseconds));
    }
    for (const Measured &of : contenders) {
      of.trial->hot = median(of.hot);
      of.trial->cold = median(of.cold);
    }
  }

  struct Measured {
    AttentionTrial *trial;
    Contender contender;
    std::vector<double> hot, cold;
  };

  AttentionTuner &tuner;
  AttentionOperands operands;
  AttentionTuning tuning;
  std::vector<Measured> contenders;
};

AttentionTuning AttentionTuner::tune(const AttentionProblem &problem) {
  return Search(*this, problem).run();
}

} // namespace ashlar::bench
