#include "test/unit/layout/RandomLayouts.h"

#include "compiler/layout/Fragment.h"
#include "compiler/layout/Repeated.h"
#include "compiler/layout/WgmmaFragment.h"

#include <bit>
#include <map>
#include <set>

using namespace ashlar::layout;

namespace {

using Shape = std::vector<int64_t>;

/// Expects that every element is held by exactly one thread.
void expectPartition(const FragmentLayout &fragment) {
  std::set<Shape> held;
  for (int64_t t = 0; t < fragment.thread.size(); ++t)
    for (int64_t v = 0; v < fragment.value.size(); ++v) {
      Shape element = coordinate(fragment, t, v);
      for (size_t i = 0; i < fragment.shape.size(); ++i)
        ASSERT_LT(element[i], fragment.shape[i]);
      ASSERT_TRUE(held.insert(element).second) << fragment;
    }
  EXPECT_EQ(static_cast<int64_t>(held.size()),
            IntTuple::of(fragment.shape).product())
      << fragment;
}

/// The largest power of two that groups values as contiguousValues promises.
int64_t bruteForceContiguous(const FragmentLayout &fragment) {
  auto holds = [&](int64_t group) {
    if (fragment.value.size() % group != 0)
      return false;
    for (int64_t t = 0; t < fragment.thread.size(); ++t)
      for (int64_t v = 0; v < fragment.value.size(); ++v) {
        Shape expected = coordinate(fragment, t, v / group * group);
        if (expected.back() % group != 0)
          return false;
        expected.back() += v % group;
        if (coordinate(fragment, t, v) != expected)
          return false;
      }
    return true;
  };
  int64_t group = 1;
  while (holds(2 * group))
    group *= 2;
  return group;
}

std::vector<FragmentLayout> examples() {
  std::vector<FragmentLayout> result;
  for (int64_t warpgroups : {1, 2})
    for (int64_t m : {128, 256})
      for (int64_t n : {8, 24, 64, 256})
        result.push_back(*accumulatorLayout(m, n, warpgroups));
  for (int64_t elementBytes : {1, 2, 4})
    for (Shape shape : {Shape{64, 96}, Shape{128}, Shape{128, 64},
                        Shape{4, 8, 24}, Shape{256, 1}, Shape{1, 2048}})
      for (int64_t threads : {32, 128})
        result.push_back(*blockedLayout(shape, threads, elementBytes));
  for (int64_t threads : {32, 96, 128, 256})
    for (int64_t m : {8, 48, 96})
      for (int64_t n : {64, 96}) {
        for (int64_t elementBytes : {1, 2, 4})
          if (auto layout = columnLayout(m, n, threads, elementBytes, 16))
            result.push_back(*layout);
        if (auto layout = byteBlockLayout(m, n, threads))
          result.push_back(*layout);
        if (auto layout = matrixLayout(m, n, threads / 32))
          result.push_back(*layout);
      }
  return result;
}

} // namespace

TEST(AccumulatorLayout, PlacesElementsAsThePtxIsaSays) {
  for (int64_t n = 8; n <= 256; n += 8)
    for (int64_t warpgroups : {1, 2, 3})
      for (int64_t blocks : {1, 2}) {
        int64_t rows = 64 * blocks;
        FragmentLayout fragment =
            *accumulatorLayout(rows * warpgroups, n, warpgroups);
        ASSERT_EQ(fragment.thread.size(), 128 * warpgroups);
        ASSERT_EQ(fragment.value.size(), rows * n / 128);
        for (int64_t t = 0; t < 128 * warpgroups; ++t)
          for (int64_t v = 0; v < fragment.value.size(); ++v) {
            int64_t lane = t % 32, warp = t / 32 % 4, warpgroup = t / 128;
            int64_t inBlock = v % (n / 2), block = v / (n / 2);
            int64_t row = warpgroup * rows + block * 64 + warp * 16 + lane / 4 +
                          inBlock / 2 % 2 * 8;
            int64_t column = inBlock / 4 * 8 + lane % 4 * 2 + inBlock % 2;
            ASSERT_EQ(coordinate(fragment, t, v), (Shape{row, column}));
          }
      }
}

