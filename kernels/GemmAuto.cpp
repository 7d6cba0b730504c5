#include "ashlar/gemm_auto.h"

#include "GemmCandidates.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>

namespace ashlar {

namespace {

struct Rated {
  GemmConfig config;
  double microseconds;

  /// Of equal ones that with a fourth stage is on the safe side.
  bool operator<(const Rated &other) const {
    return std::tuple(microseconds, isShort()) <
           std::tuple(other.microseconds, other.isShort());
  }
  bool isShort() const { return config.stages < 4; }
};

} // namespace

std::vector<GemmConfig> gemm_candidates(const GemmSizes &sizes,
                                        const GemmTypes &types,
                                        const GemmForm &form) {
  std::vector<Rated> rated;
  visitCandidates(sizes, types, form, [&](const GemmConfig &config) {
    rated.push_back({config, gemm_cost(sizes, types, config, form).total});
  });
  std::ranges::stable_sort(rated, std::less());
  std::vector<GemmConfig> configs;
  for (const Rated &candidate : rated)
    configs.push_back(candidate.config);
  return configs;
}

GemmConfig gemm_auto(const GemmSizes &sizes, const GemmTypes &types,
                     const GemmForm &form, SourceLocation where) {
  std::optional<Rated> best;
  visitCandidates(sizes, types, form, [&](const GemmConfig &config) {
    const Rated rated{config, gemm_cost(sizes, types, config, form).total};
    if (!best || rated < *best)
      best = rated;
  });
  if (!best)
    throw Error({where.file_name(), where.line(), where.column()},
                "gemm_auto finds no configuration: " +
                    why_not(sizes, types, GemmConfig(), form));
  return best->config;
}

GemmConfig gemm_auto(const GemmSizes &sizes, const GemmTypes &types,
                     const GemmForm &form, const GemmTable &table,
                     SourceLocation where) {
  const std::optional<TunedGemm> tuned = table.find(sizes, types);
  return tuned && why_not(sizes, types, tuned->config, form).empty()
             ? tuned->config
             : gemm_auto(sizes, types, form, where);
}

} // namespace ashlar
