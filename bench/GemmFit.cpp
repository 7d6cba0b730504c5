#include "bench/GemmFit.h"

#include "ashlar/gemm_auto.h"
#include "bench/GemmKernels.h"
#include "bench/GemmShapes.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ashlar::bench {

namespace {

struct Constant {
  std::string_view name;
  double GpuModel::*value;
};

#define CONSTANT(name) {#name, &GpuModel::name}
/// All but what is data of the card; the rate of L2, and what narrow rows and
/// those on 16 bytes take, which copies alone say; what clusters add to a
/// launch, which pairs of configurations say that differ in them; and stream-K,
/// which is not chosen.
constexpr Constant constants[] = {
    CONSTANT(narrow),
    CONSTANT(addition_unhidden),
    CONSTANT(lone_stage_clocks),
    CONSTANT(joint_stage_clocks),
    CONSTANT(load_bytes_per_clock),
    CONSTANT(outside_clocks),
    CONSTANT(outside_l2_clocks),
    CONSTANT(edge_parts_microseconds),
    CONSTANT(edge_parts_share),
    CONSTANT(request_clocks),
    CONSTANT(l2_reader),
    CONSTANT(l2_readers),
    CONSTANT(dram_terabytes_per_second),
    CONSTANT(dram_row_bytes),
    CONSTANT(write_back_terabytes_per_second),
    CONSTANT(dram_idle_ctas),
    CONSTANT(resident_bytes),
    CONSTANT(evicted_bytes),
    CONSTANT(beside_streams),
    CONSTANT(held_stages),
    CONSTANT(load_microseconds),
    CONSTANT(stage_microseconds),
    CONSTANT(dram_microseconds),
    CONSTANT(launch_microseconds),
    CONSTANT(early_launch_microseconds),
    CONSTANT(launch_beside_microseconds),
    CONSTANT(warpgroup_microseconds),
    CONSTANT(cluster_bytes_per_clock),
    CONSTANT(epilogue_clocks),
    CONSTANT(strip_clocks),
    CONSTANT(restart_clocks),
    CONSTANT(turn_clocks),
    CONSTANT(reused_stage_clocks),
    CONSTANT(half_sector_clocks),
    CONSTANT(part_sector_clocks),
    CONSTANT(unhidden),
    CONSTANT(stores_unhidden),
    CONSTANT(prepare_microseconds),
    CONSTANT(prepare_beside_microseconds),
    CONSTANT(prepare_transposed_microseconds),
    CONSTANT(prepare_terabytes_per_second),
    CONSTANT(prepare_under_terabytes_per_second),
    CONSTANT(shift_load_bytes_per_clock),
    CONSTANT(shift_bytes_per_clock),
    CONSTANT(shift_step_clocks),
    CONSTANT(shift_start_microseconds),
    CONSTANT(shift_store_bytes_per_clock),
    CONSTANT(shift_row_clocks),
    CONSTANT(transpose_clocks),
    CONSTANT(register_stage_clocks),
    CONSTANT(register_sharer_clocks),
    CONSTANT(register_step_clocks),
    CONSTANT(parts_narrow),
    CONSTANT(parts_step_clocks),
};
#undef CONSTANT

std::string problemOf(const GemmSample &sample) {
  return shortName(sample.types) + " " + str(sample.sizes);
}

/// Whether the model divides by it: it is of no effect where it is infinite.
bool isRate(std::string_view name) {
  return name.find("_per_") != std::string_view::npos ||
         name == "evicted_bytes";
}

/// Two measurements of the same differ by about so much.
constexpr double uncertainty = 0.03;

using Estimate = std::pair<double, double>; ///< by a model, and measured

/// The mean logarithm of what candidates take that may be the best, by times
/// that are so uncertain.
double meanOfBest(const std::vector<Estimate> &candidates,
                  double Estimate::*time) {
  const double least = std::ranges::min(candidates, {}, time).*time;
  double weights = 0, sum = 0;
  for (const Estimate &candidate : candidates) {
    const double weight = std::pow(least / candidate.*time, 1 / uncertainty);
    weights += weight;
    sum += weight * std::log(candidate.second);
  }
  return sum / weights;
}

/// The samples of one problem under a model.
struct Problem {
  double weights = 0, sum = 0, squares = 0; ///< of what is off
  double bestTime = INFINITY;
  std::vector<Estimate> candidates;
};

} // namespace

