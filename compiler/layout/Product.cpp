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
Layout matrixProduct(const Layout &block, const Layout &tiler) {
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

Layout logicalProduct(const Layout &block, const Layout &tiler) {
  Layout copies = complement(block, block.size() * tiler.cosize());
  return concat({block, composition(copies, tiler)});
}

Layout logicalProduct(const Layout &block, const std::vector<Layout> &tilers) {
  if (static_cast<int64_t>(tilers.size()) > block.rank())
    refuse("the layout ", block, " has ", block.rank(),
           " modes, fewer than the ", tilers.size(), " tilers");
  std::vector<Layout> modes = block.modes();
  for (size_t i = 0; i < tilers.size(); ++i)
    modes[i] = logicalProduct(modes[i], tilers[i]);
  return concat(modes);
}

Layout zippedProduct(const Layout &block, const Layout &tiler) {
  return logicalProduct(block, tiler);
}

Layout zippedProduct(const Layout &block, const std::vector<Layout> &tilers) {
  std::vector<Layout> blocks, repeats;
  for (const Layout &mode : logicalProduct(block, tilers).modes()) {
    bool isPair = blocks.size() < tilers.size();
    blocks.push_back(isPair ? mode.mode(0) : mode);
    if (isPair)
      repeats.push_back(mode.mode(1));
  }
  return concat({concat(blocks), concat(repeats)});
}

Layout blockedProduct(const Layout &block, const Layout &tiler) {
  Layout product = matrixProduct(block, tiler);
  return paired(product.mode(0), product.mode(1));
}

Layout rakedProduct(const Layout &block, const Layout &tiler) {
  Layout product = matrixProduct(block, tiler);
  return paired(product.mode(1), product.mode(0));
}

} // namespace ashlar::layout
