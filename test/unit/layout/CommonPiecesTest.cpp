#include "test/unit/layout/RandomLayouts.h"

#include "compiler/layout/CommonPieces.h"
#include "compiler/layout/SharedTile.h"

#include <set>

using namespace ashlar::layout;

namespace {

using Pieces = std::vector<CommonPiece>;
using Shape = std::vector<int64_t>;

SwizzledLayout part(const Shape &tile, const Shape &offset, const Shape &shape,
                    int64_t elementBytes) {
  return *partOfTile(*sharedTileLayout(tile, elementBytes), offset, shape,
                     elementBytes);
}

} // namespace

TEST(CommonPieces, OfTilesThatLieAlikeAreOne) {
  for (Shape shape :
       {Shape{64, 96}, Shape{3, 5, 16}, Shape{7, 40}, Shape{48}}) {
    const SwizzledLayout tile = *sharedTileLayout(shape, 2);
    EXPECT_EQ(*commonPieces(tile, tile, 2), (Pieces{{0, 0, 2 * tile.size()}}));
  }
}

TEST(CommonPieces, OfAPartAreColumnsOfAtoms) {
  const SwizzledLayout rows = part({64, 128}, {16, 0}, {8, 128}, 2);
  EXPECT_EQ(*commonPieces(rows, rows, 2),
            (Pieces{{0, 0, 1024}, {8192, 8192, 1024}}));
  EXPECT_EQ(*commonPieces(*sharedTileLayout({8, 128}, 2), rows, 2),
            (Pieces{{0, 0, 1024}, {1024, 8192, 1024}}));
}

TEST(CommonPieces, HoldEachElementOnceWhereItLies) {
  const Shape shape{16, 32};
  for (const SwizzledLayout &source :
       {*sharedTileLayout(shape, 2), part({64, 128}, {8, 64}, shape, 2)})
    for (const SwizzledLayout &target :
         {*sharedTileLayout(shape, 2), part({32, 96}, {16, 32}, shape, 2)}) {
      std::set<std::pair<int64_t, int64_t>> moved;
      for (const CommonPiece &piece : *commonPieces(source, target, 2))
        for (int64_t byte = 0; byte < piece.bytes; byte += 2)
          EXPECT_TRUE(
              moved.insert({piece.source + byte, piece.target + byte}).second);
      EXPECT_EQ(static_cast<int64_t>(moved.size()), source.size());
      for (int64_t i = 0; i < source.size(); ++i)
        EXPECT_TRUE(moved.contains({source(i), target(i)})) << source << target;
    }
}

TEST(CommonPieces, AreWholeUnitsOfTheCopyEngine) {
  const SwizzledLayout tile = *sharedTileLayout({6}, 4);
  EXPECT_EQ(
      commonPieces(tile, tile, 4).why(),
      "the tile has rows of 24 bytes, and the copy engine moves whole 16");
}
