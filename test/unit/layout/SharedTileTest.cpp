#include "test/unit/layout/RandomLayouts.h"

#include "compiler/layout/SharedTile.h"

#include <set>

using namespace ashlar::layout;

namespace {

using Shape = std::vector<int64_t>;

} // namespace

TEST(InterleavedColumns, LieAsHalvesOfEachEight) {
  const SwizzledLayout tile = *interleavedColumns({64, 32}, 2);
  EXPECT_EQ(tile.str(), "S<2,4,3> o (64,((4,2,4))):(64,((4,2,16)))");
  for (int64_t rows : {1, 8, 64})
    for (int64_t columns : {8, 16, 32, 64, 96, 128}) {
      const SwizzledLayout usual = *sharedTileLayout({rows, columns}, 2),
                           is = *interleavedColumns({rows, columns}, 2);
      EXPECT_TRUE(hasInterleavedColumns(is));
      EXPECT_FALSE(hasInterleavedColumns(usual));
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column) {
          const int64_t of = column % 8;
          const int64_t place = column - of + of % 4 * 2 + of / 4;
          ASSERT_EQ(is.at({row, column}), usual.at({row, place}));
          ASSERT_EQ(columnsAsTheyLie(is).at({row, column}),
                    usual.at({row, column}));
        }
    }
  EXPECT_REFUSAL(interleavedColumns({16, 4}, 4), "a multiple of 8");
  EXPECT_REFUSAL(interleavedColumns({2, 16, 64}, 2), "for a matrix");
}

TEST(InterleavedColumns, StayInAPart) {
  const SwizzledLayout tile = *interleavedColumns({64, 128}, 2);
  const SwizzledLayout part = *partOfTile(tile, {16, 64}, {32, 64}, 2);
  EXPECT_TRUE(hasInterleavedColumns(part));
  for (int64_t row = 0; row < 32; ++row)
    for (int64_t column = 0; column < 64; ++column)
      ASSERT_EQ(tile.at({16 + row, 64 + column}),
                tile.at({16, 64}) + part.at({row, column}));
  EXPECT_EQ(partPlaces(tile, 1), partPlaces(columnsAsTheyLie(tile), 1));
}

TEST(SharedTile, IsCutIntoColumnBlocksAsWideAsTheSwizzleAtom) {
  EXPECT_EQ(sharedTileLayout({128, 128}, 2)->str(),
            "S<3,4,3> o (128,(64,2)):(128,(2,16384))");
  EXPECT_EQ(sharedTileLayout({64, 64}, 2)->str(), "S<3,4,3> o (64,64):(128,2)");
  EXPECT_EQ(sharedTileLayout({64, 96}, 2)->str(),
            "S<2,4,3> o (64,(32,3)):(64,(2,4096))");
  EXPECT_EQ(sharedTileLayout({64, 96}, 4)->str(),
            "S<3,4,3> o (64,(32,3)):(128,(4,8192))");
  EXPECT_EQ(sharedTileLayout({16, 16}, 1)->str(), "S<0,4,3> o (16,16):(16,1)");
  EXPECT_EQ(sharedTileLayout({2, 4, 8, 32}, 2)->str(),
            "S<2,4,3> o (2,4,8,32):(2048,512,64,2)");
  EXPECT_EQ(sharedTileLayout({3, 256}, 4)->str(),
            "S<3,4,3> o (3,(32,8)):(128,(4,384))");
}

TEST(SharedTile, OfOneRowIsNotSwizzled) {
  EXPECT_EQ(sharedTileLayout({256}, 4)->str(), "S<0,4,3> o (256):(4)");
  EXPECT_EQ(sharedTileLayout({1, 1, 48}, 2)->str(),
            "S<0,4,3> o (1,1,48):(96,96,2)");
}

TEST(SharedTile, HoldsEveryElementOnceWithoutGaps) {
  for (Shape shape : {Shape{64, 96}, Shape{3, 5, 16}, Shape{7, 40}, Shape{48},
                      Shape{2, 2, 2, 2, 64}})
    for (int64_t elementBytes : {2, 4, 8}) {
      SwizzledLayout tile = *sharedTileLayout(shape, elementBytes);
      std::set<int64_t> seen;
      for (int64_t i = 0; i < tile.size(); ++i)
        EXPECT_TRUE(seen.insert(tile(i)).second) << tile;
      EXPECT_EQ(tile.cosize(), tile.size() * elementBytes) << tile;
      EXPECT_LT(*seen.rbegin(), tile.cosize()) << tile;
    }
}

