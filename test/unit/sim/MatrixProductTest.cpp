#include "runtime/sim/machine/matrix/MatrixProduct.h"
#include "runtime/sim/machine/matrix/MatrixType.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

namespace ashlar::sim {
namespace {

template <class T> struct Problem {
  unsigned halves, blocks, k;
  std::vector<T> a, b, sums; // b: one row of k for each column
  Problem(unsigned halves, unsigned blocks, unsigned k)
      : halves(halves), blocks(blocks), k(k), a(8 * halves * k),
        b(8 * blocks * k), sums(64 * halves * blocks) {
    std::mt19937 random(halves * blocks + k);
    for (auto *values : {&a, &b, &sums})
      for (T &value : *values)
        value = static_cast<T>(static_cast<int>(random() % 17) - 8);
  }
  T &sum(std::vector<T> &of, unsigned row, unsigned column) const {
    return of[accumulatorOffset(halves, column / 8, row / 8, column % 2) +
              row % 8 * 4 + column % 8 / 2];
  }
  std::vector<T> expected() {
    std::vector<T> result = sums;
    for (unsigned row = 0; row < 8 * halves; ++row)
      for (unsigned column = 0; column < 8 * blocks; ++column)
        for (unsigned step = 0; step < k; ++step)
          sum(result, row, column) += a[row * k + step] * b[column * k + step];
    return result;
  }
  std::vector<T> computed() const {
    std::vector<T> arranged(b.size()), result = sums;
    arrangeColumns(b.data(), arranged.data(), 8 * blocks, k);
    multiplyAdd(result.data(), a.data(), arranged.data(), halves, blocks, k);
    return result;
  }
};

template <class T> class MatrixProduct : public testing::Test {};
using Types = testing::Types<float, int32_t, double>;
TYPED_TEST_SUITE(MatrixProduct, Types);

TYPED_TEST(MatrixProduct, AgreesWithTheDefinition) {
  for (unsigned halves : {1, 2})
    for (unsigned blocks : {1, 3, 32})
      for (unsigned k : {4, 8, 16, 32}) {
        Problem<TypeParam> problem(halves, blocks, k);
        EXPECT_EQ(problem.computed(), problem.expected())
            << halves << " " << blocks << " " << k;
      }
}

TEST(MatrixProductRows, NMajorRowsAreArrangedAsColumns) {
  constexpr unsigned columns = 24, k = 16;
  std::vector<float> rows(columns * k), byColumn(columns * k);
  for (unsigned i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<float>(i);
    byColumn[i % columns * k + i / columns] = rows[i];
  }
  std::vector<float> fromRows(rows.size()), fromColumns(rows.size());
  arrangeRows(rows.data(), fromRows.data(), columns, k);
  arrangeColumns(byColumn.data(), fromColumns.data(), columns, k);
  EXPECT_EQ(fromRows, fromColumns);
}

TEST(MatrixProductInteger, WrapsAround) {
  std::vector<int32_t> sums(64, INT32_MAX), a(8, 1), b(8, 1);
  multiplyAdd(sums.data(), a.data(), b.data(), 1, 1, 1);
  EXPECT_EQ(sums[5], INT32_MIN);
}

TEST(MatrixProductBits, CountsOnes) {
  std::mt19937 random(1);
  constexpr unsigned words = 8;
  std::vector<uint32_t> a(16 * words), b(8 * words);
  for (auto *values : {&a, &b})
    for (uint32_t &value : *values)
      value = static_cast<uint32_t>(random());
  for (bool conjunction : {true, false}) {
    std::vector<int32_t> sums(128, 7);
    multiplyAddBits(sums.data(), a.data(), b.data(), 2, 1, words, conjunction);
    int expected = 7; // row 9, column 5
    for (unsigned i = 0; i < words; ++i) {
      const uint32_t x = a[9 * words + i], y = b[5 * words + i];
      expected += std::popcount(conjunction ? x & y : x ^ y);
    }
    EXPECT_EQ(sums[accumulatorOffset(2, 0, 1, 1) + 4 + 2], expected);
  }
}

TEST(MatrixType, FourBitElementsStartWithTheLowHalf) {
  const uint8_t packed[] = {0x8f, 0x71};
  int32_t values[4];
  widen(MatrixType::s4, packed, values, 4);
  EXPECT_EQ(values[0], -1);
  EXPECT_EQ(values[1], -8);
  EXPECT_EQ(values[2], 1);
  EXPECT_EQ(values[3], 7);
  widen(MatrixType::u4, packed, values, 4);
  EXPECT_EQ(values[0], 15);
  EXPECT_EQ(values[1], 8);
}

} // namespace
} // namespace ashlar::sim
