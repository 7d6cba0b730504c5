// The program of a GEMM, as its author writes it.
#pragma once

#include "GemmResources.h"
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
      : types(types), c(config), form(form), where(where),
        depth(productDepth(types, config)),
        together(depth * productsTogether(types, config)),
        sections(preparedSections(types, config, form)) {}

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

  /// An operand of the mma: the rows of the tile are cut from A or from B.
  struct Operand {
    Tensor tensor;
    ElementType type;
    int64_t extent; ///< rows of the tile
    Index rowsOfMatrix;
    bool isKMajor;
    int64_t kept; ///< sixteenths that L2 keeps
    /// Stages, which have not K contiguous, are transposed: rows of the tile
    /// where math loads them to registers, its columns by a role of its own.
    bool isTransposed = false;
    /// What `tensor` is first copied from, transposed or as it is, how long the
    /// copy is along K and across, and the loop for which CTAs start.
    std::optional<Tensor> source = {};
    bool isSourceTransposed = false;
    std::optional<Index> alongK = {}, acrossK = {};
    std::optional<TileLoop<4>> copies = {};

    Shape stage(int64_t depth) const {
      return isKMajor ? Shape{extent, depth} : Shape{depth, extent};
    }
    Shape transposed(int64_t depth) const { return {extent, depth}; }
    /// What a stage has of `depth` from one on.
    SharedTile part(const SharedTile &stage, int64_t first,
                    int64_t depth) const {
      return isKMajor ? slice(stage, {0, first}, {extent, depth})
                      : slice(stage, {first, 0}, {depth, extent});
    }
    SharedTile rows(const SharedTile &tile) const {
      return isKMajor ? tile : tile.T();
    }
  };

  /// What an operand is made from.
  struct OperandForm {
    int64_t tileExtent; ///< rows of the tile
    bool isOtherMajor;  ///< K is not contiguous
    int64_t alignment, kept;
    bool isPrepared, isTransposed;
    std::string_view paddedExtent; ///< name of its padded M or N
  };

  Tensor matrix(std::string_view name, ElementType type, const Index &rows,
                const Index &columns, bool isTransposed, int64_t alignment,
                bool isOutput = false) const;
  Operand operand(const char *name, ElementType type, const Index &extent,
                  const Index &depth, const OperandForm &is);
  Index batch() const { return *batchSize; }
  TileRef at(const Tensor &matrix, const Index &batch, const Index &row,
             const Index &column, bool isTransposed) const;
  TileRef inD(const Tensor &matrix, const At &place) const {
    return at(matrix, place.batch, place.m, place.n, types.layout.d_m_major);
  }

  /// Of an operand that is prepared: the tile that is copied at a time, by
  /// math or by the role apart from it.
  Shape preparedTile(ElementType type, bool isApart) const;
  SharedTile preparedTile(const Stage &stage, const Operand &operand) const;
  /// Copies the tile of an operand that begins at a row and a column.
  using CopyTile = std::function<void(const Operand &, const Index &batch,
                                      const Index &row, const Index &column)>;
  /// What a section has along K, in elements.
  struct PreparedDepth {
    Index begin, extent;
  };
  PreparedDepth preparedDepth(const Operand &operand,
                              const Index &section) const;
  /// Goes through this CTA's tiles of a section: `body` is given what has a
  /// tile copied.
  void forPrepared(
      const Index &section, bool isApart,
      const std::function<void(const std::function<void(const CopyTile &)> &)>
          &body) const;
  void transposeSource(const Operand &operand, const TileRef &from,
                       const SharedTile &to) const;
  void copyPrepared(const Index &section, bool isApart) const;
  void copySections() const;
  /// In each role first: how K is cut into sections.
  void shareSections();
  void fillPrepared() const;
  void storePrepared() const;
  void awaitPrepared(int64_t section) const;
  void awaitSections(const Index &step, const Index &turn) const;
  void forgetPrepared() const;
  Index ctasInAll() const;
  Index everyLoader() const; ///< groups of warps that load, of all CTAs
  int64_t mathGroups() const { return c.ping_pong ? c.warpgroups : 1; }

  void forAllWork(const std::function<void(const Work &)> &body) const;
  Work streamWork(const StreamK::Share &share, const Index &number) const;
  void loads();
  /// Copies a step of an operand, `above` or `beside`, to a stage.
  void load(bool isAbove, const Work &work, const Index &step,
            const SharedTile &stage) const;
  void math();
  /// `sum` plus the products of `together` of K from `begin` on, or of what the
  /// stage has left. `lost`, if there is one, is what the addition before has
  /// rounded off, and then what this one has.
  Fragment addProducts(const Stage &loaded, std::optional<Stage> &other,
                       int64_t begin, const Fragment &sum,
                       std::optional<Fragment> &lost) const;
  /// Of a stage's `depth` from `first` on. What a role has made of the stage
  /// is waited for with the first of them, and released with the last.
  Fragment product(const Stage &loaded, std::optional<Stage> &other,
                   int64_t first, const Fragment &sum) const;
  void transposeStages() const;
  Fragment loadRows(const SharedTile &tile) const;
  void split();
  void splitRows(const SharedTile &stage, const Stage &to, int64_t first) const;
  /// Of what `split` makes: the small parts, and, of bf16, all of the operand.
  SharedTile smallPart(const Stage &made) const;
  SharedTile wholePart(const Stage &made) const;
  Fragment productOfParts(const Stage &stage, std::optional<Stage> &parts,
                          int64_t first, const Fragment &sum) const;
  void stageIn(const Stage &reused);
  void finish(const Fragment &acc, const Work &work);
  void share(const Fragment &acc, const Work &work);
  Fragment sumOf(const Fragment &acc, int64_t column, const Work &work) const;
  void epilogue(const Fragment &sum, const Work &work);
  Fragment strip(const Fragment &part, const At &place);
  void storeStrip(const Tensor &target, const Fragment &part, const At &place);
  Fragment toD(const Fragment &part) const;
  Fragment vector(const Tensor &tensor, const At &place, bool alongM) const;
  Fragment spread(const Fragment &vector, bool alongM) const;
  TileRef stripOf(const Tensor &matrix, const At &place) const;

  Shape shapeOfStrip() const { return {c.bm, width}; }
  /// The same as it lies in D.
  Shape shapeInD(int64_t columns) const {
    return storesTransposed(types, c) ? Shape{columns, c.bm}
                                      : Shape{c.bm, columns};
  }

  const GemmTypes &types;
  const GemmConfig &c;
  const GemmForm &form;
  /// The author's line, which arguments are refused with.
  SourceLocation where;
  /// Of a product, after which a sum that leaves the tensor cores does.
  const int64_t depth;
  /// K of the products that begin together.
  const int64_t together;
  /// How many sections of K are prepared and waited for one by one.
  const int64_t sections;
  /// Columns of the strip that is stored.
  int64_t width = 0;
  size_t nextBuffer = 0;
  std::optional<Index> paddedDepth, batchSize, rows, columns, plane, perGroup,
      allSteps, perPart, ctas;
  /// In the role that is written: steps of a section.
  std::optional<Index> sectionSteps;
  /// What the rows and the columns of a tile are cut from: A and B, or swapped.
  std::optional<Operand> above, beside;
  std::optional<Tensor> C, D, bias, rowZero, columnSum, columnZero, rowSum,
      rowScale, columnScale, auxiliary, amax, partials, arrivals, arrived;
  std::optional<Scalar> alpha, beta, scaleD;
  std::optional<TileLoop<4>> tiles;
  std::optional<TileLoop<1>> everyCta;
  std::optional<StreamK> stream;
  std::optional<Pipeline> ring, prepared;
  /// What a role makes of the ring's stages: small parts, or what the tile's
  /// columns are cut from, transposed.
  std::optional<Pipeline> made;
  std::vector<SharedTile> staging;
};

} // namespace ashlar
