#include "GemmCandidates.h"
#include "GemmResources.h"
#include "GemmTiling.h"
#include "ashlar/error.h"
#include "ashlar/gemm.h"

#include <algorithm>
#include <utility>

namespace ashlar {

namespace {

/// What is known of an operand of `extent` times K that is prepared.
struct PreparedOperand {
  std::string_view name, extentName, paddedName;
  ElementType type;
  int64_t extent;
  bool isOtherMajor;

  GemmWorkspace copyOf(const GemmSizes &sizes, bool isBatched) const {
    auto padded = [&](int64_t columns) {
      const int64_t unit = preparedBytes / size_bytes(type);
      return std::max<int64_t>(ceilDiv(columns, unit), 1) * unit;
    };
    GemmWorkspace copy{name, type, {}, {}};
    if (isStagedKMajor(type, isOtherMajor))
      copy.shape = {extent, padded(sizes.k)},
      copy.extents = {extentName, "KPadded"};
    else
      copy.shape = {sizes.k, padded(extent)}, copy.extents = {"K", paddedName};
    if (isBatched) {
      copy.shape.insert(copy.shape.begin(), sizes.batch);
      copy.extents.insert(copy.extents.begin(), "batch");
    }
    return copy;
  }
};

} // namespace

std::vector<GemmWorkspace> gemm_workspace(const GemmSizes &sizes,
                                          const GemmTypes &types,
                                          const GemmConfig &config,
                                          const GemmForm &form, int64_t ctas,
                                          SourceLocation where) {
  auto refuse = [&](const std::string &reason) {
    throw Error({where.file_name(), where.line(), where.column()},
                "gemm_workspace: " + reason);
  };
  for (const std::string &reason :
       {notProblem(sizes, types, form), notBuildable(types, config, form)})
    if (!reason.empty())
      refuse(reason);
  if (ctas < 1)
    refuse("a grid has 1 CTA or more, not " + std::to_string(ctas));
  const PreparedOperand a{"AlignedA", "M",     "MPadded",
                          types.a,    sizes.m, types.layout.a_m_major};
  const PreparedOperand b{"AlignedB", "N",     "NPadded",
                          types.b,    sizes.n, types.layout.b_n_major};
  std::vector<GemmWorkspace> all;
  if (config.stream_k)
    all = {{"Partials",
            sumType(types),
            {ctas, config.bm, config.bn},
            {"CTAs", "", ""}},
           {"Arrivals", s32, {ctas}, {"CTAs"}}};
  for (auto [isPrepared, operand] :
       {std::pair{config.prepared_a, a}, std::pair{config.prepared_b, b}})
    if (isPrepared)
      all.push_back(operand.copyOf(sizes, form.batched));
  if (config.prepared_a || config.prepared_b)
    all.push_back(
        {"Prepared", s32, {preparedSections(types, config, form) + 1}, {""}});
  return all;
}

} // namespace ashlar
