// Programs drawn at random of everything that fragments can do, and what they
// must compute. All numbers are small integers, so that f32 is exact in any
// order of additions.
#ifndef ASHLAR_TEST_KERNELS_RANDOMPROGRAM_H
#define ASHLAR_TEST_KERNELS_RANDOMPROGRAM_H

#include "ashlar/problem.h"

#include <cstdint>
#include <vector>

namespace ashlar::test {

/// What each step gives is clamped to -bound and bound.
constexpr int64_t bound = 100;
/// Of the table that steps look up, and of what they count.
constexpr int64_t tableExtent = 64;

/// What a value is of: all elements of a tile, one of each row, or one of each
/// column.
enum class Of { tile, rows, columns };

/// An operation on values that stand before it in the program.
struct Step {
  enum Kind {
    inputX, ///< f32
    inputY, ///< s32
    number,
    rowNumbers,
    columnNumbers,
    add,
    sub,
    mul,
    largest,
    least,
    choose, ///< a < b ? a : b + 1
    rowSum,
    rowMax,
    rowArgmin,
    columnSum,
    columnMin,
    columnArgmax,
    rowInclusiveSum,
    rowExclusiveMax,
    columnExclusiveSum,
    columnInclusiveMin,
    toFloat,
    toInteger,
    remainder,
    bits,    ///< ((a & 29) | 2) ^ (a >> 1)
    lookUp,  ///< of a table in global memory
    addSum,  ///< of all elements
    whenAny, ///< a where some element is above 40, else b
    count,   ///< in shared memory, of a & 63; how often a & 63 occurs
    kinds
  } kind;
  Of of;
  bool isInteger;
  int a, b; ///< numbers of steps
  int64_t constant;
};

struct Program {
  int64_t rows, columns, warps;
  std::vector<Step> steps;
};

Program drawProgram(uint64_t seed);

/// Of the elements of a tile, row by row, what the program makes of those of
/// its inputs.
std::vector<double> interpret(const Program &program,
                              const std::vector<double> &x,
                              const std::vector<double> &y,
                              const HostTensor &table);

} // namespace ashlar::test

#endif
