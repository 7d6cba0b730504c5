// What the draws of both families keep while a program grows.
#ifndef ASHLAR_TEST_CORPUS_DRAWING_H
#define ASHLAR_TEST_CORPUS_DRAWING_H

#include "test/corpus/Build.h"

namespace ashlar::corpus {

class Drawing {
protected:
  explicit Drawing(uint64_t seed) : dice(seed) {}

  int label() { return nextLabel++; }

  /// A tensor of the shape of a result, whose name no other has.
  int addOutput(const std::string &name) {
    p.tensors.push_back({name,
                         ElementType::f32,
                         {sizeOf(sizeM), sizeOf(sizeN)},
                         16,
                         /*isOutput=*/true});
    return static_cast<int>(p.tensors.size()) - 1;
  }

  /// Waits for a stage of a ring; gives its number.
  int addWait(std::vector<Statement> &body, int ring, int label,
              std::vector<Number> coordinates = {}) {
    Statement s = onStage(Statement::Kind::wait, label, nextStage, ring);
    s.coordinates = std::move(coordinates);
    body.push_back(std::move(s));
    ringOfStage.resize(nextStage + 1);
    ringOfStage[nextStage] = ring;
    return nextStage++;
  }

  /// A coordinate along K, in tiles, that most often lies within the tensors.
  Number withinDepth(Number at) {
    return dice.percent(75) ? at % ceilDivide(sizeOf(sizeK), 64) : at;
  }

  Dice dice;
  Program p;
  /// Of the role that multiplies.
  int64_t instances = 1, warpgroups = 1;
  std::vector<int> ringOfStage;
  int nextLabel = 1, nextCounter = 0, nextStage = 0, nextFragment = 0;
};

} // namespace ashlar::corpus

#endif
