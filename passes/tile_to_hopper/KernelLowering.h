// Rebuilds a tile kernel as a hopper kernel, operation by operation.
#ifndef ASHLAR_PASSES_TILETOHOPPER_KERNELLOWERING_H
#define ASHLAR_PASSES_TILETOHOPPER_KERNELLOWERING_H

#include "compiler/hopper/Hopper.h"
#include "compiler/layout/Fragment.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Arithmetic.h"
#include "passes/tile_to_hopper/MostStages.h"
#include "passes/tile_to_hopper/Ring.h"
#include "llvm/ADT/MapVector.h"

#include <memory>

namespace ashlar {

/// One tensor map of the kernel: what TMA moves of a tensor at once.
struct MapKey {
  mlir::Operation *tensor;
  std::vector<int64_t> box;
  int64_t swizzle;
  auto operator<=>(const MapKey &) const = default;
};

/// A divisor that stays the same over a loop of tiles, with its reciprocal
/// in units of 2^-32: a division takes the time of two multiplications.
struct Divisor {
  mlir::Value value, reciprocal;
};

/// How the tiles of a schedule are counted, as a role's loop goes over them.
struct RasterCounts {
  llvm::SmallVector<mlir::Value> clusters; ///< along each dimension
  Divisor plane;
  /// Tiles in a step of each mode of the raster but the fastest, which takes
  /// one; and at the edge of the other dimension, where that cuts the step.
  struct Step {
    Divisor whole;
    std::optional<Divisor> atEdge;
  };
  llvm::SmallVector<Step> steps;
};

/// A place in a ring: which stage is next, and the parity of its phase.
struct Cursor {
  mlir::Value stage, parity;
};

class KernelLowering {
public:
  KernelLowering(tile::KernelOp kernel, mlir::OpBuilder &builder);
  llvm::LogicalResult run();

private:
  // Parameters.cpp
  llvm::LogicalResult lowerParameters();
  mlir::Value tensorMap(tile::TensorOp tensor, llvm::ArrayRef<int64_t> tileBox,
                        int64_t swizzle);
  struct GlobalTensor {
    mlir::Value pointer;
    llvm::SmallVector<mlir::Value> extents, strides;
  };
  GlobalTensor globalTensor(mlir::Value tensor);

  // KernelLowering.cpp
  void lowerSetUp();
  void prefetchTensorMaps();
  void viewSharedTiles();
  static bool copiesOut(tile::RoleOp role);
  llvm::LogicalResult lowerRole(tile::RoleOp role);
  llvm::LogicalResult lowerBlock(mlir::Block &block);
  llvm::LogicalResult lowerOp(mlir::Operation &op);
  llvm::LogicalResult lowerFor(mlir::scf::ForOp loop);
  llvm::LogicalResult lowerIf(mlir::scf::IfOp branch);
  void lowerElementwise(mlir::Operation &op);
  void roleBarrier(mlir::Location loc);
  int64_t roleBarrierId();
  mlir::Value special(mlir::Location loc, llvm::StringRef name);
  /// The number of this instance of the role.
  mlir::Value instance(mlir::Location loc);
  /// An address in the part of this instance, of `bytes` each.
  mlir::Value ofInstance(mlir::Location loc, int64_t offset, int64_t bytes);
  /// Runs `body` with the builder inside a `hopper.once`; joins the one before
  /// it when nothing but pure operations lies between.
  void once(mlir::Location loc, llvm::function_ref<void()> body);
  mlir::Location named(mlir::Operation &op, llvm::StringRef name);
  mlir::Value lookup(mlir::Value value) { return map.lookup(value); }
  llvm::SmallVector<mlir::Value> lookup(mlir::ValueRange values);

  // StartEarly.cpp
  /// Lets the lowered role compute before it waits.
  static void startEarly(mlir::Block &body);

  // Schedule.cpp
  void lower(tile::ScheduleRangeOp op);
  void lower(tile::ScheduleCoordinatesOp op);
  /// Of the tile of a number; the schedule's range comes before.
  llvm::SmallVector<mlir::Value> tileCoordinates(mlir::Location loc,
                                                 tile::ScheduleOp schedule,
                                                 mlir::Value number);
  /// Clusters of tiles along each dimension of the schedule.
  llvm::SmallVector<mlir::Value> clusterCounts(tile::ScheduleOp schedule,
                                               Arithmetic arithmetic);
  RasterCounts rasterCounts(tile::ScheduleOp schedule, Arithmetic arithmetic);