TEST(SharedTile, IsAlignedToEightRowsOfItsAtom) {
  auto alignment = [](int64_t rowBytes) {
    SwizzledLayout tile = *sharedTileLayout({8, rowBytes}, 1);
    EXPECT_EQ(atomBytes(tile), rowBytes);
    return alignmentBytes(tile);
  };
  EXPECT_EQ(alignment(128), 1024);
  EXPECT_EQ(alignment(64), 512);
  EXPECT_EQ(alignment(32), 256);
  EXPECT_EQ(alignment(16), 128);
}

TEST(SharedTile, HasPartsFromEachOfTheirPlacesOn) {
  auto places = [](std::vector<int64_t> shape, int64_t elementBytes,
                   int64_t dimension) {
    SwizzledLayout tile = *sharedTileLayout(shape, elementBytes);
    return partPlaces(tile, dimension);
  };
  EXPECT_EQ(places({64, 64}, 2, 0), (PartPlaces{8, 1024}));
  EXPECT_EQ(places({64, 128}, 2, 0), (PartPlaces{8, 1024}));
  EXPECT_EQ(places({64, 128}, 2, 1), (PartPlaces{64, 8192}));
  EXPECT_EQ(places({64, 96}, 2, 1), (PartPlaces{32, 4096}));
  // Two column blocks of four rows make up an atom.
  EXPECT_EQ(places({4, 128}, 2, 1), (PartPlaces{128, 1024}));
  EXPECT_EQ(places({1, 128}, 4, 1), (PartPlaces{32, 128}));
  EXPECT_EQ(places({4, 3, 64}, 2, 0), (PartPlaces{8, 3072}));
  EXPECT_EQ(places({4, 16, 64}, 2, 0), (PartPlaces{1, 2048}));
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{64, 128}, {4, 256}, {2, 24, 192}, {16, 48}})
    for (int64_t dimension = 0; dimension < int64_t(shape.size());
         ++dimension) {
      SwizzledLayout tile = *sharedTileLayout(shape, 2);
      const auto [elements, bytes] = partPlaces(tile, dimension);
      std::vector<int64_t> at(shape.size(), 0), part(shape);
      for (int64_t &place = at[size_t(dimension)];
           place < shape[size_t(dimension)]; place += elements) {
        part[size_t(dimension)] = shape[size_t(dimension)] - place;
        EXPECT_EQ(tile.layout.at(at), place / elements * bytes) << tile;
        EXPECT_TRUE(partOfTile(tile, at, part, 2)) << tile;
      }
    }
}

TEST(SharedTile, IsReadWithoutBankConflictsAlongRowsAndColumns) {
  for (int64_t rowBytes : {16, 32, 64, 128, 256}) {
    SwizzledLayout tile = *sharedTileLayout({64, rowBytes / 2}, 2);
    for (int64_t row = 0; row < 64; row += 8) {
      std::set<int64_t> banks;
      for (int64_t i = 0; i < 8; ++i)
        banks.insert(tile.at({row + i, 0}) / 16 % 8);
      EXPECT_EQ(banks.size(), 8u) << tile;
    }
  }
}

TEST(SharedTile, IsOneRowOfAnyLength) {
  EXPECT_EQ(sharedTileLayout({1}, 4)->str(), "S<0,4,3> o (1):(4)");
  EXPECT_EQ(sharedTileLayout({1, 6}, 2)->str(), "S<0,4,3> o (1,6):(12,2)");
  SwizzledLayout row = *sharedTileLayout({1, 128}, 4);
  EXPECT_EQ(partOfTile(row, {0, 64}, {1, 2}, 4)->str(),
            "S<0,4,3> o (1,2):(512,4)");
  EXPECT_REFUSAL(tmaBoxes(*sharedTileLayout({1, 6}, 2), {1, 6}, 2),
                 "rows of 12 bytes");
}

TEST(SharedTile, RefusesShapesThatTmaCannotCopy) {
  EXPECT_REFUSAL(sharedTileLayout({64, 12}, 2), "rows of 24 bytes");
  EXPECT_REFUSAL(sharedTileLayout({64, 12}, 2), "a multiple of 8 elements");
  EXPECT_REFUSAL(sharedTileLayout({}, 2), "has 0 dimensions");
  EXPECT_REFUSAL(sharedTileLayout({1, 1, 1, 1, 1, 64}, 2), "has 6 dimensions");
  EXPECT_REFUSAL(sharedTileLayout({0, 64}, 2), "an empty dimension");
  EXPECT_REFUSAL(sharedTileLayout({8, 64}, 3), "elements of 3 bytes");
  EXPECT_REFUSAL(sharedTileLayout({1 << 20, 1 << 20}, 2), "address of 32 bits");
}
