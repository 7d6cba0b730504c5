// Which roles fill and drain the pipelines of a kernel, and how stages change
// hands.
#ifndef ASHLAR_PASSES_STAGES_TRAFFIC_H
#define ASHLAR_PASSES_STAGES_TRAFFIC_H

#include "compiler/tile/Tile.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <set>

namespace ashlar {

/// Whether a stage was acquired, to be committed, and not waited for, to be
/// released; and the words for it: acquired, committed, commit.
bool isAcquired(mlir::Value stage);
llvm::StringRef taken(mlir::Value stage);
llvm::StringRef given(mlir::Value stage);
llvm::StringRef give(mlir::Value stage);

struct Traffic {
  using Roles = llvm::SmallSetVector<mlir::Operation *, 4>;

  explicit Traffic(tile::KernelOp kernel);

  bool onlyProducer(mlir::Value pipeline, mlir::Operation *role);
  bool onlyConsumer(mlir::Value pipeline, mlir::Operation *role);
  /// Whether a role can tell all others that drain a pipeline what it has
  /// written: it fills a pipeline that they drain.
  bool tellsConsumers(mlir::Value pipeline, mlir::Operation *role) const;

  llvm::MapVector<mlir::Value, Roles> producers, consumers;
  /// Pipelines, and tiles of their stages.
  std::set<std::pair<void *, int64_t>> written;
};

/// A pipeline moves data only if some role fills it and some role drains it.
mlir::LogicalResult checkTraffic(tile::PipelineOp pipeline, Traffic &traffic);

} // namespace ashlar

#endif
