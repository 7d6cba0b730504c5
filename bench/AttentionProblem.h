// The extents of a problem of attention that is timed.
#ifndef ASHLAR_BENCH_ATTENTIONPROBLEM_H
#define ASHLAR_BENCH_ATTENTIONPROBLEM_H

#include "ashlar/attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <istream>

namespace ashlar::bench {

struct AttentionProblem {
  int64_t causal, d, dv, b, h, hk, sq, sk;
  ElementType type = bf16; ///< or e4m3

  AttentionForm form() const {
    AttentionForm form;
    form.type = type;
    form.d = d;
    form.dv = dv;
    if (causal)
      form.after = 0;
    return form;
  }
  float scale() const { return 1 / std::sqrt(float(d)); }
  /// How many keys a row sees.
  int64_t keysOf(int64_t row) const {
    return causal ? std::max<int64_t>(std::min(sk, row + 1 + sk - sq), 0) : sk;
  }
};

inline std::istream &operator>>(std::istream &in, AttentionProblem &sizes) {
  return in >> sizes.causal >> sizes.d >> sizes.dv >> sizes.b >> sizes.h >>
         sizes.hk >> sizes.sq >> sizes.sk;
}

} // namespace ashlar::bench

#endif
