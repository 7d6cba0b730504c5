// A GEMM of the library with everything that it is made from and run on, and
// the check of what it computes.
#ifndef ASHLAR_TEST_KERNELS_GEMMCASE_H
#define ASHLAR_TEST_KERNELS_GEMMCASE_H

#include "ashlar/artifact.h"
#include "ashlar/gemm.h"
#include "ashlar/problem.h"

#include <string>
#include <vector>

namespace ashlar::test {

struct GemmCase {
  GemmTypes types;
  GemmConfig config;
  GemmForm form;
  std::vector<NamedSize> sizes;

  std::string str() const;
};

/// Runs its compiled kernel on random data and expects each element of every
/// output within what rounding explains.
void expectRight(const GemmCase &given, Artifact compiled);

} // namespace ashlar::test

#endif
