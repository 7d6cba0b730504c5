#include "test/unit/layout/RandomLayouts.h"

#include "compiler/layout/SharedTile.h"

#include <set>

using namespace ashlar::layout;

namespace {

using Shape = std::vector<int64_t>;

/// Calls `visit` with every coordinate of the shape, the last dimension
/// fastest: in row-major order.
template <typename Visit> void forEach(const Shape &shape, Visit visit) {
  int64_t size = IntTuple::of(shape).product();
  Shape coordinate(shape.size());
  for (int64_t index = 0; index < size; ++index) {
    int64_t rest = index;
    for (size_t i = shape.size(); i-- > 0; rest /= shape[i])
      coordinate[i] = rest % shape[i];
    visit(coordinate);
  }
}

/// Where TMA writes the elements of the boxes: the dense row-major image of
/// each box, with chunk bits XORed with row bits of the absolute address.
/// Expects that it writes the tile as the layout says, every element once.
void expectWrittenByTma(const SwizzledLayout &tile, const Shape &shape,
                        int64_t elementBytes) {
  std::set<Shape> written;
  for (const TmaBox &box : *tmaBoxes(tile, shape, elementBytes)) {
    int64_t dense = box.sharedOffsetBytes;
    forEach(box.box, [&](const Shape &inBox) {
      Shape inTile = box.offset;
      for (size_t i = 0; i < shape.size(); ++i)
        inTile[i] += inBox[i] * box.step[i];
      int64_t row = dense / 128 % 8;
      int64_t chunkBits = (atomBytes(tile) / 16 - 1) << 4;
      int64_t address = dense ^ (row << 4 & chunkBits);
      ASSERT_EQ(tile.at(inTile), address)
          << tile << " at " << IntTuple::of(inTile);
      ASSERT_TRUE(written.insert(inTile).second);
      dense += elementBytes;
    });
  }
  EXPECT_EQ(static_cast<int64_t>(written.size()), tile.size());
}

} // namespace

TEST(TmaBoxes, AreOneAtomWide) {
  std::vector<TmaBox> boxes =
      *tmaBoxes(*sharedTileLayout({128, 128}, 2), {128, 128}, 2);
  EXPECT_EQ(boxes, (std::vector<TmaBox>{{{128, 64}, {1, 1}, {0, 0}, 0},
                                        {{128, 64}, {1, 1}, {0, 64}, 16384}}));
}

TEST(TmaBoxes, AreAsWideAsAPartOfAnAtom) {
  SwizzledLayout tile = *sharedTileLayout({128, 64}, 2);
  SwizzledLayout part = *partOfTile(tile, {64, 0}, {64, 48}, 2);
  EXPECT_EQ(part.str(), "S<3,4,3> o (64,48):(128,2)");
  EXPECT_EQ(*tmaBoxes(part, {64, 48}, 2),
            (std::vector<TmaBox>{{{64, 48}, {1, 1}, {0, 0}, 0}}));
}

TEST(TmaBoxes, OfOneRowAreAsLongAsTheyMayBe) {
  for (int64_t elementBytes : {1, 2, 4}) {
    const Shape shape{1, 1024};
    const SwizzledLayout tile = *sharedTileLayout(shape, elementBytes);
    EXPECT_EQ(tmaBoxes(tile, shape, elementBytes)->size(), 4u);
    expectWrittenByTma(tile, shape, elementBytes);
  }
  for (int64_t elements : {8, 136, 256, 320, 8000}) {
    const Shape shape{elements};
    expectWrittenByTma(*sharedTileLayout(shape, 2), shape, 2);
  }
}

TEST(TmaBoxes, SplitDimensionsBeyond256Evenly) {
  std::vector<TmaBox> boxes =
      *tmaBoxes(*sharedTileLayout({384, 64}, 2), {384, 64}, 2);
  EXPECT_EQ(boxes, (std::vector<TmaBox>{{{192, 64}, {1, 1}, {0, 0}, 0},
                                        {{192, 64}, {1, 1}, {192, 0}, 24576}}));
}

TEST(TmaBoxes, StartAtMultiplesOfTheSwizzlePattern) {
  // Two parts of 260 rows would start at row 260, in the midst of a pattern of
  // eight; five parts of 104 do not.
  std::vector<TmaBox> boxes =
      *tmaBoxes(*sharedTileLayout({520, 64}, 2), {520, 64}, 2);
  ASSERT_EQ(boxes.size(), 5u);
  EXPECT_EQ(boxes[0].box, (Shape{104, 64}));
}

TEST(TmaBoxes, WalkTheDimensionsOutsideASplitOne) {
  std::vector<TmaBox> boxes =
      *tmaBoxes(*sharedTileLayout({2, 512, 64}, 2), {2, 512, 64}, 2);
  ASSERT_EQ(boxes.size(), 4u);
  EXPECT_EQ(boxes[3],
            (TmaBox{{1, 256, 64}, {1, 1, 1}, {1, 256, 0}, 3 * 32768}));
}

