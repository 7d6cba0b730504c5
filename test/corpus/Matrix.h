// A matrix in host memory; a vector is one row.
#ifndef ASHLAR_TEST_CORPUS_MATRIX_H
#define ASHLAR_TEST_CORPUS_MATRIX_H

#include <cstdint>
#include <vector>

namespace ashlar::corpus {

/// NaN is what nobody has written.
inline bool same(double a, double b) { return a == b || (a != a && b != b); }

struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<float> elements;

  Matrix() = default;
  Matrix(int64_t rows, int64_t columns, float value = 0)
      : rows(rows), columns(columns), elements(rows * columns, value) {}

  float &operator()(int64_t row, int64_t column) {
    return elements[row * columns + column];
  }
  float operator()(int64_t row, int64_t column) const {
    return elements[row * columns + column];
  }

  /// The tile at these coordinates, in tiles; zeros outside.
  Matrix tile(int64_t m, int64_t n, int64_t tileRows,
              int64_t tileColumns) const {
    Matrix result(tileRows, tileColumns);
    for (int64_t i = 0; i < tileRows; ++i)
      for (int64_t j = 0; j < tileColumns; ++j)
        if (isInside(m * tileRows + i, n * tileColumns + j))
          result(i, j) = (*this)(m * tileRows + i, n * tileColumns + j);
    return result;
  }

  bool isInside(int64_t row, int64_t column) const {
    return row >= 0 && row < rows && column >= 0 && column < columns;
  }
};

} // namespace ashlar::corpus

#endif