TEST(AccumulatorLayout, RefusesWhatWgmmaDoesNotCompute) {
  EXPECT_REFUSAL(accumulatorLayout(96, 64, 1),
                 "96 rows does not divide among 1 warpgroups");
  EXPECT_REFUSAL(accumulatorLayout(64, 64, 2), "among 2 warpgroups");
  EXPECT_REFUSAL(accumulatorLayout(64, 12, 1), "12 columns");
}

TEST(ColumnLayout, GoesDownTheRowsFirst) {
  // 16 threads one below the other, two such columns of vectors to a warp.
  FragmentLayout fragment = *columnLayout(64, 32, 128, 4, 16);
  EXPECT_EQ(contiguousValues(fragment), 4);
  EXPECT_EQ(coordinate(fragment, 15, 0), (Shape{15, 0}));
  EXPECT_EQ(coordinate(fragment, 16, 0), (Shape{0, 4}));
  EXPECT_EQ(coordinate(fragment, 15, 3), (Shape{15, 3}));
  // Fewer rows than that leave more threads side by side.
  EXPECT_EQ(coordinate(*columnLayout(8, 128, 128, 4, 16), 8, 0), (Shape{0, 4}));
}

TEST(ColumnLayout, RefusesWhatIsNotEven) {
  EXPECT_REFUSAL(columnLayout(4, 8, 64, 4, 16),
                 "the matrix (4,8) does not divide evenly among 64 threads");
  EXPECT_REFUSAL(columnLayout(3, 32, 64, 2, 16), "does not divide evenly");
}

TEST(ByteBlockLayout, GivesThreadsWordsOfRowsAndOfColumns) {
  FragmentLayout fragment = *byteBlockLayout(128, 128, 128);
  EXPECT_EQ(contiguousValues(fragment), 16);
  EXPECT_EQ(coordinate(fragment, 0, 16), (Shape{1, 0}));
  EXPECT_EQ(coordinate(fragment, 1, 0), (Shape{0, 16}));
  EXPECT_EQ(coordinate(fragment, 4, 0), (Shape{4, 0}));
  EXPECT_EQ(coordinate(fragment, 16, 0), (Shape{64, 0}));
  EXPECT_REFUSAL(byteBlockLayout(12, 64, 32), "does not divide evenly");
  EXPECT_REFUSAL(byteBlockLayout(64, 8, 256), "does not divide evenly");
}

TEST(MatrixLayout, HoldsMatricesAsThePtxIsaSays) {
  for (int64_t m : {8, 64, 96})
    for (int64_t n : {32, 64})
      for (int64_t warps : {1, 2, 4}) {
        FragmentLayout fragment = *matrixLayout(m, n, warps);
        for (int64_t t = 0; t < 32 * warps; ++t)
          for (int64_t v = 0; v < fragment.value.size(); ++v) {
            Shape at = coordinate(fragment, t, v);
            EXPECT_EQ(at[0] % 8, t % 32 / 4);
            EXPECT_EQ(at[1] % 8, t % 4 * 2 + v % 2);
          }
      }
}

TEST(MatrixLayout, IsTheAccumulatorsWhereThereIsOne) {
  FragmentLayout fragment = *matrixLayout(64, 32, 4),
                 accumulator = *accumulatorLayout(64, 32, 1);
  for (int64_t t = 0; t < 128; ++t)
    for (int64_t v = 0; v < 16; ++v)
      EXPECT_EQ(coordinate(fragment, t, v), coordinate(accumulator, t, v));
}

TEST(MatrixLayout, RefusesWhatIsNotMatrices) {
  EXPECT_REFUSAL(matrixLayout(12, 64, 1), "the matrix (12,64) does not divide");
  EXPECT_REFUSAL(matrixLayout(8, 8, 2), "evenly among 64 threads");
}

TEST(FragmentLayouts, HoldEveryElementOnce) {
  for (const FragmentLayout &fragment : examples())
    expectPartition(fragment);
}

