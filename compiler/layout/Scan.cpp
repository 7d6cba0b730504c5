#include "compiler/layout/Scan.h"

#include "compiler/layout/Mode.h"
#include "compiler/layout/Reduction.h"

#include <algorithm>

namespace ashlar::layout {

namespace {

/// A step along the dimension, or runs that threads out of reach of shuffles
/// hold.
struct Piece {
  WarpScan::Step step;
  int64_t stride;
  bool inWarp;
};

/// Adds what a mode of threads, `position` threads apart, moves along the
/// dimension.
void addPieces(std::vector<Piece> &pieces, Mode mode, int64_t position) {
  const int64_t inWarp = factorInWarp(position, mode.extent);
  for (int64_t bit = 1; bit < inWarp; bit *= 2)
    pieces.push_back({{2, position * bit}, mode.stride * bit, true});
  if (mode.extent > inWarp)
    pieces.push_back({{mode.extent / inWarp, 0}, mode.stride * inWarp, false});
}

bool moves(Mode mode) { return mode.extent > 1 && mode.stride != 0; }

} // namespace

Result<WarpScan> warpScan(const FragmentLayout &fragment, int dimension) {
  auto along = [&](const Layout &half) {
    return leafModes(perDimension(half, fragment.shape)[dimension]);
  };
  const std::vector<Mode> threads = leafModes(fragment.thread),
                          values = leafModes(fragment.value),
                          threadsAlong = along(fragment.thread),
                          valuesAlong = along(fragment.value);
  std::vector<Piece> pieces;
  int64_t position = 1;
  for (Mode mode : threadsAlong) {
    if (moves(mode))
      addPieces(pieces, mode, position);
    position *= mode.extent;
  }
  for (Mode mode : valuesAlong)
    if (moves(mode))
      pieces.push_back({{mode.extent, 0}, mode.stride, true});
  std::ranges::sort(pieces, {}, &Piece::stride);

  WarpScan scan{.steps = {}, .run = 1, .runs = 1, .totals = {}, .gathered = {}};
  int64_t reached = 1;
  bool isInWarp = true;
  for (const Piece &piece : pieces) {
    if (piece.stride != reached)
      return refuse("threads hold element ", piece.stride, " along dimension ",
                    dimension, " of the fragment ",
                    IntTuple::of(fragment.shape),
                    " more than once: store it to a shared tile and load it");
    reached *= piece.step.extent;
    isInWarp &= piece.inWarp;
    if (!isInWarp)
      continue;
    scan.steps.push_back(piece.step);
    scan.run = reached;
  }
  scan.runs = fragment.shape[dimension] / scan.run;

  // Along the dimension a mode counts runs or moves within one; others keep
  // their stride, without the dimension. The runs come after all, and are
  // neighbours among a thread's values.
  int64_t before = 1, others = 1;
  std::vector<int64_t> shape;
  for (int dim = 0; dim < int(fragment.shape.size()); ++dim) {
    before *= dim < dimension ? fragment.shape[dim] : 1;
    if (dim == dimension)
      continue;
    others *= fragment.shape[dim];
    shape.push_back(fragment.shape[dim]);
  }
  shape.push_back(scan.runs);
  auto ofOthers = [&](int64_t stride) {
    return stride < before ? stride : stride / fragment.shape[dimension];
  };
  std::vector<Mode> totalThreads, gatheredThreads;
  for (size_t i = 0; i < threads.size(); ++i) {
    const Mode mode = threads[i];
    if (!moves(threadsAlong[i])) {
      totalThreads.push_back({mode.extent, ofOthers(mode.stride)});
      gatheredThreads.push_back(totalThreads.back());
      continue;
    }
    const int64_t stride = threadsAlong[i].stride;
    const int64_t inRun =
        std::clamp<int64_t>(scan.run / stride, 1, mode.extent);
    totalThreads.push_back({inRun, 0});
    totalThreads.push_back(
        {mode.extent / inRun, stride * inRun / scan.run * others});
    gatheredThreads.push_back({mode.extent, 0});
  }
  std::vector<Mode> totalValues, gatheredValues = {{scan.runs, others}};
  for (size_t i = 0; i < values.size(); ++i) {
    if (valuesAlong[i].stride >= scan.run && moves(valuesAlong[i])) {
      totalValues.push_back(
          {values[i].extent, valuesAlong[i].stride / scan.run * others});
    } else if (!moves(valuesAlong[i]) && moves(values[i])) {
      totalValues.push_back({values[i].extent, ofOthers(values[i].stride)});
      gatheredValues.push_back(totalValues.back());
    }
  }
  scan.totals = {shape, flatLayout(totalThreads), flatLayout(totalValues)};
  scan.gathered = {shape, flatLayout(gatheredThreads),
                   flatLayout(gatheredValues)};
  return scan;
}

} // namespace ashlar::layout
