#include "ashlar/gemm.h"

#include "GemmResources.h"
#include "StreamK.h"
#include "ashlar/ashlar.h"

#include <functional>
#include <optional>
#include <vector>

namespace ashlar {

namespace {

/// Registers of a math thread: what the loader's warpgroup leaves.
Registers mathRegisters(int64_t warpgroups) {
  return registers(warpgroups == 1 ? 240 : warpgroups == 2 ? 232 : 152);
}

void load(const TileRef &tile, const SharedTile &stage, bool shared,
          int64_t kept) {
  const CacheHint hint = keep(static_cast<double>(kept) / 16);
  if (kept == 16)
    shared ? copy(tile, stage, multicast) : copy(tile, stage);
  else
    shared ? copy(tile, stage, multicast, hint) : copy(tile, stage, hint);
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
  /// What a CTA does at a time: steps of K of a tile, its coordinates in tiles.
  struct Work {
    Index batch, m, n;
    Range steps;
    /// With split: the part of K. With stream_k: this CTA, whether it finishes
    /// the tile, and which others have parts of it.
    Index part;
    std::optional<Condition> finishes = {};
    std::optional<Range> others = {};
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

  void forAllWork(const std::function<void(const Work &)> &body) const;
  Work streamWork(const Index &cta, const Index &number) const;
  void loads();
  void math();
  void stageIn(const Stage &lent);
  void finish(const Fragment &acc, const Work &work);
  void share(const Fragment &acc, const Work &work);
  Fragment sumOf(const Fragment &acc, int64_t column, const Work &work) const;
  void epilogue(const Fragment &sum, const Work &work);
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
  std::optional<Index> batchSize, rows, columns, allSteps, perPart, ctas;
  std::optional<Tensor> A, B, C, D, bias, rowScale, columnScale, auxiliary,
      amax, partials, arrivals;
  std::optional<Scalar> alpha, beta, scaleD;
  std::optional<TileLoop<4>> tiles;
  std::optional<TileLoop<1>> turns;
  std::optional<StreamK> stream;
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
  allSteps.emplace(ceil_div(K, c.bk));
  Index along_m = c.swapped ? N : M, along_n = c.swapped ? M : N;
  if (c.stream_k) {
    ctas.emplace(size("CTAs"));
    partials.emplace(inout("Partials", f32, {*ctas, c.bm, c.bn}));
    arrivals.emplace(inout("Arrivals", s32, {*ctas}, align(4)));
    turns.emplace(persistent({*ctas}, {1}));
    rows.emplace(ceil_div(along_m, c.bm));
    columns.emplace(ceil_div(along_n, c.bn));
    stream.emplace(batch() * *rows * *columns, *allSteps, *ctas);
  } else {
    cluster({c.split, 1, c.cluster_m, c.cluster_n});
    tiles.emplace(persistent({c.split, batch(), along_m, along_n},
                             {1, 1, c.bm, c.bn}, Raster::grouped(c.group)));
    // Each part of K is a whole number of stages; the last may be shorter.
    perPart.emplace(ceil_div(*allSteps, c.split));
  }
  ring.emplace(pipeline(c.stages,
                        smem(c.swapped ? types.b : types.a, {c.bm, c.bk}),
                        smem(c.swapped ? types.a : types.b, {c.bn, c.bk})));
  for (int64_t i = 0; i < std::min(c.store_buffers, stripCount(c)); ++i)
    staging.push_back(shared(types.d, shapeInD(stripColumns(c))));

  role("load", warps(1), registers(c.warpgroups == 3 ? 32 : 40),
       [&] { loads(); });
  role("math", c.ping_pong ? ping_pong(c.warpgroups) : warpgroups(c.warpgroups),
       mathRegisters(c.warpgroups), [&] { math(); });
}

void Gemm::forAllWork(const std::function<void(const Work &)> &body) const {
  if (!c.stream_k) {
    for (auto [part, batch, m, n] : *tiles)
      body({batch, m, n,
            range(part * *perPart, min((part + 1) * *perPart, *allSteps)),
            part});
    return;
  }
  for (auto [cta] : *turns)
    for (Index number : range(stream->pieces(cta)))
      body(streamWork(cta, number));
}

Gemm::Work Gemm::streamWork(const Index &cta, const Index &number) const {
  StreamK::Piece piece = stream->piece(cta, number);
  // `group` tiles along m for each step along n, as in a tile loop.
  Index plane = *rows * *columns, inPlane = piece.tile % plane;
  Index perGroup = *columns * c.group;
  Index firstRow = inPlane / perGroup * c.group;
  Index height = min(*rows - firstRow, c.group);
  Index inGroup = inPlane % perGroup;
  return {piece.tile / plane,
          firstRow + inGroup % height,
          inGroup / height,
          range(piece.first, min(piece.end, *allSteps)),
          cta,
          piece.first == 0,
          piece.others};
}

void Gemm::loads() {
  // The tile is bm rows of A by bn of B, or swapped.
  Tensor &above = c.swapped ? *B : *A, &beside = c.swapped ? *A : *B;
  forAllWork([&](const Work &work) {
    for (Index k : work.steps) {
      Stage s = ring->acquire();
      load(at(above, work.batch, work.m * c.bm, k * c.bk), s[0],
           c.cluster_n > 1, c.swapped ? c.kept_b : c.kept_a);
      load(at(beside, work.batch, work.n * c.bn, k * c.bk), s[1],
           c.cluster_m > 1, c.swapped ? c.kept_a : c.kept_b);
      ring->commit(s);
    }
    if (c.store_buffers == 0)
      ring->commit(ring->acquire()); // empty, for the epilogue
  });
}

void Gemm::math() {
  forAllWork([&](const Work &work) {
    Fragment acc = zeros(f32, {c.bm, c.bn});
    for (Index k : work.steps) {
      Stage s = ring->wait();
      if (promotes())
        acc = acc + mma(s[0], s[1].T(), zeros(f32, {c.bm, c.bn}));
      else
        acc = mma(s[0], s[1].T(), acc);
      ring->release(s);
    }
    if (c.stream_k) {
      when(
          *work.finishes, [&] { finish(acc, work); },
          [&] { share(acc, work); });
      return;
    }
    Fragment sum = c.split > 1 ? cluster_sum(acc, 0) : acc;
    if (c.store_buffers > 0) {
      epilogue(sum, work);
    } else {
      Stage lent = ring->wait();
      stageIn(lent);
      epilogue(sum, work);
      ring->release(lent);
    }
  });
}

void Gemm::share(const Fragment &acc, const Work &work) {
  store(partials->at({work.part, 0, 0}), acc);
  signal(arrivals->at({work.part}));
}

void Gemm::finish(const Fragment &acc, const Work &work) {
  for (Index other : *work.others) {
    await(arrivals->at({other}), 1);
    signal(arrivals->at({other}), -1); // as the next launch expects it
  }
  epilogue(acc, work);
}

/// The strip of the tile's sum that begins at a column.
Fragment Gemm::sumOf(const Fragment &acc, int64_t column,
                     const Work &work) const {
  Fragment sum = slice(acc, {0, column}, shapeOfStrip());
  if (c.stream_k)
    for (Index other : *work.others)
      sum =
          sum + ashlar::load(partials->at({other, 0, column}), shapeOfStrip());
  return sum;
}

/// As many buffers for strips as a stage holds.
void Gemm::stageIn(const Stage &lent) {
  for (int64_t tile : {0, 1})
    for (int64_t i = 0; i < stripsInTile(types, c, tile); ++i)
      staging.push_back(lent[tile].as(types.d, shapeInD(stripColumns(c)), i));
}

void Gemm::epilogue(const Fragment &sum, const Work &work) {
  Index row = work.m * c.bm, column = work.n * c.bn;
  if (c.split > 1)
    column += work.part * storedColumns(c);
  for (int64_t i = 0; i < storedColumns(c); i += width) {
    width = std::min(stripColumns(c), storedColumns(c) - i);
    At place{work.batch, c.swapped ? column + i : row,
             c.swapped ? row : column + i};
    Fragment x = strip(sumOf(sum, i, work), place);
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
    if (std::string reason = notStreamK(config); !reason.empty())
      throw Error("gemm: " + reason);
    if (config.store_buffers == 0 && stripsInTile(types, config, 0) == 0 &&
        stripsInTile(types, config, 1) == 0)
      throw Error("gemm in a configuration that stages its results in the "
                  "ring has no tile there of " +
                  std::to_string(stripBytes(types, config)) +
                  " bytes: use fewer store_columns, or buffers of their own");
    Gemm(types, config, form).write();
  });
}

std::vector<GemmWorkspace> gemm_workspace(const GemmConfig &config,
                                          int64_t ctas) {
  if (!config.stream_k)
    return {};
  return {{"Partials", f32, {ctas, config.bm, config.bn}},
          {"Arrivals", s32, {ctas}}};
}

} // namespace ashlar