TEST(BlockedLayout, GivesNeighbouringThreadsNeighbouringVectors) {
  FragmentLayout fragment = *blockedLayout({128, 64}, 128, 2);
  for (int64_t t = 0; t < 128; ++t)
    for (int64_t v = 0; v < 8; ++v)
      EXPECT_EQ(coordinate(fragment, t, v), (Shape{t / 8, t % 8 * 8 + v}));
  EXPECT_EQ(fragment.str(), "128x64 (8,16):(1024,1) / (8,1,8):(128,8192,16)");
}

TEST(BlockedLayout, HasVectorsOf16BytesWhereTheShapeAllows) {
  EXPECT_EQ(contiguousValues(*blockedLayout({128, 64}, 128, 1)), 16);
  EXPECT_EQ(contiguousValues(*blockedLayout({128, 64}, 128, 4)), 4);
  EXPECT_EQ(contiguousValues(*blockedLayout({64, 2}, 128, 4)), 1);
  EXPECT_EQ(contiguousValues(*blockedLayout({128, 2}, 128, 4)), 2);
}

TEST(BlockedLayout, CoversRandomShapes) {
  RandomLayouts random(80);
  for (int round = 0; round < 1000; ++round) {
    Shape shape;
    for (int64_t i = random.number(1, 3); i > 0; --i)
      shape.push_back(random.pick({1, 2, 3, 4, 6, 8, 12, 16}));
    int64_t threads = random.pick({1, 2, 3, 4, 8, 12, 32, 96});
    if (IntTuple::of(shape).product() % threads == 0)
      expectPartition(
          *blockedLayout(shape, threads, random.pick({1, 2, 4, 8})));
  }
}

TEST(BlockedLayout, RepeatsWhatIsShorterThanTheRole) {
  for (int64_t elements : {1, 4, 12, 32, 100}) {
    const FragmentLayout fragment = *blockedLayout({elements}, 128, 4);
    EXPECT_EQ(fragment.thread.size(), 128);
    std::vector<int64_t> held(elements);
    for (int64_t t = 0; t < 128; ++t)
      for (int64_t v = 0; v < fragment.value.size(); ++v)
        ++held[coordinate(fragment, t, v)[0]];
    for (int64_t count : held)
      EXPECT_EQ(count, held[0]) << elements;
  }
}

TEST(BlockedLayout, RefusesElementsThatDoNotDivide) {
  EXPECT_REFUSAL(blockedLayout({192}, 128, 4),
                 "the 192 elements of a fragment (192) do not divide among 128 "
                 "threads: use a multiple of 128 elements or 64 threads");
  EXPECT_REFUSAL(blockedLayout({64}, 32, 0), "elements of 0 bytes");
}

TEST(SliceLayout, HoldsWhatEachThreadNeedsAndNoMore) {
  for (const FragmentLayout &fragment : examples())
    for (int dim = 0; dim < static_cast<int>(fragment.shape.size()); ++dim) {
      FragmentLayout slice = sliceLayout(fragment, {dim});
      ASSERT_EQ(slice.shape, Shape{fragment.shape[dim]});
      ASSERT_EQ(slice.thread.size(), fragment.thread.size());
      for (int64_t t = 0; t < fragment.thread.size(); ++t) {
        std::set<int64_t> needed, held;
        for (int64_t v = 0; v < fragment.value.size(); ++v)
          needed.insert(coordinate(fragment, t, v)[dim]);
        for (int64_t v = 0; v < slice.value.size(); ++v)
          ASSERT_TRUE(held.insert(coordinate(slice, t, v)[0]).second);
        ASSERT_EQ(needed, held) << fragment << " along " << dim;
      }
    }
}

TEST(SliceLayout, OfAccumulatorRowsIsTheSoftmaxVector) {
  EXPECT_EQ(sliceLayout(*accumulatorLayout(128, 64, 2), {0}).str(),
            "128 (4,8,4,2):(0,1,16,64) / 2:8");
  EXPECT_EQ(sliceLayout(*accumulatorLayout(128, 64, 2), {1}).str(),
            "64 (4,8,4,2):(2,0,0,0) / (2,8):(1,8)");
}

