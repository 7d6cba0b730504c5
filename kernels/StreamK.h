// Stream-K: the tiles of a kernel, dealt out to its CTAs by steps of K.
//
// After Osama et al., "Stream-K: Work-Centric Parallel Decomposition for Dense
// Matrix-Matrix Multiplication on the GPU" (PPoPP 2023). The first tiles are
// cut: those that fill no whole wave of CTAs, with one whole wave where there
// is one, so that a CTA shares at most two tiles with its neighbours. The
// others are left whole.
#pragma once

#include "ashlar/control.h"

namespace ashlar {

class StreamK {
public:
  /// Of tiles, and of the steps of those that are cut: what is computed from
  /// them has 32 bits.
  static constexpr int64_t most = int64_t(1) << 29;

  /// The steps `first` to `end` of one tile, computed by one CTA. That with the
  /// first step of the tile adds what `others` have of it. They come before it:
  /// none waits for one that has not begun, whatever the size of the device.
  struct Piece {
    Index tile, first, end;
    Range others;
  };

  /// What one CTA has. It takes its pieces in order: those of tiles that are
  /// cut, of which all but the first begin at the first step of their tile,
  /// then whole tiles.
  struct Share {
    Index cta, pieces, cutPieces;
    Index tile, first; ///< of the first piece
    Index end;         ///< of the last one that is cut
  };

  /// There are at most `most` CTAs.
  StreamK(const Index &tiles, const Index &steps, const Index &ctas);

  Share share(const Index &cta) const;
  Piece piece(const Share &share, const Index &number) const;

private:
  /// Of all steps of the tiles that are cut, the first CTA has the last.
  Index end(const Index &cta) const { return max(units - cta * each, 0); }
  Index begin(const Index &cta) const { return end(cta + 1); }

  Index tiles, steps, ctas;
  /// Tiles that are cut, their steps, and how many of those each CTA has.
  Index cut, units, each;
};

} // namespace ashlar
