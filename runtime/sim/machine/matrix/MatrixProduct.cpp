#include "runtime/sim/machine/matrix/MatrixProduct.h"

#include <bit>
#include <cmath>
#include <cstring>

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define ASHLAR_HAS_AVX2 1
#endif

namespace ashlar::sim {

namespace {

template <class T> struct Vector;
template <> struct Vector<float> {
  using Four [[gnu::vector_size(16)]] = float;
  using Eight [[gnu::vector_size(32)]] = float;
};
template <> struct Vector<int32_t> {
  // Unsigned: integers wrap around.
  using Four [[gnu::vector_size(16)]] = uint32_t;
  using Eight [[gnu::vector_size(32)]] = uint32_t;
};

#define ASHLAR_EIGHT_ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define ASHLAR_LOAD(row)                                                       \
  std::memcpy(&even, lanes + 4 * row, sizeof even);                            \
  std::memcpy(&odd, lanes + warpLanes + 4 * row, sizeof odd);                  \
  Eight sum##row = __builtin_shufflevector(even, odd, 0, 1, 2, 3, 4, 5, 6, 7); \
  const auto *from##row = rows + size_t(row) * k;
#define ASHLAR_ADD(row) sum##row += from##row[step] * factor;
#define ASHLAR_STORE(row)                                                      \
  even = __builtin_shufflevector(sum##row, sum##row, 0, 1, 2, 3);              \
  odd = __builtin_shufflevector(sum##row, sum##row, 4, 5, 6, 7);               \
  std::memcpy(lanes + 4 * row, &even, sizeof even);                            \
  std::memcpy(lanes + warpLanes + 4 * row, &odd, sizeof odd);

/// Each block of 8 x 8 stays in eight vectors over all of k. A macro, for the
/// same code is compiled for two instruction sets, and what is inlined into a
/// function keeps the vectors of its own.
#define ASHLAR_MULTIPLY_ADD(T)                                                 \
  using Four = Vector<T>::Four;                                                \
  using Eight = Vector<T>::Eight;                                              \
  for (unsigned block = 0; block < blocks; ++block)                            \
    for (unsigned half = 0; half < halves; ++half) {                           \
      T *lanes = accumulator + accumulatorOffset(halves, block, half, 0);      \
      const T *rows = a + size_t(8) * half * k;                                \
      const T *column = b + 8 * block;                                         \
      Four even, odd;                                                          \
      ASHLAR_EIGHT_ROWS(ASHLAR_LOAD)                                           \
      for (unsigned step = 0; step < k; ++step, column += 8 * blocks) {        \
        Eight factor;                                                          \
        std::memcpy(&factor, column, sizeof factor);                           \
        ASHLAR_EIGHT_ROWS(ASHLAR_ADD)                                          \
      }                                                                        \
      ASHLAR_EIGHT_ROWS(ASHLAR_STORE)                                          \
    }

#ifdef ASHLAR_HAS_AVX2
[[gnu::target("avx2")]] void multiplyAddAvx2(float *accumulator, const float *a,
                                             const float *b, unsigned halves,
                                             unsigned blocks, unsigned k) {
  ASHLAR_MULTIPLY_ADD(float)
}
[[gnu::target("avx2")]] void multiplyAddAvx2(int32_t *accumulator,
                                             const int32_t *a, const int32_t *b,
                                             unsigned halves, unsigned blocks,
                                             unsigned k) {
  ASHLAR_MULTIPLY_ADD(int32_t)
}
const bool hasAvx2 = __builtin_cpu_supports("avx2");
#endif

/// The sums of one block and half, column after column.
template <class T, class Add>
void forEachSum(T *accumulator, unsigned halves, unsigned blocks, Add add) {
  for (unsigned block = 0; block < blocks; ++block)
    for (unsigned half = 0; half < halves; ++half)
      for (unsigned parity = 0; parity < 2; ++parity) {
        T *lanes = accumulator + accumulatorOffset(halves, block, half, parity);
        for (unsigned lane = 0; lane < warpLanes; ++lane)
          add(lanes[lane], 8 * half + lane / 4,
              8 * block + 2 * (lane % 4) + parity);
      }
}

/// Where a column of a block stands among the arranged ones.
unsigned arranged(unsigned column) {
  return (column & ~7u) | (column & 1) * 4 | (column & 7) / 2;
}

} // namespace

void multiplyAdd(float *accumulator, const float *a, const float *b,
                 unsigned halves, unsigned blocks, unsigned k) {
#ifdef ASHLAR_HAS_AVX2
  if (hasAvx2)
    return multiplyAddAvx2(accumulator, a, b, halves, blocks, k);
#endif
  ASHLAR_MULTIPLY_ADD(float)
}

void multiplyAdd(int32_t *accumulator, const int32_t *a, const int32_t *b,
                 unsigned halves, unsigned blocks, unsigned k) {
#ifdef ASHLAR_HAS_AVX2
  if (hasAvx2)
    return multiplyAddAvx2(accumulator, a, b, halves, blocks, k);
#endif
  ASHLAR_MULTIPLY_ADD(int32_t)
}

void multiplyAdd(double *accumulator, const double *a, const double *b,
                 unsigned halves, unsigned blocks, unsigned k) {
  forEachSum(accumulator, halves, blocks,
             [&](double &sum, unsigned row, unsigned column) {
               for (unsigned step = 0; step < k; ++step)
                 sum = std::fma(a[row * k + step],
                                b[step * 8 * blocks + arranged(column)], sum);
             });
}

void multiplyAddBits(int32_t *accumulator, const uint32_t *a, const uint32_t *b,
                     unsigned halves, unsigned blocks, unsigned words,
                     bool conjunction) {
  forEachSum(accumulator, halves, blocks,
             [&](int32_t &sum, unsigned row, unsigned column) {
               uint32_t ones = 0;
               for (unsigned word = 0; word < words; ++word) {
                 const uint32_t x = a[row * words + word];
                 const uint32_t y = b[column * words + word];
                 ones += static_cast<uint32_t>(
                     std::popcount(conjunction ? x & y : x ^ y));
               }
               sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + ones);
             });
}

template <class T>
void arrangeColumns(const T *in, T *out, unsigned columns, unsigned k) {
  // Four columns at a time: even ones, then odd ones.
  for (unsigned column = 0; column < columns; column += 4) {
    const T *first = in + size_t((column & ~7u) | ((column & 4) / 4)) * k;
    for (unsigned step = 0; step < k; ++step)
      for (unsigned i = 0; i < 4; ++i)
        out[size_t(step) * columns + column + i] = first[2 * i * k + step];
  }
}

template <class T>
void arrangeRows(const T *in, T *out, unsigned columns, unsigned k) {
  for (size_t at = 0; at < size_t(columns) * k; at += 8)
    for (unsigned i = 0; i < 4; ++i) {
      out[at + i] = in[at + 2 * i];
      out[at + 4 + i] = in[at + 2 * i + 1];
    }
}

template void arrangeColumns(const float *, float *, unsigned, unsigned);
template void arrangeColumns(const int32_t *, int32_t *, unsigned, unsigned);
template void arrangeColumns(const double *, double *, unsigned, unsigned);
template void arrangeRows(const float *, float *, unsigned, unsigned);
template void arrangeRows(const int32_t *, int32_t *, unsigned, unsigned);

} // namespace ashlar::sim