TEST(SliceLayout, KeepsSeveralDimensionsInOrder) {
  FragmentLayout fragment = *blockedLayout({4, 8, 24}, 32, 2);
  FragmentLayout slice = sliceLayout(fragment, {0, 2});
  EXPECT_EQ(slice.shape, (Shape{4, 24}));
  for (int64_t t = 0; t < 32; ++t) {
    std::set<Shape> needed, held;
    for (int64_t v = 0; v < fragment.value.size(); ++v) {
      Shape element = coordinate(fragment, t, v);
      needed.insert({element[0], element[2]});
    }
    for (int64_t v = 0; v < slice.value.size(); ++v)
      held.insert(coordinate(slice, t, v));
    EXPECT_EQ(needed, held);
  }
}

TEST(PartLayout, OfAnAccumulatorIsASmallerAccumulator) {
  FragmentLayout whole = *accumulatorLayout(128, 256, 2);
  EXPECT_EQ(*partLayout(whole, {0, 64}, {128, 64}),
            *accumulatorLayout(128, 64, 2));
  EXPECT_EQ(*partLayout(whole, {0, 248}, {128, 8}),
            *accumulatorLayout(128, 8, 2));
  EXPECT_EQ(
      partLayout(*accumulatorLayout(128, 64, 1), {64, 0}, {64, 64})->value,
      *Layout::parse("(2,2,8,1):(64,8,512,64)"));
}

TEST(PartLayout, HoldsTheSameElementsAsTheWhole) {
  for (const FragmentLayout &whole :
       {*accumulatorLayout(256, 96, 2), *blockedLayout({64, 64}, 128, 2)})
    for (const auto &[offset, shape] :
         std::vector<std::pair<Shape, Shape>>{{{0, 32}, {256, 32}},
                                              {{0, 88}, {256, 8}},
                                              {{0, 0}, {64, 64}},
                                              {{16, 0}, {32, 64}}}) {
      if (offset[0] + shape[0] > whole.shape[0])
        continue;
      Result<FragmentLayout> cut = partLayout(whole, offset, shape);
      if (!cut)
        continue;
      FragmentLayout part = *cut;
      expectPartition(part);
      std::vector<int64_t> from = valuesOfPart(whole, offset, part);
      for (int64_t t = 0; t < part.thread.size(); ++t)
        for (int64_t v = 0; v < part.value.size(); ++v) {
          Shape at = coordinate(part, t, v);
          for (size_t dim = 0; dim < at.size(); ++dim)
            at[dim] += offset[dim];
          ASSERT_EQ(at, coordinate(whole, t, from[v])) << whole << part;
        }
    }
}

TEST(PartLayout, RefusesWhatSomeThreadsHoldMoreOf) {
  FragmentLayout whole = *accumulatorLayout(128, 64, 2);
  EXPECT_REFUSAL(partLayout(whole, {0, 4}, {128, 8}), "not spread evenly");
  EXPECT_REFUSAL(partLayout(whole, {0, 0}, {64, 64}), "not spread evenly");
  EXPECT_REFUSAL(partLayout(whole, {0, 0}, {128, 12}), "not spread evenly");
}

TEST(RepeatedLayout, HasEachPartAsItLiesAlone) {
  for (const FragmentLayout &part :
       {*blockedLayout({8, 12}, 96, 4), *blockedLayout({1, 256}, 64, 2),
        *blockedLayout({2, 4}, 32, 1), *accumulatorLayout(64, 24, 1)}) {
    const Shape shape = {3 * part.shape[0], 2 * part.shape[1]};
    const FragmentLayout whole = repeatedLayout(part, shape);
    EXPECT_FALSE(whyNotFragment(whole)) << whole;
    EXPECT_EQ(whole.value.size(), 6 * part.value.size());
    for (const Shape &offset : {Shape{0, 0}, Shape{part.shape[0], 0},
                                Shape{2 * part.shape[0], part.shape[1]}}) {
      const auto cut = partLayout(whole, offset, part.shape);
      ASSERT_TRUE(cut) << whole;
      for (int64_t t = 0; t < part.thread.size(); ++t)
        for (int64_t v = 0; v < part.value.size(); ++v)
          ASSERT_EQ(coordinate(*cut, t, v), coordinate(part, t, v)) << whole;
    }
  }
}

