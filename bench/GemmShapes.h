// The problems that GEMM is measured on.
#pragma once

#include "ashlar/gemm.h"

#include <string>
#include <vector>

namespace ashlar::bench {

struct GemmShape {
  GemmSizes sizes;
  /// Where it comes from: "Llama-3 8B qkv"; empty for those that are named by
  /// their sizes.
  std::string origin;
};

/// "4096x6144x4096": M, N and K.
std::string str(const GemmSizes &sizes);

/// Floating-point operations of one product.
double operations(const GemmSizes &sizes);

/// The twelve that every comparison has.
std::vector<GemmShape> namedShapes();

/// `count` different projections of public transformer models, each with a
/// number of tokens; the same for the same seed everywhere.
std::vector<GemmShape> drawShapes(uint64_t seed, int count);

/// `count` shapes whose extents are multiples of 8 and not of 64, from 100 to
/// 12,000, each magnitude as likely as another; the same for the same seed.
std::vector<GemmShape> drawRaggedShapes(uint64_t seed, int count);

/// The same of odd extents, which are multiples of nothing; and those with each
/// extent rounded up to a multiple of 8.
std::vector<GemmShape> drawOddShapes(uint64_t seed, int count);
std::vector<GemmShape> drawEvenedShapes(uint64_t seed, int count);

/// Reads "MxNxK"; throws `Error` for anything else.
GemmShape parseShape(const std::string &text);

} // namespace ashlar::bench