  // Instances.cpp
  void initTurns(tile::RoleOp op);
  bool sharesTiles(mlir::scf::ForOp loop);
  /// The body of a tile loop that instances share: each takes its stages only
  /// when the one before has taken those of its tile. Otherwise it might wait
  /// for a stage two rounds ahead, which the parity of a phase cannot tell.
  llvm::LogicalResult lowerInTurn(mlir::scf::ForOp loop);
  /// Refuses stages that the instances of a role could not share out.
  llvm::LogicalResult checkTurns();
  /// Moves the cursors of a role of several instances past the stages of other
  /// instances' tiles: of those before the first, or between one and the next.
  llvm::LogicalResult skipTiles(mlir::scf::ForOp loop, bool beforeFirst);
  llvm::FailureOr<mlir::Value> stagesTaken(mlir::Block &block,
                                           mlir::Value pipeline, bool filling,
                                           mlir::IRMapping &ofTile);
  /// A value of a tile loop's body, for another tile.
  llvm::FailureOr<mlir::Value> recompute(mlir::Value value,
                                         mlir::IRMapping &ofTile);

  // ClusterSum.cpp
  void initExchange(tile::ClusterSumOp op);
  llvm::LogicalResult lower(tile::ClusterSumOp op);
  void waitForEmptySlots(tile::ClusterSumOp op);

  // Global.cpp
  void lower(tile::LoadOp op);
  void lower(tile::StoreOp op);
  void lower(tile::ReduceIntoOp op);
  void lower(tile::InsideOp op);
  void lower(tile::SignalOp op);
  void lower(tile::AwaitOp op);
  llvm::LogicalResult lower(tile::PrefetchOp op);

  // Stores.cpp
  /// Finds the tiles that each warp of the role can store by itself.
  void findWarpTiles();
  llvm::LogicalResult lower(tile::CopyOutOp op);
  void lower(tile::WriteOp op);
  bool findWarpTile(tile::CopyOutOp out);
  mlir::Value takenByTma(tile::CopyOutOp op,
                         llvm::ArrayRef<mlir::Value> coordinates,
                         mlir::Value columns, mlir::Location loc);
  /// Waits until TMA has read, or also written, what the role has handed to it,
  /// but for the last `pending` tiles.
  void waitForStores(mlir::Location loc, int64_t pending, bool written = false);
  std::optional<int64_t> storesSince(tile::WriteOp op);

  // Pipelines.cpp
  using CursorKey = std::pair<mlir::Value, bool /*filling*/>;
  Cursor &cursor(mlir::Value pipeline, bool filling);
  llvm::SmallVector<CursorKey> cursorsMovedIn(mlir::Operation *op);
  Ring &ringOf(mlir::Value pipeline) { return *rings[pipeline]; }
  mlir::Value barrier(mlir::Location loc, int64_t offset, mlir::Value stage);
  Cursor next(mlir::Location loc, const Ring &ring, Cursor at);
  void takeStage(mlir::Operation &op, bool filling);
  void tryStage(mlir::Operation &op, bool filling);
  /// At the end of a role: no CTA leaves while a peer may still write to it or
  /// arrive at its barriers. All have when its stages and the slots of its sums
  /// are empty. A barrier would have to release to the cluster, which is a
  /// fence of the whole GPU.
  void awaitPeers();
  void lower(tile::CommitOp op);
  void lower(tile::ReleaseOp op);
  void lower(tile::BufferOp op);
  void lower(tile::PartOp op);
  void lower(tile::ViewOp op);

  // Movement.cpp
  llvm::LogicalResult lower(tile::CopyOp op);
  llvm::LogicalResult lowerTma(tile::CopyOp op);
  void lower(tile::ReadOp op);
  void lower(tile::MmaOp op);
  /// Orders accesses of this role's threads to a tile that it writes and reads.
  void orderSharedAccess(mlir::Value shared, mlir::Operation &op);

  tile::KernelOp source;
  hopper::KernelOp target;
  tile::RoleOp role; ///< the one being lowered
  mlir::OpBuilder &builder;
  mlir::IRMapping map;
  Cluster cluster;
  MostStages mostStages;
  bool hasBarriers = false; ///< that are initialised before any role uses them
  bool meetsAtEnd = false;  ///< the cluster, where `awaitPeers` cannot wait
  llvm::MapVector<mlir::Value, std::unique_ptr<Ring>> rings;
  std::map<MapKey, mlir::Value> tensorMaps;
  mlir::Operation *lastParameter = nullptr; ///< of the kernel, maps included
  llvm::DenseMap<mlir::Value, GlobalTensor> globals;
  llvm::DenseMap<mlir::Value, int64_t> barrierIds;
  int64_t nextBarrier = 1, currentRoleBarrier = 0;
  std::map<std::pair<void *, bool>, Cursor> cursors;
  /// Of the role being lowered, by schedule.
  llvm::DenseMap<mlir::Operation *, RasterCounts> rasters;
  /// Of the role being lowered: the rows of each warp in the tiles that warps
  /// store by themselves; empty if the whole role stores together.
  llvm::DenseMap<mlir::Value, layout::WarpRows> warpTiles;
};

} // namespace ashlar

#endif
