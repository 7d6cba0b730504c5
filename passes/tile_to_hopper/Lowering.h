// What the patterns of tile-to-hopper are made of: for each operation a
// function
//
//   void lower(tile::SomeOp op, tile::SomeOp::Adaptor adaptor,
//              Rewriter &rewriter, const Context &context);
//
// beside those of its subject, which puts others in its place.
#ifndef ASHLAR_PASSES_TILETOHOPPER_LOWERING_H
#define ASHLAR_PASSES_TILETOHOPPER_LOWERING_H

#include "compiler/hopper/Hopper.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/InRole.h"
#include "passes/IndexFacts.h"
#include "passes/stages/Ring.h"
#include "passes/tile_to_hopper/Movements.h"
#include "passes/tile_to_hopper/Parameters.h"

namespace ashlar {

/// What is known of the kernel before any of it is lowered.
struct Context {
  const Cluster &cluster;
  const Rings &rings;
  const Movements &movements;
  const Parameters &parameters;
  const IndexFacts &facts; ///< of all coordinates
  /// Of each `tile.buffer`.
  const llvm::DenseMap<mlir::Operation *, mlir::Value> &pipelines;

  const Ring &ringOf(tile::BufferOp buffer) const {
    return rings.of(pipelines.lookup(buffer));
  }
};

using Rewriter = mlir::ConversionPatternRewriter;

/// The patterns of one kernel.
class Patterns {
public:
  explicit Patterns(const Context &context, mlir::MLIRContext *mlir)
      : context(context), set(mlir) {
    types.addConversion([](mlir::Type type) { return type; });
    types.addConversion([](tile::StageType type) {
      return mlir::IndexType::get(type.getContext());
    });
  }

  template <typename... Ops> void add() {
    set.add<Pattern<Ops>...>(types, set.getContext(), context);
  }

  mlir::RewritePatternSet take() { return std::move(set); }

private:
  template <typename Op> struct Pattern : mlir::OpConversionPattern<Op> {
    Pattern(const mlir::TypeConverter &types, mlir::MLIRContext *mlir,
            const Context &context)
        : mlir::OpConversionPattern<Op>(types, mlir), context(context) {}

    llvm::LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                        Rewriter &rewriter) const override {
      lower(op, adaptor, rewriter, context);
      return llvm::success();
    }

    const Context &context;
  };

  const Context &context;
  mlir::TypeConverter types;
  mlir::RewritePatternSet set;
};

void addPipelines(Patterns &patterns);
void addCopies(Patterns &patterns);
void addStores(Patterns &patterns);
void addGlobalMemory(Patterns &patterns);
void addFragments(Patterns &patterns);
void addDeclarations(Patterns &patterns);

} // namespace ashlar

#endif
