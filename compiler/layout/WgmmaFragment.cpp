#include "compiler/layout/WgmmaFragment.h"

#include "compiler/target/Target.h"

namespace ashlar::layout {

namespace {

/// How far a lane's row is from the one before it, and the second of a lane
/// from the first.
struct RowSteps {
  explicit RowSteps(RowsOfLane rows)
      : ofLane(rows == RowsOfLane::neighbours ? 2 : 1),
        inLane(rows == RowsOfLane::neighbours ? 1 : 8) {}
  int64_t ofLane, inLane;
};

} // namespace

Result<FragmentLayout> accumulatorLayout(int64_t m, int64_t n,
                                         int64_t warpgroups, RowsOfLane are,
                                         ColumnOrder columns) {
  if (warpgroups < 1 || m < 1 || m % (target::wgmmaRows * warpgroups) != 0)
    return refuse("an accumulator of ", m, " rows does not divide among ",
                  warpgroups, " warpgroups: wgmma needs a multiple of ",
                  target::wgmmaRows, " rows for each");
  if (n < 1 || n % target::wgmmaColumnStep != 0)
    return refuse("an accumulator of ", n,
                  " columns is no wgmma result: use a multiple of ",
                  target::wgmmaColumnStep);
  const int64_t rows = m / warpgroups;
  const RowSteps step(are);
  if (columns == ColumnOrder::even_first) {
    if (n % (2 * target::wgmmaColumnStep) != 0)
      return refuse("an accumulator of ", n,
                    " columns has its even ones first: use a multiple of ",
                    2 * target::wgmmaColumnStep);
    return FragmentLayout{
        {m, n},
        Layout({4, 8, 4, warpgroups}, {4 * m, step.ofLane, 16, rows}),
        Layout({2, 2, n / 16, 2, rows / 64},
               {2 * m, step.inLane, 16 * m, m, 64})};
  }
  return FragmentLayout{
      {m, n},
      Layout({4, 8, 4, warpgroups}, {2 * m, step.ofLane, 16, rows}),
      Layout({2, 2, n / 8, rows / 64}, {m, step.inLane, 8 * m, 64})};
}

Result<FragmentLayout> operandLayout(int64_t m, int64_t k, int64_t warpgroups,
                                     int64_t elementBytes, RowsOfLane are,
                                     DepthOrder depth) {
  constexpr int64_t registerBytes = 4;
  if (warpgroups < 1 || m < 1 || m % (target::wgmmaRows * warpgroups) != 0)
    return refuse("A of ", m, " rows does not divide among ", warpgroups,
                  " warpgroups: wgmma needs a multiple of ", target::wgmmaRows,
                  " rows for each");
  if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4)
    return refuse("wgmma has no elements of ", elementBytes, " bytes");
  if (k < 1 || k * elementBytes % target::wgmmaDepthBytes != 0)
    return refuse("A of ", k,
                  " columns is no operand of wgmma: use a multiple "
                  "of ",
                  target::wgmmaDepthBytes / elementBytes);
  const int64_t rows = m / warpgroups, vector = registerBytes / elementBytes;
  const RowSteps step(are);
  if (depth == DepthOrder::interleaved) {
    if (vector != 2)
      return refuse("A of elements of ", elementBytes,
                    " bytes meets a B whose columns are interleaved, which is "
                    "for elements of 2");
    return FragmentLayout{
        {m, k},
        Layout({4, 8, 4, warpgroups}, {m, step.ofLane, 16, rows}),
        Layout({2, 2, k / 8, rows / 64}, {4 * m, step.inLane, 8 * m, 64})};
  }
  return FragmentLayout{
      {m, k},
      Layout({4, 8, 4, warpgroups}, {vector * m, step.ofLane, 16, rows}),
      Layout({vector, 2, k / vector / 4, rows / 64},
             {m, step.inLane, 4 * vector * m, 64})};
}

namespace {

/// Elements of metadata that an instruction takes of each row.
int64_t metadataStep(int64_t elementBytes) { return elementBytes == 1 ? 4 : 2; }

/// Whether all four lanes that share rows have metadata of their own, for two
/// instructions. Elements of 1 byte need all four for one.
bool fillsLanes(int64_t columns, int64_t elementBytes) {
  return elementBytes > 1 && columns % 4 == 0;
}

} // namespace

Result<FragmentLayout> metadataLayout(int64_t m, int64_t columns,
                                      int64_t warpgroups,
                                      int64_t elementBytes) {
  if (warpgroups < 1 || m < 1 || m % (target::wgmmaRows * warpgroups) != 0)
    return refuse("metadata of ", m, " rows do not divide among ", warpgroups,
                  " warpgroups: wgmma needs a multiple of ", target::wgmmaRows,
                  " rows for each");
  const int64_t step = metadataStep(elementBytes), rows = m / warpgroups;
  if (columns < 1 || columns % step != 0)
    return refuse("an instruction takes ", step, " metadata of a row, and ",
                  columns, " is no multiple of that");
  if (elementBytes == 1)
    return FragmentLayout{
        {m, columns},
        Layout({2, 2, 8, 4, warpgroups}, {8, 2 * m, 1, 16, rows}),
        Layout({2, columns / 4, rows / 64}, {m, 4 * m, 64})};
  if (fillsLanes(columns, elementBytes))
    return FragmentLayout{{m, columns},
                          Layout({4, 8, 4, warpgroups}, {m, 1, 16, rows}),
                          Layout({2, columns / 4, rows / 64}, {8, 4 * m, 64})};
  return FragmentLayout{{m, columns},
                        Layout({2, 2, 8, 4, warpgroups}, {m, 0, 1, 16, rows}),
                        Layout({2, columns / 2, rows / 64}, {8, 2 * m, 64})};
}

MetadataPlace metadataPlace(int64_t step, int64_t columns,
                            int64_t elementBytes) {
  if (fillsLanes(columns, elementBytes))
    return {step / 2, step % 2};
  return {step, 0};
}

} // namespace ashlar::layout