TEST(TmaBoxes, WriteTheTileThatTheLayoutDescribes) {
  for (Shape shape : {Shape{128, 128}, Shape{64, 96}, Shape{512, 64},
                      Shape{2, 512, 32}, Shape{3, 8, 160}, Shape{2, 3, 4, 64},
                      Shape{2, 1, 3, 8, 64}, Shape{300, 8, 16}, Shape{64, 16}})
    for (int64_t elementBytes : {1, 2, 4})
      expectWrittenByTma(*sharedTileLayout(shape, elementBytes), shape,
                         elementBytes);
}

TEST(TmaBoxes, WriteRandomTilesThatTheLayoutDescribes) {
  RandomLayouts random(70);
  for (int round = 0; round < 150; ++round) {
    int64_t elementBytes = random.pick({1, 2, 4, 8});
    Shape shape;
    for (int64_t i = random.number(0, 3); i > 0; --i)
      shape.push_back(random.pick({1, 2, 3, 5}));
    shape.push_back(random.pick({8, 16, 24, 64, 264, 512}));
    shape.push_back(random.number(1, 12) * 16 / elementBytes);
    if (IntTuple::of(shape).product() > 20000)
      continue;
    expectWrittenByTma(*sharedTileLayout(shape, elementBytes), shape,
                       elementBytes);
  }
}

TEST(TmaBoxes, WriteTheSliceOfATileThatOneCtaMulticasts) {
  SwizzledLayout tile = *sharedTileLayout({128, 128}, 2);
  SwizzledLayout slice = {tile.swizzle,
                          *Layout::parse("(64,(64,2)):(128,(2,16384))")};
  expectWrittenByTma(slice, {64, 128}, 2);
}

TEST(TmaBoxes, WalkDimensionsThatDoNotLieDense) {
  SwizzledLayout slice =
      *SwizzledLayout::parse("S<3,4,3> o (4,8,64):(4096,128,2)");
  expectWrittenByTma(slice, {4, 8, 64}, 2);
  EXPECT_EQ(tmaBoxes(slice, {4, 8, 64}, 2)->size(), 4u);
}

TEST(TmaBoxes, TakeEverySecondRowWhereTheEvenOnesLieFirst) {
  const SwizzledLayout tile = *evenRowsFirst({128, 128}, 1);
  EXPECT_EQ(tile.str(), "S<3,4,3> o ((2,64),128):((8192,128),1)");
  EXPECT_EQ(*tmaBoxes(tile, {128, 128}, 1),
            (std::vector<TmaBox>{{{64, 128}, {2, 1}, {0, 0}, 0},
                                 {{64, 128}, {2, 1}, {1, 0}, 8192}}));
  for (int64_t elementBytes : {1, 2, 4})
    for (int64_t rows : {16, 48, 96, 256, 512, 768})
      for (int64_t columns : {16, 32, 96, 128, 256})
        expectWrittenByTma(*evenRowsFirst({rows, columns}, elementBytes),
                           {rows, columns}, elementBytes);
}

TEST(TmaBoxes, TakeEverySecondRowOfWhatOneCtaMulticasts) {
  const SwizzledLayout tile = *evenRowsFirst({128, 256}, 1);
  expectWrittenByTma(*partOfTile(tile, {0, 0}, {64, 256}, 1), {64, 256}, 1);
}

TEST(TmaBoxes, RefuseTilesThatTheyCannotMakeUp) {
  auto boxes = [](Shape shape, int64_t elementBytes) {
    return tmaBoxes(*sharedTileLayout(shape, elementBytes), shape,
                    elementBytes);
  };
  EXPECT_REFUSAL(boxes({257, 64}, 2), "no even split");
  EXPECT_REFUSAL(boxes({3, 48}, 2), "starts at byte 96");
  EXPECT_REFUSAL(tmaBoxes(*sharedTileLayout({64, 64}, 2), {64, 32}, 2),
                 "has extent 64, that of the tile (64,32) has 32");
  EXPECT_REFUSAL(tmaBoxes(*sharedTileLayout({64, 64}, 2), {64}, 2),
                 "does not have the 1 dimensions");
  EXPECT_REFUSAL(tmaBoxes(*SwizzledLayout::parse("S<3,4,3> o (64,96):(128,2)"),
                          {64, 96}, 2),
                 "not a multiple of the 64");
  // A row of the atom is left free behind a narrower box.
  EXPECT_REFUSAL(tmaBoxes(*SwizzledLayout::parse("S<3,4,3> o (64,32):(64,2)"),
                          {64, 32}, 2),
                 "starts at byte 64");
  EXPECT_REFUSAL(tmaBoxes(*SwizzledLayout::parse("S<2,4,3> o (64,32):(64,4)"),
                          {64, 32}, 2),
                 "goes on elsewhere at 1");
  EXPECT_REFUSAL(evenRowsFirst({120, 128}, 1), "a multiple of 16");
  EXPECT_REFUSAL(evenRowsFirst({2, 16, 128}, 1), "for a matrix");
}
