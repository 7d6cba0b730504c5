// The tile dialect: whole tiles, pipelines and roles.
#ifndef ASHLAR_COMPILER_TILE_TILE_H
#define ASHLAR_COMPILER_TILE_TILE_H

#include "compiler/layout/Fragment.h"
#include "compiler/layout/Swizzle.h"
#include "compiler/layout/WgmmaFragment.h"
#include "compiler/tile/Elements.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace ashlar::layout {

// Layouts are parameters of types and attributes.
llvm::hash_code hash_value(const SwizzledLayout &layout);
llvm::hash_code hash_value(const FragmentLayout &layout);

} // namespace ashlar::layout

namespace ashlar::tile {

/// The last but one dimension of a schedule, and the last.
enum class Along : uint8_t { m, n };

/// A mode of a raster: so many steps, or all that there are.
struct RasterMode {
  Along along;
  std::optional<int64_t> extent;
  bool alternating = false;

  bool operator==(const RasterMode &) const = default;
};

llvm::hash_code hash_value(const RasterMode &mode);

/// Of a product: factors on its right are mostly 1 (`rescale`).
inline constexpr llvm::StringLiteral mostlyOne = "tile.mostly_one";

/// Whether an index or a condition is computed from sizes and numbers by what a
/// launch can do, and is not too long for it.
bool isKnownAtLaunch(mlir::Value index);

/// What is wrong with these modes as a raster, the fastest first; or nothing.
std::string whyNotRaster(llvm::ArrayRef<RasterMode> modes);

} // namespace ashlar::tile

#include "compiler/tile/TileDialect.h.inc"
#include "compiler/tile/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/tile/TileAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/tile/TileTypes.h.inc"

namespace ashlar::tile {

/// What a wgmma multiplies and adds to.
struct Product {
  mlir::Type a; ///< a shared tile or a fragment
  SharedType b;
  mlir::RankedTensorType sum;
  mlir::RankedTensorType metadata; ///< of a sparse A; else null
  bool transposeA, transposeB;

  /// What A's elements are to wgmma: registers of f32 are tf32 where B is.
  mlir::Type elementA() const;
  /// Of the sums, as the rows of B lie.
  layout::ColumnOrder columnOrder() const;
  /// Of A in registers, as the columns of B lie.
  layout::DepthOrder depthOrder() const;
};

} // namespace ashlar::tile

#define GET_OP_CLASSES
#include "compiler/tile/TileOps.h.inc"

namespace ashlar::tile {

/// Who holds what of a fragment that has a layout; null where it has none.
FragmentAttr fragmentOf(mlir::Type type);

/// The pipeline that a stage belongs to.
mlir::TypedValue<PipelineType> pipelineOf(mlir::Value stage);

/// The tile whose memory a shared tile lies in: itself, or, of parts and views,
/// the one that they were made of; of a peer's tile, this CTA's.
mlir::Value memoryOf(mlir::Value shared);

/// The tile of a stage that a shared tile lies in, or null.
BufferOp bufferOf(mlir::Value shared);

/// What makes a shared tile one of another CTA, or null.
PeerOp peerOf(mlir::Value shared);

/// The role around an operation, or null.
RoleOp roleOf(mlir::Operation *op);

} // namespace ashlar::tile

#endif
