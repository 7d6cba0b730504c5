// Problems of attention that tests take: by name, and drawn at random.
#ifndef ASHLAR_TEST_KERNELS_ATTENTIONCASES_H
#define ASHLAR_TEST_KERNELS_ATTENTIONCASES_H

#include "ashlar/attention_auto.h"
#include "test/kernels/AttentionLayout.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::test {

/// A form, and the author's functions by number: none, a score that falls with
/// the distance, keys of the same parity alone.
struct AttentionCase {
  std::string name;
  AttentionForm form;
  AttentionConfig config;
  AttentionLengths lengths;
  bool modifies = false, masks = false;
  int64_t splits = 0; ///< of a configuration that shares keys out
};

std::string describe(const AttentionCase &tested);

/// Keys that an author's scores hide from odd heads, a whole block among them.
constexpr int keysHiddenByScores = 70;
/// What an author does to scores.
void addAuthors(AttentionCase &tested);
/// In so many parts, 0 for none.
void splitUp(AttentionCase &tested, int64_t splits);

std::vector<AttentionCase> namedAttentionCases();
/// Any form, head dimension and lengths.
AttentionCase drawnAttention(uint64_t seed);
/// With heads of any size, of which rows are many boxes to copy, and sums do
/// not divide into parts of 64 columns.
AttentionCase withDrawnHeads(AttentionCase tested, uint64_t seed);
/// The same as drawnAttention with V in K, or with warpgroups that are apart,
/// or both.
AttentionCase drawnLatentAttention(uint64_t seed);

AttentionSizes sizesOf(const AttentionForm &form, const AttentionLengths &n);
/// Takes the configuration that is chosen.
void choose(AttentionCase &tested, const AttentionSizes &sizes);

} // namespace ashlar::test

#endif
