// Programs drawn at random of everything that fragments can do, and what they
// must compute. All numbers are small integers, so that f32 is exact in any
// order of additions.
#ifndef ASHLAR_TEST_KERNELS_RANDOMPROGRAM_H
#define ASHLAR_TEST_KERNELS_RANDOMPROGRAM_H

#include "ashlar/element_type.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::test {

/// What each step gives is clamped to -bound and bound.
constexpr int64_t bound = 100;

/// What a value is of: all elements of a tile, one of each row, or one of each
/// column.
enum class Of { tile, rows, columns };

enum class Combine { sum, max, min };

/// By what way a value becomes one of another type and comes back.
enum class By {
  registers,
  tile,       ///< in shared memory
  turnedTile, ///< whose columns are rows
  scattered,  ///< and each element lies elsewhere when it is read again
  gathered    ///< the same
};

/// An operation on values that stand before it in the program.
struct Step {
  enum Kind {
    inputX,    ///< f32
    inputY,    ///< s32
    inputZ,    ///< of the program's `stored` type
    inputRows, ///< of the table, by indices
    number,
    rowNumbers,
    columnNumbers,
    elements, ///< `which` of `elementOperations()`, in `type`
    mixed,    ///< addition, subtraction or multiplication as they broadcast
    reduce,   ///< each row, or each column
    half,     ///< the same of half of each
    place,    ///< of the largest or least
    whether,  ///< any or all are above `constant`
    scan,
    convert,
    keep,        ///< as `type`, by `by`
    lookUp,      ///< at (a, b) of a table in global memory
    addAll,      ///< the sum, the largest or the least of all elements
    whenAny,     ///< a where some element is above 40, else b
    loop,        ///< b added as often as memory says
    whereInside, ///< a inside of the tensors, else b
    scale,       ///< by a number of memory
    count,       ///< in shared memory, of a & 63; how often a & 63 occurs
    overCluster,
    product, ///< with weights of `other` as A of an mma of `type`
    kinds
  } kind;
  Of of;
  bool isInteger;
  int a = -1, b = -1, c = -1; ///< numbers of steps
  ElementType type = f32;

  // What some kinds ask besides.
  int64_t constant = 0;
  int which = 0;
  Combine combine = Combine::sum;
  bool alongRow = false, exclusive = false;
  By by = By::registers;
  ElementType other = f32; ///< of B
  bool sparse = false, halfSum = false, turned = false;
};

/// How an input reaches registers, or an output memory.
struct Way {
  bool byTile = false; ///< and TMA or cp.async
  bool turned = false; ///< it lies transposed in memory
  bool byElements = false;
  int64_t alignment = 4;
};

struct Program {
  int64_t rows, columns, warps;
  int64_t parts = 1; ///< CTAs of a cluster, which share rows
  ElementType stored = f32, result = f32; ///< of input Z and output E
  Way x, z, d, e;
  std::vector<Step> steps;
};

Program drawProgram(uint64_t seed);
std::string describe(const Program &program);

/// What a type makes of a number that `keep` gives it, and how it comes back.
double kept(ElementType type, double value, bool isInteger);

// What tensors hold before the launch.

double elementOfX(int64_t m, int64_t n);
double elementOfY(int64_t m, int64_t n);
double elementOfZ(ElementType type, int64_t m, int64_t n);
constexpr int64_t tableRows = 24, tableColumns = 512;
double elementOfTable(int64_t row, int64_t column);
/// Rows of the table and others.
int64_t rowByIndex(int64_t index);
/// Of B, and of a sparse A's metadata for a chunk: of a row, so many elements.
double weight(int64_t n, int64_t k);
int64_t chunkOf(ElementType type);
int metadata(ElementType type, int64_t row, int64_t chunk);

/// What the steps give and the outputs get of the tiles of a cluster that begin
/// at a coordinate, of a tensor of these extents.
struct Interpreted {
  std::vector<double> d, e; ///< rows × (parts · columns)
};
Interpreted interpret(const Program &program, int64_t m, int64_t n, int64_t M,
                      int64_t N);

} // namespace ashlar::test

#endif
