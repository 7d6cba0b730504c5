#include "GemmTiling.h"
#include "compiler/target/Target.h"

#include <algorithm>
#include <tuple>

namespace ashlar {

namespace {

/// The part of L2 that one operand may fill and still be there when it is
/// wanted again.
constexpr double residentPart = 0.5;

/// Rows of a group that count as in flight together: of larger groups the model
/// would expect clusters to spare L2, and 19 that were measured took 0.5 %
/// longer with them.
constexpr int64_t mostRowsTogether = 8;

} // namespace

GemmTiling::GemmTiling(const GemmSizes &sizes, const GemmConfig &c,
                       const GpuModel &gpu)
    : rows(ceilDiv(c.swapped ? sizes.n : sizes.m, c.bm)),
      columns(ceilDiv(c.swapped ? sizes.m : sizes.n, c.bn)),
      clusters(sizes.batch * ceilDiv(rows, c.cluster_m) *
               ceilDiv(columns, c.cluster_n)),
      mostRows(std::min(c.bm, c.swapped ? sizes.n : sizes.m)),
      lastRows((c.swapped ? sizes.n : sizes.m) - (rows - 1) * c.bm),
      mostColumns(std::min(c.bn, c.swapped ? sizes.m : sizes.n)),
      lastColumns((c.swapped ? sizes.m : sizes.n) - (columns - 1) * c.bn),
      ctas(c.cluster_m * c.cluster_n * c.split),
      steps(ceilDiv(ceilDiv(sizes.k, c.bk), c.split)) {
  slots = std::max<int64_t>(gpu.resident_ctas(ctas) / ctas, 1);
  fullWaves = clusters / slots;
  leftClusters = clusters % slots;
  const int64_t inFlight = slots * c.cluster_m * c.cluster_n;
  const int64_t rowsTogether = std::min({c.group, rows, mostRowsTogether});
  columnsAtOnce = std::clamp<int64_t>(inFlight / rowsTogether, 1, columns);
  rowsAtOnce = std::clamp<int64_t>(inFlight / columnsAtOnce, 1, rows);
}

GemmSizes atLeastOne(GemmSizes sizes) {
  for (int64_t *extent : {&sizes.m, &sizes.n, &sizes.k, &sizes.batch})
    *extent = std::max<int64_t>(*extent, 1);
  return sizes;
}

int64_t strideOfA(const GemmSizes &sizes, const GemmTypes &types) {
  const int64_t dense = types.layout.a_m_major ? sizes.m : sizes.k;
  return (sizes.lda ? sizes.lda : dense) * size_bytes(types.a);
}

int64_t strideOfB(const GemmSizes &sizes, const GemmTypes &types) {
  const int64_t dense = types.layout.b_n_major ? sizes.n : sizes.k;
  return (sizes.ldb ? sizes.ldb : dense) * size_bytes(types.b);
}

int64_t strideOfD(const GemmSizes &sizes, const GemmTypes &types) {
  const int64_t dense = types.layout.d_m_major ? sizes.m : sizes.n;
  return (sizes.ldd ? sizes.ldd : dense) * size_bytes(types.d);
}

GemmTypes aligned_as(const GemmSizes &sizes, GemmTypes types) {
  constexpr int64_t most = target::tmaAlignment;
  auto alignment = [&](int64_t rows, int64_t stride) {
    return rows == 1 && sizes.batch == 1 ? most
                                         : std::min(stride & -stride, most);
  };
  GemmLayout &layout = types.layout;
  layout.align_a = alignment(layout.a_m_major ? sizes.k : sizes.m,
                             strideOfA(sizes, types) | most);
  layout.align_b = alignment(layout.b_n_major ? sizes.k : sizes.n,
                             strideOfB(sizes, types) | most);
  layout.align_d = alignment(layout.d_m_major ? sizes.n : sizes.m,
                             strideOfD(sizes, types) | most);
  return types;
}

GemmTypes vectors_as_rows(const GemmSizes &sizes, GemmTypes types) {
  GemmLayout &layout = types.layout;
  for (auto [rows, columns, stride, isTransposed] :
       {std::tuple{sizes.m, sizes.k, sizes.lda, &layout.a_m_major},
        std::tuple{sizes.n, sizes.k, sizes.ldb, &layout.b_n_major},
        std::tuple{sizes.m, sizes.n, sizes.ldd, &layout.d_m_major}})
    if (stride == 0 && (rows == 1) != (columns == 1))
      *isTransposed = columns == 1;
  return types;
}

int64_t operandBytes(const GemmSizes &sizes, const GemmTypes &types,
                     int64_t extent) {
  return sizes.batch * extent * sizes.k * size_bytes(types.a);
}

double resultBytes(const GemmSizes &sizes, const GemmTypes &types,
                   const GemmForm &form) {
  const int64_t matrices = 1 + form.c + form.auxiliary;
  return static_cast<double>(sizes.batch * sizes.m * sizes.n * matrices *
                             size_bytes(types.d));
}

double dramBytes(const GemmSizes &sizes, const GemmTypes &types,
                 const GemmConfig &c, const GemmForm &form,
                 const GemmTiling &tiling, const GpuModel &gpu) {
  const auto depthBytes = static_cast<double>(sizes.k * size_bytes(types.a));
  const double alongRows =
      depthBytes * static_cast<double>(c.swapped ? sizes.n : sizes.m);
  const double alongColumns =
      depthBytes * static_cast<double>(c.swapped ? sizes.m : sizes.n);
  const int64_t group = std::min(c.group, tiling.rows);
  const int64_t groups = ceilDiv(tiling.rows, group);
  const int64_t groupsAtOnce = std::max<int64_t>(tiling.rowsAtOnce / group, 1);

  const double resident = residentPart * static_cast<double>(gpu.l2_bytes);
  const bool groupStays =
      depthBytes * static_cast<double>(group * c.bm) <= resident;
  const auto rereadGroups =
      static_cast<double>(ceilDiv(tiling.columns, tiling.columnsAtOnce));
  const auto rereadColumns = static_cast<double>(ceilDiv(groups, groupsAtOnce));
  return static_cast<double>(sizes.batch) *
             (alongRows * (groupStays ? 1 : rereadGroups) +
              alongColumns * (alongColumns <= resident ? 1 : rereadColumns)) +
         resultBytes(sizes, types, form);
}

} // namespace ashlar
