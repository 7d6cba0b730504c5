#include "test/kernels/RandomGemm.h"
#include "test/kernels/Check.h"

#include "ashlar/gemm_auto.h"

#include <algorithm>
#include <bit>
#include <random>

namespace ashlar::test {
namespace {

constexpr Accumulation fast = Accumulation::fast, full = Accumulation::full;
const std::vector<GemmTypes> allTypes{{bf16, bf16, bf16, full},
                                      {bf16, bf16, f32, full},
                                      {f16, f16, f16, full},
                                      {f16, f16, f32, full},
                                      {tf32, tf32, f32, full},
                                      {f32, f32, f32, full},
                                      {f32, f32, bf16, full},
                                      {e4m3, e4m3, bf16, fast},
                                      {e4m3, e4m3, bf16, full},
                                      {e4m3, e5m2, bf16, fast},
                                      {e5m2, e4m3, f16, full},
                                      {e5m2, e5m2, f32, fast},
                                      {e4m3, e4m3, e4m3, full},
                                      {s8, s8, s32},
                                      {u8, s8, bf16},
                                      {s8, u8, f32},
                                      {s8, s8, s8},
                                      {u8, s8, u8},
                                      {e5m2, e4m3, e5m2, full},
                                      {bf16, bf16, s8, full}};

const std::vector<int64_t> primes{17,  31,  61,  67,  97,  127, 131,  191,
                                  257, 383, 509, 521, 769, 997, 1031, 1499};

/// What a device takes on: the largest M and N, the largest K, the CTAs of
/// stream-K, and multiplications, those of whole tiles.
struct Limits {
  int64_t extent, depth, ctas;
  double work;
};

Limits limits() {
  return isSimulated() ? Limits{600, 1500, 8, 3e7}
                       : Limits{1500, 8192, 132, 2e9};
}

class Dice {
public:
  explicit Dice(uint64_t seed) : random(seed) {}

