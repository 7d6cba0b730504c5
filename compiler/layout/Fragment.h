// Which thread holds which elements of a tile in registers.

#pragma once

#include "compiler/layout/Layout.h"

#include <optional>

namespace ashlar::layout {

/// The thread-value layout of a fragment: value v of thread t is the element
/// at the colexicographic linear index thread(t) + value(v) of `shape`.
///
/// Elements held by several threads are a broadcast: the thread layout has
/// strides of 0.
struct FragmentLayout {
  std::vector<int64_t> shape;
  Layout thread;
  Layout value;

  /// "128x256 (4,8,4,2):(256,1,16,64) / (2,2,32,1):(128,8,1024,64)"
  std::string str() const;
  /// Reads what str() writes, or says why that is no fragment layout.
  static Result<FragmentLayout> parse(std::string_view text);
  bool operator==(const FragmentLayout &other) const = default;
};

std::ostream &operator<<(std::ostream &out, const FragmentLayout &fragment);

/// Nothing where the threads together hold every element of the shape and none
/// beside it, each mode of theirs moving along one dimension: what all below
/// take for granted.
std::optional<Refusal> whyNotFragment(const FragmentLayout &fragment);

/// A fragment that no mma touches: each thread holds vectors of up to 16 bytes
/// along the last dimension, threads follow one another along the last
/// dimension first. Of no more elements than threads each is held by as many
/// threads as the others are, else by one; refuses more that do not divide
/// evenly among the threads.
Result<FragmentLayout> blockedLayout(const std::vector<int64_t> &shape,
                                     int64_t threads, int64_t elementBytes);

/// A matrix whose rows or columns go to shared memory and back as its columns
/// or rows: as `blockedLayout` has it, but that up to `down` threads follow one
/// another down its rows before others do along them. So the lanes of a warp
/// hold neighbours in a column, and each a vector in a row, and neither is in
/// the way of the others' at the banks. Refuses what does not divide evenly.
Result<FragmentLayout> columnLayout(int64_t m, int64_t n, int64_t threads,
                                    int64_t elementBytes, int64_t down);

/// A matrix of single bytes whose rows or columns go to shared memory and back
/// as its columns or rows: each thread holds vectors of up to 16 bytes of four
/// rows, which are words of its columns. Four threads side by side and eight
/// down, four of these half of a row of all banks further, are not in each
/// other's way in rows that a swizzle of 128 bytes moves, nor in columns where
/// each begins with another of its own. Refuses what does not divide evenly
/// into words.
Result<FragmentLayout> byteBlockLayout(int64_t m, int64_t n, int64_t threads);

/// A matrix of 16-bit elements that ldmatrix and stmatrix move, as it is or
/// transposed: 8x8 matrices, each in the lanes of one warp (PTX ISA,
/// "ldmatrix"). The warps have rows of it as far as there are enough. Refuses
/// what does not divide evenly.
Result<FragmentLayout> matrixLayout(int64_t m, int64_t n, int64_t warps);

/// The fragment of fewer dimensions that broadcasts to this one: each thread
/// holds what it needs and no more. `keptDims` are dimensions that ascend.
FragmentLayout sliceLayout(const FragmentLayout &fragment,
                           const std::vector<int> &keptDims);

/// The fragment of this shape that broadcasts to another one, dimension i of it
/// along dimension `along[i]`: it has that extent, or 1, which is repeated.
FragmentLayout broadcastLayout(const FragmentLayout &fragment,
                               const std::vector<int64_t> &shape,
                               const std::vector<int> &along);

/// The part of this shape that starts at the coordinate `offset`. Refuses
/// unless every thread holds as many elements of it, in the same of its values.
Result<FragmentLayout> partLayout(const FragmentLayout &fragment,
                                  const std::vector<int64_t> &offset,
                                  const std::vector<int64_t> &shape);

/// For each value of a part, the value of the whole that it is.
std::vector<int64_t> valuesOfPart(const FragmentLayout &fragment,
                                  const std::vector<int64_t> &offset,
                                  const FragmentLayout &part);

/// The rows (along dimension 0) that the threads of a warp hold, whole: in each
/// of `parts`, `stride` rows apart, `count` from the first on for warp 0, so
/// many further for others.
struct WarpRows {
  int64_t count;
  int64_t parts, stride;
  /// How far a warp's rows are from those of warp 0, by its number.
  Layout ofWarp;
  bool operator==(const WarpRows &other) const = default;
};
/// Nothing where warps share rows, an element lies in several threads, or the
/// parts are not evenly apart.
std::optional<WarpRows> warpRows(const FragmentLayout &fragment);

/// The element, one coordinate per dimension, that is value `value` of thread
/// `thread`.
std::vector<int64_t> coordinate(const FragmentLayout &fragment, int64_t thread,
                                int64_t value);

/// One layout per dimension, congruent with `half`, that gives the coordinate
/// in that dimension. `half` maps to colexicographic linear indices in `shape`,
/// each of its modes along one dimension.
std::vector<Layout> perDimension(const Layout &half,
                                 const std::vector<int64_t> &shape);

/// The largest power of two such that the values of each thread, taken in
/// groups of so many, are consecutive elements of the last dimension and start
/// at a multiple of it.
int64_t contiguousValues(const FragmentLayout &fragment);

} // namespace ashlar::layout
