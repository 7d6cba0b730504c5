// What a program computes, and whether its roles can always go on.
#ifndef ASHLAR_TEST_CORPUS_INTERPRET_H
#define ASHLAR_TEST_CORPUS_INTERPRET_H

#include "test/corpus/Matrix.h"
#include "test/corpus/Unroll.h"

#include <map>

namespace ashlar::corpus {

struct Interpretation {
  /// Empty, or why the program is not a correct one: where it stops, which
  /// result would not be exact.
  std::string problem;
  /// Empty, or which stage is still held or full when the roles are at their
  /// end. Nobody waits for it, so the results are there.
  std::string leftover;
  std::map<std::string, Matrix> tensors; ///< the inputs, and the results
  int64_t products = 0;                  ///< of all tiles, each of 64x64x64
};

/// The inputs of a program: small integers that its seed decides.
std::map<std::string, Matrix> inputsOf(const Program &program);

/// Executes every CTA's roles, each as far as its stages let it go, on plain
/// arrays. The roles only wait for stages that others fill or leave in a fixed
/// order, so if they come to their end in one order of execution they do in
/// all.
Interpretation interpret(const Program &program);

/// Whether the interpretation gives a result, the roles come to their end on a
/// larger problem too, and no role holds all stages of a ring where it waits
/// for another, in whichever loops.
bool isCorrect(const Program &program);

} // namespace ashlar::corpus

#endif
