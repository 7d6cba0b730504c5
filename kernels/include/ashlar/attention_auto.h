// The choice of an attention kernel's configuration for a problem, from a model
// that counts clocks and bytes.
#pragma once

#include "ashlar/attention.h"
#include "ashlar/gemm_cost.h"

#include <string>
#include <vector>

namespace ashlar {

/// Microseconds of one launch; the parts are of one with its inputs in DRAM.
struct AttentionCost {
  double math = 0;    ///< of the SM that has the most: products and softmax
  double exposed = 0; ///< of that, while what is busiest has nothing to do
  double load = 0;    ///< the way of keys into that SM
  double memory = 0;  ///< DRAM, and L2 where heads share keys
  double latency = 0; ///< launch, first bytes, tiles that begin anew
  double combine = 0; ///< adding up parts
  double cold = 0;    ///< with the inputs in DRAM
  double hot = 0;     ///< with what L2 has kept of an equal launch before
  double total = 0;   ///< geometric mean of cold and hot
};

/// A form's `group`, a configuration, and the launch's size Splits, 0 where it
/// has none. A launch has the workspaces that these ask for, Next or Parts.
struct AttentionChoice {
  int64_t group = 1;
  AttentionConfig config;
  int64_t splits = 0;
  AttentionCost cost = {};
};

/// The configuration that the model finds fastest; the form's `group` is not
/// looked at. Throws `Error`, with the caller's line, where there is none.
///
/// What a row's result is depends on blocks and parts of its keys. For results
/// that do not depend on what else is in the batch keep to one choice: that for
/// one sequence of as many keys as there will ever be.
AttentionChoice
attention_auto(const AttentionForm &form, const AttentionSizes &sizes,
               const GpuModel &gpu = h200(),
               SourceLocation where = SourceLocation::current());

/// What registers and shared memory have room for, the model's fastest first;
/// of configurations that differ in how many parts there are the fastest alone.
/// None where no form or sizes are these.
std::vector<AttentionChoice> attention_candidates(const AttentionForm &form,
                                                  const AttentionSizes &sizes,
                                                  const GpuModel &gpu = h200());

/// The estimate for a configuration. Throws `Error` for one that `attention`
/// refuses, and for splits that do not go with it.
///
/// Tiles, or parts of them, go to the SMs in turn. A wave takes as long as what
/// is slowest: the products and the softmax of an SM, of which those of
/// different warpgroups overlap; the way of its keys into it, or their latency
/// with as many bytes on their way as the ring has stages for; DRAM for all of
/// the wave. A hot launch differs in how many bytes come from DRAM.
AttentionCost attention_cost(const AttentionForm &form,
                             const AttentionSizes &sizes,
                             const AttentionChoice &choice,
                             const GpuModel &gpu = h200(),
                             SourceLocation where = SourceLocation::current());

/// The first of these as a table, with what each takes by the model.
std::string why(const std::vector<AttentionChoice> &candidates,
                int64_t most = 10);

} // namespace ashlar
