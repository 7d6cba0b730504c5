// The statements of a role that multiplies: products, what stands between them,
// loops and conditions around them.
#ifndef ASHLAR_TEST_CORPUS_DRAW_BLOCK_H
#define ASHLAR_TEST_CORPUS_DRAW_BLOCK_H

#include "test/corpus/Drawing.h"

namespace ashlar::corpus {

/// What a statement may use.
struct Scope {
  std::vector<int> stages; ///< waited for and not yet released
  std::vector<int> fragments;
  std::vector<int> counters;
  int depth = 0;
  bool mayTake = true;
};

class BlockDraw : protected Drawing {
protected:
  using Drawing::Drawing;

  /// A loop without a body.
  Statement openLoop(const Scope &scope);
  Statement loop(const Scope &scope);
  /// Some stages, some products of them, and what stands between.
  std::vector<Statement> block(Scope scope);
  /// Waits for one stage of each ring that a product needs.
  void takeInto(std::vector<Statement> &body, Scope &scope,
                std::vector<int> &own);
  StageTile drawA(const Scope &scope);
  StageTile drawB(const Scope &scope);
  void arithmetic(std::vector<Statement> &body, Scope &scope);

  bool mayPassThroughShared = false; ///< a product reads what the role wrote
  size_t mostFragments = 4;
  std::vector<std::vector<int>> sources; ///< tensors, by ring and tile

private:
  /// Adds a product of the block to a sum.
  void addUp(std::vector<Statement> &body, const Scope &scope, int product);
  bool hasOperands(const Scope &scope);
  /// A sum, rounded, is A of the next product.
  void throughShared(std::vector<Statement> &body, Scope &scope);
  /// Where along K a stage is filled from.
  Number depth(const Scope &scope);
  /// The tiles of the stages in scope that hold A (0) or a B (1).
  std::vector<StageTile> tilesOf(const Scope &scope, int operand);
  /// The newest stage more often than one before.
  StageTile drawOf(const Scope &scope, int operand);
  void multiply(std::vector<Statement> &body, Scope &scope);
  Value drawVector(const Scope &scope);
  void other(std::vector<Statement> &body, Scope &scope);
  Statement conditional(const Scope &scope);
  std::vector<Statement> branch(Scope scope);
};

} // namespace ashlar::corpus

#endif
