// What no configuration computes: problems that are none, and types.

#include "GemmCandidates.h"
#include "GemmResources.h"
#include "GemmTiling.h"
#include "compiler/target/Target.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ashlar {

static std::string number(int64_t value) { return std::to_string(value); }

std::string notTypes(const GemmTypes &types, const GemmForm &form) {
  constexpr ElementType operands[] = {bf16, f16, tf32, f32, e4m3, e5m2, s8, u8};
  constexpr ElementType results[] = {bf16, f16, f32, e4m3, e5m2, s8, u8, s32};
  for (auto [type, what] : {std::pair{types.a, "A"}, std::pair{types.b, "B"}})
    if (!std::ranges::count(operands, type))
      return std::string(what) + " is " + std::string(name(type)) +
             "; operands are bf16, f16, tf32, f32, e4m3, e5m2, s8 or u8: "
             "convert it to one of these";
  if (!std::ranges::count(results, types.d))
    return "D is " + std::string(name(types.d)) +
           "; results are bf16, f16, f32, e4m3, e5m2, s8, u8 or s32: use one "
           "of these";
  if (size_bytes(types.a) != size_bytes(types.b))
    return "A is " + std::string(name(types.a)) + " and B is " +
           std::string(name(types.b)) +
           "; wgmma multiplies operands of one size: convert one of them";
  if (isInParts(types) != (types.b == f32))
    return "A is " + std::string(name(types.a)) + " and B is " +
           std::string(name(types.b)) +
           "; both are multiplied at f32's precision or both as tf32: call "
           "both f32, or both tf32";
  if (size_bytes(types.a) > 1 && types.a != types.b)
    return "A is " + std::string(name(types.a)) + " and B is " +
           std::string(name(types.b)) +
           "; wgmma multiplies those of more than 8 bits with their own kind: "
           "convert one of them";
  const bool isExact = sumType(types) == s32;
  if (isExact != (types.b == s8 || types.b == u8))
    return "A is " + std::string(name(types.a)) + " and B is " +
           std::string(name(types.b)) +
           "; wgmma multiplies integers with integers: convert one of them";
  if ((form.row_zeros || form.column_zeros) && !isExact)
    return "zero points are subtracted from sums of integers, and those of " +
           std::string(name(types.a)) + " are f32: leave out row_zeros " +
           "and column_zeros, or use s8 or u8";
  if (form.activation > Activation::silu)
    return "there is no activation " +
           std::to_string(static_cast<int>(form.activation)) +
           ": use none, relu, gelu or silu";
  if (types.d == s32 && form != GemmForm{.batched = form.batched,
                                         .row_zeros = form.row_zeros,
                                         .column_zeros = form.column_zeros})
    return "D is s32, and what the form computes around the product is f32: "
           "use D of f32, bf16 or f16";
  if (types.d == s32 && !isExact)
    return "D is s32, and the sums of " + std::string(name(types.a)) +
           " are f32: use D of f32, bf16 or f16";
  for (auto [alignment, type, what] :
       {std::tuple{types.layout.align_a, types.a, "align_a"},
        std::tuple{types.layout.align_b, types.b, "align_b"},
        std::tuple{types.layout.align_d, types.d, "align_d"}})
    if (alignment < size_bytes(type) || alignment > target::tmaAlignment ||
        (alignment & (alignment - 1)))
      return std::string(what) + " is " + number(alignment) +
             ": use a power of two from " + number(size_bytes(type)) +
             ", the bytes of an element, to " + number(target::tmaAlignment);
  return "";
}

std::string notProblem(const GemmSizes &sizes, const GemmTypes &types,
                       const GemmForm &form) {
  for (auto [extent, what] :
       {std::pair{sizes.m, "m"}, std::pair{sizes.n, "n"},
        std::pair{sizes.k, "k"}, std::pair{sizes.batch, "batch"}})
    if (extent < 0 || extent > target::largestExtent)
      return std::string(what) + " is " + number(extent) + ": use 0 to " +
             number(target::largestExtent);
  // Of any type it is less than the 2^40 bytes of a tensor map.
  constexpr int64_t mostStride = (int64_t(1) << 38) - 1;
  const GemmLayout &layout = types.layout;
  for (auto [stride, row, what] :
       {std::tuple{sizes.lda, layout.a_m_major ? sizes.m : sizes.k, "lda"},
        std::tuple{sizes.ldb, layout.b_n_major ? sizes.n : sizes.k, "ldb"},
        std::tuple{sizes.ldd, layout.d_m_major ? sizes.m : sizes.n, "ldd"}})
    if (stride != 0 && (stride < row || stride > mostStride))
      return std::string(what) + " is " + number(stride) + " and a row has " +
             number(row) + " elements: use the elements from a row to the " +
             "next, up to " + number(mostStride) +
             ", or 0 where none lie between them";
  // Of addresses a device has 47 bits.
  constexpr double mostBytes = 0x1p47;
  const auto [m, n, k, batch, lda, ldb, ldd] = atLeastOne(sizes);
  for (auto [matrix, rows, columns, type] :
       {std::tuple{'A', m, k, types.a}, std::tuple{'B', n, k, types.b},
        std::tuple{'D', m, n, types.d}})
    if (static_cast<double>(batch) * static_cast<double>(rows) *
            static_cast<double>(columns) *
            static_cast<double>(size_bytes(type)) >
        mostBytes)
      return std::string(1, matrix) + " has more bytes than a device has " +
             "addresses: use smaller sizes";
  if (sizes.batch != 1 && !form.batched)
    return "the sizes are those of a batch of " + number(sizes.batch) +
           " and the form is of one problem: set form.batched, or leave " +
           "batch at 1";
  return "";
}

std::string notAligned(const GemmSizes &sizes, const GemmTypes &types) {
  const GemmLayout &layout = types.layout,
                   fitting = aligned_as(sizes, types).layout;
  for (auto [alignment, most, matrix, name] :
       {std::tuple{layout.align_a, fitting.align_a, "A", "align_a"},
        std::tuple{layout.align_b, fitting.align_b, "B", "align_b"},
        std::tuple{layout.align_d, fitting.align_d, "D", "align_d"}})
    if (alignment > most)
      return std::string("rows of ") + matrix + " do not begin on multiples " +
             "of " + number(alignment) + " bytes: use layout." + name + " = " +
             number(most) + ", as aligned_as does";
  return "";
}

} // namespace ashlar
