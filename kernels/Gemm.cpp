#include "ashlar/gemm.h"

#include "GemmResources.h"
#include "ashlar/ashlar.h"

#include <optional>
#include <vector>

namespace ashlar {

namespace {

/// Registers of a math thread: what the loader's warpgroup leaves.
Registers mathRegisters(int64_t warpgroups) {
  return registers(warpgroups == 1 ? 240 : warpgroups == 2 ? 232 : 152);
}

void load(const TileRef &tile, const SharedTile &stage, bool shared) {
  if (shared)
    copy(tile, stage, multicast);
  else
    copy(tile, stage);
}

Fragment activated(Activation activation, const Fragment &x) {
  switch (activation) {
  case Activation::none:
    break;
  case Activation::relu:
    return relu(x);
  case Activation::gelu:
    return gelu(x);
  case Activation::silu:
    return silu(x);
  }
  return x;
}

/// One kernel while it is written.
class Gemm {
public:
  Gemm(const GemmTypes &types, const GemmConfig &config, const GemmForm &form)
      : types(types), c(config), form(form) {}

  void write();

private:
  /// Where a tile lies: its batch, and its first row and column in D.
  struct At {
    Index batch, m, n;
  };

  Tensor matrix(std::string_view name, ElementType type, const Index &rows,
                const Index &columns, bool isOutput = false) const {
    if (form.batched)
      return isOutput ? output(name, type, {batch(), rows, columns})
                      : input(name, type, {batch(), rows, columns});
    return isOutput ? output(name, type, {rows, columns})
                    : input(name, type, {rows, columns});
  }
  Index batch() const { return *batchSize; }
  TileRef at(const Tensor &matrix, const Index &batch, const Index &row,
             const Index &column) const {
    return form.batched ? matrix.at({batch, row, column})
                        : matrix.at({row, column});
  }

  void loads();
  void math();
  void stageIn(const Stage &lent);
  void epilogue(const Fragment &sum, const At &tile);
  Fragment strip(const Fragment &part, const At &place);
  void storeStrip(const Tensor &target, const Fragment &part, const At &place);
  Fragment vector(const Tensor &tensor, const At &place, bool alongM) const;
  Fragment spread(const Fragment &vector, bool alongM) const;
  Mask insideOfD(const At &place) const;

  Shape shapeOfStrip() const { return {c.bm, width}; }
  /// The same as it lies in D.
  Shape shapeInD(int64_t columns) const {
    return c.swapped ? Shape{columns, c.bm} : Shape{c.bm, columns};
  }
  Range steps(const Index &part) const {
    return range(part * *perPart, min((part + 1) * *perPart, *allSteps));
  }
  bool promotes() const {
    return types.accumulation == Accumulation::full &&
           (types.a == e4m3 || types.a == e5m2);
  }

