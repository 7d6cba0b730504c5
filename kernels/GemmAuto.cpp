#include "ashlar/gemm_auto.h"

#include "GemmCandidates.h"

#include <algorithm>

namespace ashlar {

std::vector<GemmConfig> gemm_candidates(const GemmSizes &sizes,
                                        const GemmTypes &types,
                                        const GemmForm &form) {
  struct Rated {
    GemmConfig config;
    double microseconds;
  };
  std::vector<Rated> rated;
  visitCandidates(sizes, types, form, [&](const GemmConfig &config) {
    rated.push_back({config, gemm_cost(sizes, types, config, form).total});
  });
  std::ranges::stable_sort(rated, {}, &Rated::microseconds);
  std::vector<GemmConfig> configs;
  for (const Rated &candidate : rated)
    configs.push_back(candidate.config);
  return configs;
}

GemmConfig gemm_auto(const GemmSizes &sizes, const GemmTypes &types,
                     const GemmForm &form, SourceLocation where) {
  GemmConfig best;
  double least = 0;
  visitCandidates(sizes, types, form, [&](const GemmConfig &config) {
    const double total = gemm_cost(sizes, types, config, form).total;
    if (least == 0 || total < least)
      best = config, least = total;
  });
  if (least == 0)
    throw Error({where.file_name(), where.line(), where.column()},
                "gemm_auto finds no configuration: " +
                    why_not(sizes, types, best, form));
  return best;
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