GemmFitness fitness(std::span<const GemmSample> samples,
                    const GpuModel &model) {
  // What all of a problem have in common changes no choice, but is an error.
  constexpr double common = 0.1;
  std::map<std::string, Problem> problems;
  for (const GemmSample &sample : samples) {
    Problem &of = problems[problemOf(sample)];
    of.bestTime = std::min(of.bestTime, sample.time.score());
  }
  for (const GemmSample &sample : samples) {
    Problem &of = problems[problemOf(sample)];
    const GemmCost cost =
        gemm_cost(sample.sizes, sample.types, sample.config, {}, model);
    const double weight = std::pow(of.bestTime / sample.time.score(), 4);
    for (auto [model, measured] : {std::pair{cost.hot, sample.time.hot},
                                   std::pair{cost.cold, sample.time.cold}}) {
      const double off = std::log(model / measured);
      of.weights += weight;
      of.sum += weight * off;
      of.squares += weight * off * off;
    }
    if (!sample.isCandidate)
      continue;
    of.candidates.push_back({cost.total, sample.time.score()});
  }
  GemmFitness result;
  double logarithms = 0, choices = 0;
  for (const auto &[name, of] : problems) {
    const double mean = of.sum / of.weights;
    result.error += of.squares / of.weights - (1 - common) * mean * mean;
    if (of.candidates.empty())
      continue;
    auto least = [&](double Estimate::*time) {
      return std::ranges::min(of.candidates, {}, time).second;
    };
    const double regret = least(&Estimate::first) / least(&Estimate::second);
    logarithms += std::log(regret);
    result.choiceLoss +=
        std::max(meanOfBest(of.candidates, &Estimate::first) -
                     meanOfBest(of.candidates, &Estimate::second),
                 0.0);
    ++choices;
    result.worstRegret = std::max(result.worstRegret, regret);
  }
  result.problems = problems.size();
  const auto count = static_cast<double>(std::max<size_t>(problems.size(), 1));
  result.error = std::sqrt(std::max(result.error, 0.0) / count);
  choices = std::max(choices, 1.0);
  result.regret = std::exp(logarithms / choices);
  result.choiceLoss /= choices;
  return result;
}

/// What a fit makes small. Constants keep to where they began, which is worth
/// less the more problems speak against it.
static double loss(std::span<const GemmSample> samples, const GpuModel &model,
                   const GpuModel &start) {
  // Of an error of 7 % and choices that lose 2, each has about half.
  constexpr double stiffness = 0.005, choice = 0.2;
  const GemmFitness of = fitness(samples, model);
  double moved = 0;
  for (const Constant &constant : constants)
    moved +=
        std::pow(std::log(model.*constant.value / start.*constant.value), 2);
  return of.error * of.error + choice * of.choiceLoss +
         stiffness * moved /
             static_cast<double>(std::max<size_t>(of.problems, 1));
}

GemmFit fitModel(std::span<const GemmSample> samples, const GpuModel &start) {
  // A change counts where the loss falls by more than this part.
  constexpr double least = 1e-4;
  GemmFit fit{start, {}};
  double before = loss(samples, fit.model, start);
  for (double step : {1.3, 1.1, 1.03, 1.01})
    for (bool isBetter = true; isBetter;) {
      isBetter = false;
      for (const Constant &constant : constants)
        for (double factor : {step, 1 / step}) {
          GpuModel changed = fit.model;
          changed.*constant.value *= factor;
          if (changed.evicted_bytes <= changed.resident_bytes)
            continue;
          const double after = loss(samples, changed, start);
          if (!(after < before * (1 - least)))
            continue;
          fit.model = changed;
          before = after;
          isBetter = true;
          break;
        }
    }
  for (const Constant &constant : constants) {
    GpuModel without = fit.model;
    without.*constant.value = isRate(constant.name) ? INFINITY : 0;
    fit.constants.push_back({constant.name, start.*constant.value,
                             fit.model.*constant.value,
                             fitness(samples, without).error});
  }
  return fit;
}

HeldOut holdOut(std::span<const GemmSample> samples) {
  constexpr size_t every = 3;
  std::map<std::string, size_t> numbers;
  HeldOut held;
  for (const GemmSample &sample : samples) {
    const size_t number =
        numbers.try_emplace(problemOf(sample), numbers.size()).first->second;
    (number % every == 0 ? held.unknown : held.known).push_back(sample);
  }
  return held;
}

} // namespace ashlar::bench