  int64_t between(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % (most - least + 1));
  }
  bool oneIn(int64_t count) { return between(1, count) == 1; }
  /// Each power of two as likely as the next.
  int64_t ofAnyMagnitude(int64_t most) {
    const int bits = std::bit_width(static_cast<uint64_t>(most));
    return between(1, std::min(most, int64_t(1) << between(0, bits)));
  }
  template <typename T> T of(const std::vector<T> &all) {
    return all[between(0, static_cast<int64_t>(all.size()) - 1)];
  }

private:
  std::mt19937_64 random;
};

/// Some fields of a configuration drawn anew.
GemmConfig changed(GemmConfig c, const GemmTypes &types, Dice &dice) {
  if (dice.oneIn(3))
    c.stages = dice.between(1, c.stages);
  if (c.load_warps > 1) {
    c.load_groups = 1 << dice.between(0, 3);
    c.stages = std::max(c.stages - c.stages % c.load_groups, c.load_groups);
  }
  if (dice.oneIn(3))
    c.bn = 8 * dice.between(1, 32);
  if (dice.oneIn(3))
    c.cluster_m = 1 << dice.between(0, 2);
  if (dice.oneIn(3))
    c.cluster_n = 1 << dice.between(0, 2);
  if (dice.oneIn(3))
    c.split = 1 << dice.between(0, 2);
  if (dice.oneIn(3))
    c.group = dice.between(1, 16);
  if (dice.oneIn(2))
    c.store_columns = 8 * dice.between(1, 8);
  if (dice.oneIn(3))
    c.store_buffers = dice.between(1, 3);
  if (dice.oneIn(4))
    c.swapped = !c.swapped;
  if (dice.oneIn(3))
    c.alternating = !c.alternating;
  if (dice.oneIn(3))
    c.edge_parts = !c.edge_parts;
  if (types.a == f32 && dice.oneIn(3))
    c.bf16_parts = !c.bf16_parts;
  return c;
}

GemmConfig drawConfig(const GemmTypes &types, const GemmForm &form,
                      Dice &dice) {
  const GemmSizes sizes{dice.ofAnyMagnitude(8192),
                        dice.ofAnyMagnitude(8192),
                        dice.ofAnyMagnitude(8192),
                        form.batched ? dice.ofAnyMagnitude(64) : 1,
                        /*lda=*/8192,
                        /*ldb=*/8192,
                        /*ldd=*/8192};
  const GemmConfig candidate = dice.of(gemm_candidates(sizes, types, form));
  if (dice.oneIn(2))
    return candidate;
  GemmConfig config;
  do
    config = changed(candidate, types, dice);
  while (!why_not(sizes, types, config, form).empty());
  return config;
}

GemmForm drawForm(const GemmTypes &types, Dice &dice) {
  GemmForm form;
  form.batched = dice.oneIn(4);
  if (types.a == s8 || types.a == u8)
    form.row_zeros = dice.oneIn(3), form.column_zeros = dice.oneIn(3);
  if (types.d == s32 || dice.oneIn(2))
    return form;
  for (bool GemmForm::*part :
       {&GemmForm::row_scales, &GemmForm::column_scales, &GemmForm::alpha,
        &GemmForm::c, &GemmForm::bias, &GemmForm::auxiliary, &GemmForm::amax,
        &GemmForm::scale_d})
    form.*part = dice.oneIn(3);
  form.activation = static_cast<Activation>(dice.between(0, 3));
  // D tells less of it, which it is checked against.
  form.amax &= types.d != s8 && types.d != u8;
  return form;
}

int64_t drawExtent(int64_t most, int64_t tile, Dice &dice) {
  if (dice.oneIn(30))
    return 0;
  const int64_t tiles =
      tile * dice.between(1, std::max<int64_t>(1, most / tile));
  switch (dice.between(0, 4)) {
  case 0:
    return dice.between(1, 16);
  case 1:
    return std::min(dice.of(primes), most);
  case 2:
    return tiles;
  case 3:
    return tiles + (dice.oneIn(2) ? 1 : -1);
  default:
    return dice.between(1, most);
  }
}

int64_t wholeTiles(int64_t extent, int64_t tile) {
  return (extent + tile - 1) / tile * tile;
}

/// Those that only the workspace has.
void addSizesOf(const std::vector<GemmWorkspace> &workspaces,
                std::vector<NamedSize> &sizes) {
  for (const GemmWorkspace &each : workspaces)
    for (size_t i = 0; i < each.shape.size(); ++i) {
      const std::string name(each.extents[i]);
      if (!name.empty() && !std::ranges::count(sizes, name, &NamedSize::name))
        sizes.push_back({name, each.shape[i]});
    }
}

std::vector<NamedSize> drawSizes(const GemmTypes &types, const GemmConfig &c,
                                 bool isBatched, Dice &dice) {
  const Limits limit = limits();
  const int64_t rows = c.swapped ? c.bn : c.bm,
                columns = c.swapped ? c.bm : c.bn;
  while (true) {
    const int64_t m = drawExtent(limit.extent, rows, dice);
    const int64_t n = drawExtent(limit.extent, columns, dice);
    const int64_t k =
        drawExtent(dice.oneIn(4) ? limit.depth : limit.extent, c.bk, dice);
    const int64_t batch = isBatched ? dice.between(0, 4) : 1;
    if (double(wholeTiles(m, rows) * wholeTiles(n, columns)) *
            double(wholeTiles(k, c.bk) * batch) >
        limit.work)
      continue;
    std::vector<NamedSize> sizes{{"M", m}, {"N", n}, {"K", k}};
    if (isBatched)
      sizes.push_back({"batch", batch});
    if (c.stream_k)
      sizes.push_back({"CTAs", dice.between(1, limit.ctas)});
    addSizesOf(
        gemm_workspace({m, n, k, batch}, types, c, {.batched = isBatched}, 1),
        sizes);
    return sizes;
  }
}

} // namespace

GemmCase drawGemm(uint64_t seed) {
  Dice dice(seed);
  GemmCase gemm;
  gemm.types = dice.of(allTypes);
  gemm.form = drawForm(gemm.types, dice);
  GemmLayout &layout = gemm.types.layout;
  layout.a_m_major = dice.oneIn(2), layout.b_n_major = dice.oneIn(2);
  layout.d_m_major = dice.oneIn(3);
  for (auto [alignment, type] : {std::pair{&layout.align_a, gemm.types.a},
                                 std::pair{&layout.align_b, gemm.types.b},
                                 std::pair{&layout.align_d, gemm.types.d}})
    if (dice.oneIn(3))
      *alignment =
          std::min<int64_t>(size_bytes(type) << dice.between(0, 3), 16);
  gemm.config = drawConfig(gemm.types, gemm.form, dice);
  gemm.sizes = drawSizes(gemm.types, gemm.config, gemm.form.batched, dice);
  return gemm;
}

} // namespace ashlar::test
