// The choice of a GEMM's configuration for a problem.
#pragma once

#include "ashlar/gemm_cost.h"
#include "ashlar/gemm_table.h"

#include <string>
#include <vector>

namespace ashlar {

/// The configuration that the model finds fastest, of equal ones that with four
/// stages or more. Takes a millisecond or two. Throws `Error`, with the
/// caller's line, for what no configuration computes.
GemmConfig gemm_auto(const GemmSizes &sizes, const GemmTypes &types = {},
                     const GemmForm &form = {},
                     SourceLocation where = SourceLocation::current());

/// The tuned configuration if the table has the problem and it can be built in
/// this form, else the model's.
GemmConfig gemm_auto(const GemmSizes &sizes, const GemmTypes &types,
                     const GemmForm &form, const GemmTable &table,
                     SourceLocation where = SourceLocation::current());

/// Every sensible configuration for a problem, the model's fastest first.
/// `why_not` has nothing against any of them.
std::vector<GemmConfig> gemm_candidates(const GemmSizes &sizes,
                                        const GemmTypes &types = {},
                                        const GemmForm &form = {});

/// Why the model chooses what it does, as a table: of its `most` fastest
/// candidates, and of other configurations, the parts of `GemmCost` in
/// microseconds, and what limits each cold and hot. Below it, of the others,
/// where they are behind the first, or why they can't be built.
std::string gemm_why(const GemmSizes &sizes, const GemmTypes &types = {},
                     const GemmForm &form = {}, size_t most = 10,
                     const std::vector<GemmConfig> &others = {});

/// Why the kernel of a configuration can't be built for a problem, and what
/// would fit, in a sentence; empty if it can.
std::string why_not(const GemmSizes &sizes, const GemmTypes &types,
                    const GemmConfig &config, const GemmForm &form = {});

} // namespace ashlar
