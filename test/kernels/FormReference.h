// What the library's GEMM computes around its product, on the host.
#ifndef ASHLAR_TEST_KERNELS_FORMREFERENCE_H
#define ASHLAR_TEST_KERNELS_FORMREFERENCE_H

#include "test/kernels/Check.h"

#include "ashlar/gemm.h"

namespace ashlar::test {

/// A value for each scalar that the kernel of a form takes.
std::vector<NamedScalar> scalarsOf(const GemmForm &form);

/// What an element of the product is multiplied with, `scale_d` aside. With
/// `isTransposed` it is stored N×M, here and below.
double scaleOf(const GemmForm &form, const Problem &problem, Coordinate at,
               bool isTransposed = false);

/// What is made of an element of the product: before the activation, after it,
/// and in D.
double linear(const GemmForm &form, const Problem &problem, Coordinate at,
              double product, bool isTransposed = false);
double activated(const GemmForm &form, const Problem &problem, Coordinate at,
                 double product, bool isTransposed = false);
double stored(const GemmForm &form, const Problem &problem, Coordinate at,
              double product, bool isTransposed = false);

} // namespace ashlar::test

#endif
