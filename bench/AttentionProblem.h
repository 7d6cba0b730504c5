// A problem of attention that is timed.
#pragma once

#include "ashlar/attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::bench {

struct AttentionProblem {
  int64_t causal, d, dv, b, h, hk, sq, sk;
  ElementType type = bf16;
  int64_t page = 0; ///< keys of each, 0 where they lie in one piece
  bool latent = false;
  int64_t threshold = 0; ///< rescale_threshold

  AttentionForm form() const {
    AttentionForm form;
    form.type = type;
    form.d = d;
    form.dv = dv;
    form.latent = latent;
    form.rescale_threshold = threshold;
    if (causal)
      form.after = 0;
    if (page)
      form.page = page;
    return form;
  }
  AttentionSizes sizes() const { return {b, h, hk, sq, sk}; }
  float scale() const { return 1 / std::sqrt(float(d)); }
  /// How many keys a row sees.
  int64_t keysOf(int64_t row) const {
    return causal ? std::max<int64_t>(std::min(sk, row + 1 + sk - sq), 0) : sk;
  }
  /// Floating-point operations of both products, and bytes of all tensors.
  double operations() const;
  double bytes() const;
};

/// "d128 causal b4 h32 hk8 q4096 k4096": head dimensions, sequences, heads of Q
/// and of K, queries and keys of a sequence; what may be left out is not there.
std::string str(const AttentionProblem &problem);

/// Reads the same, in any order; "dv", "page", "rescale", which is the
/// threshold, and a type, f16 or e4m3, may be there too. Without it d is 128,
/// dv is d, hk is h, and q or k is the other one; of "latent" ones V is in K.
/// Throws `Error` for anything else.
AttentionProblem parseAttention(const std::string &text);

/// Those that docs/attention.md has figures of: prefill of 16k tokens, d 64 to
/// 256, full and causal, with heads of their own and shared ones, and decoding
/// in pages.
std::vector<AttentionProblem> namedAttention();

} // namespace ashlar::bench
