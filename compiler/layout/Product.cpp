#include "compiler/layout/Product.h"

#include "compiler/layout/Composition.h"

#include <algorithm>

namespace ashlar::layout {

namespace {

/// The modes of `layout`, with modes of one element up to `rank`.
Layout padded(const Layout &layout, int64_t rank) {
  std::vector<Layout> modes = layout.modes();
  modes.resize(rank);
  return concat(modes);
}

/// The product of `block` and `tiler` with modes of the same rank.
Result<Layout> matrixProduct(const Layout &block, const Layout &tiler) {
  int64_t rank = std::max(block.rank(), tiler.rank());
  return logicalProduct(padded(block, rank), padded(tiler, rank));
}

/// ((a0,b0),(a1,b1),...).
Layout paired(const Layout &a, const Layout &b) {
  std::vector<Layout> pairs;
  for (int64_t i = 0; i < a.rank(); ++i)
    pairs.push_back(concat({a.mode(i), b.mode(i)}));
  return concat(pairs);
}

} // namespace

Result<Layout> logicalProduct(const Layout &block, const Layout &tiler) {
  Result<Layout> copies = complement(block, block.size() * tiler.cosize());
  if (!copies)
    return copies;
  Result<Layout> repeat = composition(*copies, tiler);
  if (!repeat)
    return repeat;
  return concat({block, *repeat});
}

Result<Layout> logicalProduct(const Layout &block,
                              const std::vector<Layout> &tilers) {
  if (static_cast<int64_t>(tilers.size()) > block.rank())
    return refuse("the layout ", block, " has ", block.rank(),
                  " modes, fewer than the ", tilers.size(), " tilers");
  std::vector<Layout> modes = block.modes();
  for (size_t i = 0; i < tilers.size(); ++i) {
    Result<Layout> mode = logicalProduct(modes[i], tilers[i]);
    if (!mode)
      return mode;
    modes[i] = *mode;
  }
  return concat(modes);
}

Result<Layout> zippedProduct(const Layout &block, const Layout &tiler) {
  return logicalProduct(block, tiler);
}

Result<Layout> zippedProduct(const Layout &block,
                             const std::vector<Layout> &tilers) {
  Result<Layout> product = logicalProduct(block, tilers);
  if (!product)
    return product;
  std::vector<Layout> blocks, repeats;
  for (const Layout &mode : product->modes()) {
    bool isPair = blocks.size() < tilers.size();
    blocks.push_back(isPair ? mode.mode(0) : mode);
    if (isPair)
      repeats.push_back(mode.mode(1));
  }
  return concat({concat(blocks), concat(repeats)});
}

Result<Layout> blockedProduct(const Layout &block, const Layout &tiler) {
  Result<Layout> product = matrixProduct(block, tiler);
  return product ? paired(product->mode(0), product->mode(1)) : product;
}

Result<Layout> rakedProduct(const Layout &block, const Layout &tiler) {
  Result<Layout> product = matrixProduct(block, tiler);
  return product ? paired(product->mode(1), product->mode(0)) : product;
}

} // namespace ashlar::layout
