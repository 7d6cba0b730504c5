// What a GEMM does with the sum of a tile: strip after strip, on the registers
// and through shared memory to global.

#include "GemmProgram.h"

namespace ashlar {

namespace {

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

} // namespace

/// As many buffers for strips as a stage holds.
void GemmProgram::stageIn(const Stage &reused) {
  for (int64_t tile : {0, 1})
    for (int64_t i = 0; i < stripsInTile(types, c, tile); ++i)
      staging.push_back(reused[tile].as(types.d, shapeInD(stripColumns(c)), i));
}

void GemmProgram::epilogue(const Fragment &sum, const Work &work) {
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

Fragment GemmProgram::strip(const Fragment &part, const At &place) {
  auto alongM = [&](const Tensor &of) {
    return spread(vector(of, place, true), true);
  };
  auto alongN = [&](const Tensor &of) {
    return spread(vector(of, place, false), false);
  };
  Fragment x = part;
  if (rowZero)
    x = x - alongM(*rowZero) * alongN(*columnSum);
  if (columnZero)
    x = x - alongM(*rowSum) * alongN(*columnZero);
  if (sumType(types) == s32 && types.d != s32)
    x = convert(x, f32);
  if (rowScale)
    x = x * alongM(*rowScale);
  if (columnScale)
    x = x * alongN(*columnScale);
  if (alpha)
    x = x * *alpha;
  if (C)
    x = x +
        convert(ashlar::load(stripOf(*C, place), shapeOfStrip()), f32) * *beta;
  if (bias)
    x = x + spread(convert(vector(*bias, place, false), f32), false);
  if (auxiliary)
    storeStrip(*auxiliary, x, place);
  x = activated(form.activation, x);
  if (amax) {
    // Outside D the product is 0, and so is what is made of it alone; with
    // edge_parts it is one of other rows, but without their zero points.
    bool isZeroOutside = !bias && !C && !c.edge_parts;
    Fragment magnitude = abs(x);
    if (!isZeroOutside)
      magnitude =
          select(inside(stripOf(*D, place), shapeOfStrip()), magnitude, 0);
    reduce(amax->at({0}), magnitude, reduce_max);
  }
  return scaleD ? x * *scaleD : x;
}

void GemmProgram::storeStrip(const Tensor &target, const Fragment &part,
                             const At &place) {
  const SharedTile whole = staging[nextBuffer++ % staging.size()];
  auto strip = [&](const SharedTile &tile) {
    return width < stripColumns(c) ? slice(tile, {0, 0}, shapeInD(width))
                                   : tile;
  };
  const Fragment rounded = toD(part);
  const SharedTile buffer =
      strip(types.d == u8 ? whole.as(s8, shapeInD(stripColumns(c))) : whole);
  store(storesTransposed(types, c) ? buffer.T() : buffer, rounded);
  copy(strip(whole), inD(target, place));
}

/// Rounded to nearest even, as floats are, and not towards zero. Fragments have
/// no u8, but s8 of the same bits.
Fragment GemmProgram::toD(const Fragment &part) const {
  // All numbers from this one to twice as much are whole.
  constexpr double whole = 0x1.8p23;
  if (types.d == s8)
    return convert(part + whole - whole, s8);
  if (types.d != u8)
    return convert(part, types.d);
  const Fragment x = convert(min(max(part, 0), 255) + whole - whole, s32);
  return convert(select(x > 127, x - 256, x), s8);
}

/// The part of a vector of M or of N elements that a strip meets.
Fragment GemmProgram::vector(const Tensor &tensor, const At &place,
                             bool alongM) const {
  bool alongRows = alongM != c.swapped;
  return ashlar::load(tensor.at({alongM ? place.m : place.n}),
                      {alongRows ? c.bm : width});
}

Fragment GemmProgram::spread(const Fragment &vector, bool alongM) const {
  return alongM != c.swapped ? broadcast(along_rows(vector), shapeOfStrip())
                             : broadcast(vector, shapeOfStrip());
}

/// Where a strip lies in a matrix like D.
TileRef GemmProgram::stripOf(const Tensor &matrix, const At &place) const {
  TileRef tile = inD(matrix, place);
  return storesTransposed(types, c) ? tile.T() : tile;
}

} // namespace ashlar