TEST(WarpRows, OfAnAccumulatorAreSixteenOfEachBlock) {
  auto rows = warpRows(*accumulatorLayout(256, 64, 2));
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->count, 16);
  EXPECT_EQ(rows->parts, 2);
  EXPECT_EQ(rows->stride, 64);
  EXPECT_EQ(rows->ofWarp(3), 48);
  EXPECT_EQ(rows->ofWarp(4), 128);
  EXPECT_EQ(rows->ofWarp(7), 176);
}

TEST(WarpRows, AreNothingWhereWarpsShareARow) {
  EXPECT_FALSE(warpRows(*blockedLayout({2, 1024}, 128, 2)));
  EXPECT_FALSE(warpRows(sliceLayout(*accumulatorLayout(64, 64, 1), {1})));
}

TEST(PerDimension, GivesTheCoordinateInEachDimension) {
  for (const FragmentLayout &fragment : examples()) {
    std::vector<Layout> thread = perDimension(fragment.thread, fragment.shape);
    std::vector<Layout> value = perDimension(fragment.value, fragment.shape);
    for (size_t dim = 0; dim < fragment.shape.size(); ++dim) {
      ASSERT_TRUE(congruent(thread[dim].shape(), fragment.thread.shape()));
      for (int64_t t = 0; t < fragment.thread.size(); ++t)
        for (int64_t v = 0; v < fragment.value.size(); ++v)
          ASSERT_EQ(thread[dim](t) + value[dim](v),
                    coordinate(fragment, t, v)[dim])
              << fragment;
    }
  }
}

TEST(ContiguousValues, IsTheLargestVectorOfEveryThread) {
  for (const FragmentLayout &fragment : examples()) {
    EXPECT_EQ(contiguousValues(fragment), bruteForceContiguous(fragment))
        << fragment;
    for (int dim = 0; dim < static_cast<int>(fragment.shape.size()); ++dim) {
      FragmentLayout slice = sliceLayout(fragment, {dim});
      EXPECT_EQ(contiguousValues(slice), bruteForceContiguous(slice)) << slice;
    }
  }
}

TEST(ContiguousValues, AlignsWithWhereThreadsAndOtherValuesStart) {
  FragmentLayout windows = {{16}, Layout(4, 2), Layout(8, 1)};
  EXPECT_EQ(contiguousValues(windows), 2);
  EXPECT_EQ(contiguousValues(windows), bruteForceContiguous(windows));
  FragmentLayout strided = {{16}, Layout(), *Layout::parse("(4,3):(1,6)")};
  EXPECT_EQ(contiguousValues(strided), 2);
  EXPECT_EQ(contiguousValues(strided), bruteForceContiguous(strided));
}

TEST(ContiguousValues, IsTwoForAnAccumulator) {
  EXPECT_EQ(contiguousValues(*accumulatorLayout(128, 256, 2)), 2);
}

TEST(FragmentLayouts, ReadWhatTheyWrite) {
  EXPECT_EQ(accumulatorLayout(128, 256, 2)->str(),
            "128x256 (4,8,4,2):(256,1,16,64) / (2,2,32,1):(128,8,1024,64)");
  for (const FragmentLayout &fragment : examples())
    EXPECT_EQ(*FragmentLayout::parse(fragment.str()), fragment);
  EXPECT_REFUSAL(FragmentLayout::parse("128x256 4:1"), "expected 128x256");
}

TEST(FragmentLayouts, RefuseElementsThatNoThreadHoldsOrThatAreNotThere) {
  auto why = [](const char *text) {
    return whyNot(FragmentLayout::parse(text));
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(why("8x8 16:1 / 4:16"),
              HasSubstr("the mode 16:1 moves along more than one dimension of "
                        "(8,8)"));
  EXPECT_THAT(why("8x8 8:1 / 4:8"),
              HasSubstr("the threads hold 4 elements along dimension 1"));
  EXPECT_THAT(why("8x8 (8,2):(1,8) / 2:32"),
              HasSubstr("no thread holds element 2 along dimension 1"));
  EXPECT_THAT(why("8x0 8:1 / 1:0"), HasSubstr("an extent of 0"));
}
