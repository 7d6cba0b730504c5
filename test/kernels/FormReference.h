// What the library's GEMM computes around its product, on the host.
#ifndef ASHLAR_TEST_KERNELS_FORMREFERENCE_H
#define ASHLAR_TEST_KERNELS_FORMREFERENCE_H

#include "test/kernels/Check.h"

#include "ashlar/gemm.h"

namespace ashlar::test {

/// A value for each scalar that the kernel of a form takes.
std::vector<NamedScalar> scalarsOf(const GemmForm &form);

/// What an element of the product is multiplied with, `scale_d` aside.
double scaleOf(const GemmForm &form, const Problem &problem, Coordinate at);

/// What is made of an element of the product: before the activation, after it,
/// and in D.
double linear(const GemmForm &form, const Problem &problem, Coordinate at,
              double product);
double activated(const GemmForm &form, const Problem &problem, Coordinate at,
                 double product);
double stored(const GemmForm &form, const Problem &problem, Coordinate at,
              double product);

} // namespace ashlar::test

#endif