  const GemmTypes &types;
  const GemmConfig &c;
  const GemmForm &form;
  /// Columns of the strip that is stored.
  int64_t width = 0;
  size_t nextBuffer = 0;
  std::optional<Index> batchSize, allSteps, perPart;
  std::optional<Tensor> A, B, C, D, bias, rowScale, columnScale, auxiliary,
      amax;
  std::optional<Scalar> alpha, beta, scaleD;
  std::optional<TileLoop<4>> tiles;
  std::optional<Pipeline> ring;
  std::vector<SharedTile> staging;
};

void Gemm::write() {
  Index M = size("M"), N = size("N"), K = size("K");
  batchSize.emplace(form.batched ? Index(size("batch")) : Index(1));
  A.emplace(matrix("A", types.a, M, K));
  B.emplace(matrix("B", types.b, N, K));
  D.emplace(matrix("D", types.d, M, N, /*isOutput=*/true));
  if (form.row_scales)
    rowScale.emplace(input("RowScale", f32, {M}, align(4)));
  if (form.column_scales)
    columnScale.emplace(input("ColumnScale", f32, {N}, align(4)));
  if (form.alpha)
    alpha.emplace(scalar("alpha", f32));
  if (form.c) {
    C.emplace(matrix("C", types.d, M, N));
    beta.emplace(scalar("beta", f32));
  }
  if (form.bias)
    bias.emplace(input("Bias", types.d, {N}, align(size_bytes(types.d))));
  if (form.auxiliary)
    auxiliary.emplace(matrix("Auxiliary", types.d, M, N, /*isOutput=*/true));
  if (form.amax)
    amax.emplace(inout("Amax", f32, {1}, align(4)));
  if (form.scale_d)
    scaleD.emplace(scalar("scale_d", f32));

  programmatic_launch();
  cluster({c.split, 1, c.cluster_m, c.cluster_n});
  Index extents[4] = {c.split, batch(), c.swapped ? N : M, c.swapped ? M : N};
  tiles.emplace(
      persistent(extents, {1, 1, c.bm, c.bn}, Raster::grouped(c.group)));
  ring.emplace(pipeline(c.stages,
                        smem(c.swapped ? types.b : types.a, {c.bm, c.bk}),
                        smem(c.swapped ? types.a : types.b, {c.bn, c.bk})));
  for (int64_t i = 0; i < std::min(c.store_buffers, stripCount(c)); ++i)
    staging.push_back(shared(types.d, shapeInD(stripColumns(c))));
  // Each part of K is a whole number of stages; the last may be shorter.
  allSteps.emplace(ceil_div(K, c.bk));
  perPart.emplace(ceil_div(*allSteps, c.split));

  role("load", warps(1), registers(c.warpgroups == 3 ? 32 : 40),
       [&] { loads(); });
  role("math", c.ping_pong ? ping_pong(c.warpgroups) : warpgroups(c.warpgroups),
       mathRegisters(c.warpgroups), [&] { math(); });
}

void Gemm::loads() {
  // The tile is bm rows of A by bn of B, or swapped.
  Tensor &rows = c.swapped ? *B : *A, &columns = c.swapped ? *A : *B;
  for (auto [part, batch, m, n] : *tiles) {
    for (Index k : steps(part)) {
      Stage s = ring->acquire();
      load(at(rows, batch, m * c.bm, k * c.bk), s[0], c.cluster_n > 1);
      load(at(columns, batch, n * c.bn, k * c.bk), s[1], c.cluster_m > 1);
      ring->commit(s);
    }
    if (c.store_buffers == 0)
      ring->commit(ring->acquire()); // empty, for the epilogue
  }
}

void Gemm::math() {
  for (auto [part, batch, m, n] : *tiles) {
    Fragment acc = zeros(f32, {c.bm, c.bn});
    for (Index k : steps(part)) {
      Stage s = ring->wait();
      if (promotes())
        acc = acc + mma(s[0], s[1].T(), zeros(f32, {c.bm, c.bn}));
      else
        acc = mma(s[0], s[1].T(), acc);
      ring->release(s);
    }
    Index row = m * c.bm, column = n * c.bn + part * storedColumns(c);
    At tile = c.swapped ? At{batch, column, row} : At{batch, row, column};
    Fragment sum = c.split > 1 ? cluster_sum(acc, 0) : acc;
    if (c.store_buffers > 0) {
      epilogue(sum, tile);
    } else {
      Stage lent = ring->wait();
      stageIn(lent);
      epilogue(sum, tile);
      ring->release(lent);
    }
  }
}

/// As many buffers for strips as a stage holds.
void Gemm::stageIn(const Stage &lent) {
  for (int64_t tile : {0, 1})
    for (int64_t i = 0; i < stripsInTile(types, c, tile); ++i)
      staging.push_back(lent[tile].as(types.d, shapeInD(stripColumns(c)), i));
}

void Gemm::epilogue(const Fragment &sum, const At &tile) {
  for (int64_t i = 0; i < storedColumns(c); i += width) {
    width = std::min(stripColumns(c), storedColumns(c) - i);
    At place{tile.batch, c.swapped ? tile.m + i : tile.m,
             c.swapped ? tile.n : tile.n + i};
    Fragment x = strip(slice(sum, {0, i}, shapeOfStrip()), place);
    storeStrip(*D, x, place);
  }
}

Fragment Gemm::strip(const Fragment &part, const At &place) {
  Fragment x = part;
  if (rowScale)
    x = x * spread(vector(*rowScale, place, true), true);
  if (columnScale)
    x = x * spread(vector(*columnScale, place, false), false);
  if (alpha)
    x = x * *alpha;
  if (C)
    x = x + convert(ashlar::load(at(*C, place.batch, place.m, place.n),
                                 shapeOfStrip()),
                    f32) *
                *beta;
  if (bias)
    x = x + spread(convert(vector(*bias, place, false), f32), false);
  if (auxiliary)
    storeStrip(*auxiliary, x, place);
  x = activated(form.activation, x);
  if (amax) {
    // Outside D the product is 0, and so is what is made of it alone.
    bool isZeroOutside = !bias && !C;
    Fragment magnitude = abs(x);
    if (!isZeroOutside)
      magnitude = select(insideOfD(place), magnitude, 0);
    reduce(amax->at({0}), magnitude, reduce_max);
  }
  return scaleD ? x * *scaleD : x;
}

void Gemm::storeStrip(const Tensor &target, const Fragment &part,
                      const At &place) {
  SharedTile whole = staging[nextBuffer++ % staging.size()];
  SharedTile buffer =
      width < stripColumns(c) ? slice(whole, {0, 0}, shapeInD(width)) : whole;
  store(c.swapped ? buffer.T() : buffer, convert(part, types.d));
  copy(buffer, at(target, place.batch, place.m, place.n));
}

/// The part of a vector of M or of N elements that a strip meets.
Fragment Gemm::vector(const Tensor &tensor, const At &place,
                      bool alongM) const {
  bool alongRows = alongM != c.swapped;
  return ashlar::load(tensor.at({alongM ? place.m : place.n}),
                      {alongRows ? c.bm : width});
}

Fragment Gemm::spread(const Fragment &vector, bool alongM) const {
  return alongM != c.swapped ? broadcast(along_rows(vector), shapeOfStrip())
                             : broadcast(vector, shapeOfStrip());
}

Mask Gemm::insideOfD(const At &place) const {
  return inside(at(*D, place.batch, place.m, place.n), shapeOfStrip());
}

} // namespace

Kernel gemm(const GemmTypes &types, const GemmConfig &config,
            const GemmForm &form) {
  return kernel("gemm", [&] {
    if (config.swapped && (form.c || (form.amax && form.bias)))
      throw Error(
          "gemm in a swapped configuration has transposed tiles, which "
          "neither meet C nor tell what of bias and amax lies inside D: "
          "use a configuration without 'swapped'");
    if (config.store_buffers == 0 && stripsInTile(types, config, 0) == 0 &&
        stripsInTile(types, config, 1) == 0)
      throw Error("gemm in a configuration that stages its results in the "
                  "ring has no tile there of " +
                  std::to_string(stripBytes(types, config)) +
                  " bytes: use fewer store_columns, or buffers of their own");
    Gemm(types, config, form).write();
  });
}

} // namespace ashlar
