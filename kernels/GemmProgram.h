// The program of a GEMM, as its author writes it.
#pragma once

#include "StreamK.h"
#include "ashlar/ashlar.h"
#include "ashlar/gemm.h"

#include <functional>
#include <optional>
#include <vector>

namespace ashlar {

/// One kernel while it is written.
class GemmProgram {
public:
  GemmProgram(const GemmTypes &types, const GemmConfig &config,
              const GemmForm &form, SourceLocation where)
      : types(types), c(config), form(form), where(where) {}

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
    /// With split-K: the part of K. With stream_k: this CTA, whether it
    /// finishes the tile, and which others have parts of it.
    Index part;
    std::optional<Condition> finishes = {};
    std::optional<Range> others = {};
  };

  Tensor matrix(std::string_view name, ElementType type, const Index &rows,
                const Index &columns, bool isOutput = false) const {
    if (form.batched)
      return isOutput ? output(name, type, {batch(), rows, columns}, align(16),
                               where)
                      : input(name, type, {batch(), rows, columns}, align(16),
                              where);
    return isOutput ? output(name, type, {rows, columns}, align(16), where)
                    : input(name, type, {rows, columns}, align(16), where);
  }
  Index batch() const { return *batchSize; }
  TileRef at(const Tensor &matrix, const Index &batch, const Index &row,
             const Index &column) const {
    return form.batched ? matrix.at({batch, row, column})
                        : matrix.at({row, column});
  }

  void forAllWork(const std::function<void(const Work &)> &body) const;
  Work streamWork(const StreamK::Share &share, const Index &number) const;
  void loads();
  void math();
  void stageIn(const Stage &reused);
  void finish(const Fragment &acc, const Work &work);
  void share(const Fragment &acc, const Work &work);
  Fragment sumOf(const Fragment &acc, int64_t column, const Work &work) const;
  void epilogue(const Fragment &sum, const Work &work);
  Fragment strip(const Fragment &part, const At &place);
  void storeStrip(const Tensor &target, const Fragment &part, const At &place);
  Fragment vector(const Tensor &tensor, const At &place, bool alongM) const;
  Fragment spread(const Fragment &vector, bool alongM) const;
  TileRef stripOf(const Tensor &matrix, const At &place) const;

  Shape shapeOfStrip() const { return {c.bm, width}; }
  /// The same as it lies in D.
  Shape shapeInD(int64_t columns) const {
    return c.swapped ? Shape{columns, c.bm} : Shape{c.bm, columns};
  }

  const GemmTypes &types;
  const GemmConfig &c;
  const GemmForm &form;
  /// The author's line, which arguments are refused with.
  SourceLocation where;
  /// Columns of the strip that is stored.
  int64_t width = 0;
  size_t nextBuffer = 0;
  std::optional<Index> batchSize, rows, columns, plane, perGroup, allSteps,
      perPart, ctas;
  std::optional<Tensor> A, B, C, D, bias, rowScale, columnScale, auxiliary,
      amax, partials, arrivals;
  std::optional<Scalar> alpha, beta, scaleD;
  std::optional<TileLoop<4>> tiles;
  std::optional<TileLoop<1>> everyCta;
  std::optional<StreamK> stream;
  std::optional<Pipeline> ring;
  std::vector<SharedTile> staging;
};

} // namespace ashlar
