#include "GemmCandidates.h"
#include "ashlar/gemm_auto.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace ashlar {

namespace {

constexpr std::pair<const char *, double GemmCost::*> parts[] = {
    {"math", &GemmCost::math},
    {"load", &GemmCost::load},
    {"l2", &GemmCost::l2},
    {"memory", &GemmCost::memory},
    {"prologue", &GemmCost::prologue},
    {"epilogue", &GemmCost::epilogue}};
constexpr std::pair<const char *, double GemmCost::*> totals[] = {
    {"cold", &GemmCost::cold},
    {"hot", &GemmCost::hot},
    {"total", &GemmCost::total}};

template <typename... Values>
std::string printed(const char *format, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string heading() {
  std::string text = printed("%4s", "");
  for (const auto &[name, part] : parts)
    text += printed("%9s", name);
  for (const auto &[name, part] : totals)
    text += printed("%9s", name);
  return text + "  limit, hot\n";
}

/// A number among the candidates, from 1; 0 where it is none.
std::string row(size_t number, const GemmConfig &config, const GemmCost &cost) {
  std::string text =
      printed("%4s", number ? std::to_string(number).c_str() : "-");
  for (const auto &[name, part] : parts)
    text += printed("%9.2f", cost.*part);
  for (const auto &[name, part] : totals)
    text += printed("%9.2f", cost.*part);
  return text + "  " +
         printed("%-9s%-9s", std::string(cost.limit).c_str(),
                 std::string(cost.hot_limit).c_str()) +
         config.str() + "\n";
}

/// What takes longer than it does in the first, the most first.
std::string behind(const GemmCost &cost, const GemmCost &first) {
  std::vector<std::pair<double, const char *>> more;
  for (const auto &[name, part] : parts)
    if (const double longer = cost.*part - first.*part; longer >= 0.01)
      more.emplace_back(longer, name);
  std::ranges::sort(more, std::greater());
  std::string text;
  for (const auto &[longer, name] : more)
    text += printed("%s %s %.2f", text.empty() ? ":" : ",", name, longer);
  return printed("%.3f times as long as the first", cost.total / first.total) +
         (more.empty() ? ", and no part of it takes longer"
                       : ", of which take longer" + text) +
         "; limited by " + std::string(cost.limit);
}

} // namespace

std::string gemm_why(const GemmSizes &sizes, const GemmTypes &types,
                     const GemmForm &form, size_t most,
                     const std::vector<GemmConfig> &others) {
  const std::vector<GemmConfig> candidates =
      gemm_candidates(sizes, types, form);
  if (candidates.empty())
    return "no candidates: " + why_not(sizes, types, {}, form) + "\n";
  auto costOf = [&](const GemmConfig &config) {
    return gemm_cost(sizes, types, config, form);
  };
  std::string text =
      std::to_string(candidates.size()) +
      " candidates; microseconds by the model, of the parts cold\n" + heading();
  for (size_t i = 0; i < std::min(most, candidates.size()); ++i)
    text += row(i + 1, candidates[i], costOf(candidates[i]));
  std::string reasons;
  for (const GemmConfig &other : others) {
    reasons += other.str() + ": ";
    if (const std::string reason = why_not(sizes, types, other, form);
        !reason.empty()) {
      reasons += "can't be built: " + reason + "\n";
      continue;
    }
    const auto at = std::ranges::find(candidates, other);
    const size_t number =
        at == candidates.end() ? 0 : 1 + (at - candidates.begin());
    const GemmCost cost = costOf(other);
    if (number == 0 || number > most)
      text += row(number, other, cost);
    reasons += number == 0 ? "no candidate; "
                           : "number " + std::to_string(number) + "; ";
    reasons += behind(cost, costOf(candidates.front())) + "\n";
  }
  return text + reasons;
}

} // namespace ashlar
