// Problems of attention's gradients that tests take: by name, and drawn at
// random.
#ifndef ASHLAR_TEST_KERNELS_ATTENTIONBACKWARDCASES_H
#define ASHLAR_TEST_KERNELS_ATTENTIONBACKWARDCASES_H

#include "ashlar/attention.h"
#include "test/kernels/AttentionLayout.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::test {

struct AttentionBackwardCase {
  std::string name;
  AttentionForm form;
  AttentionBackwardConfig config;
  AttentionLengths lengths;
};

std::string describe(const AttentionBackwardCase &tested);

std::vector<AttentionBackwardCase> namedAttentionBackwardCases();
/// Any form, lengths and head dimension.
AttentionBackwardCase drawnAttentionBackward(uint64_t seed);

} // namespace ashlar::test

#endif
