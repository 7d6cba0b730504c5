// A pipeline as a ring of mbarriers: who arrives at them, and how often.
#ifndef ASHLAR_PASSES_STAGES_RING_H
#define ASHLAR_PASSES_STAGES_RING_H

#include "compiler/target/Target.h"
#include "passes/Cluster.h"
#include "llvm/ADT/MapVector.h"

namespace ashlar {

/// How a copy from global to shared is done: what the alignment of the tile's
/// rows in global memory allows.
enum class CopyEngine { tma, cpAsync, threads };
CopyEngine engineOf(tile::CopyOp copy);

/// Whether TMA makes copies to global memory, where it can.
bool isByTma(tile::CopyOutOp copy);

/// Bytes of which each piece of a row that is copied begins at a multiple, in
/// the tensor and in the tile, at most 16.
int64_t pieceBytes(tile::CopyOp copy);

/// How a role fills its part of a stage. Each way has its own arrivals at the
/// stage's full barrier.
struct Filling {
  bool byTma = false;     ///< one arrival of one thread
  bool byCpAsync = false; ///< one arrival of each thread, when its copies land
  bool byThreads = false; ///< one arrival of each thread
  bool copiedByThreads = false;
  /// By TMA, each warp arrives: no other barrier holds back those that only
  /// acquire, and one that is late could not tell its phase from the next but
  /// one.
  bool everyWarp = false;
};

/// A pipeline in shared memory.
class Ring {
public:
  Ring(tile::PipelineOp pipeline, const Cluster &cluster);

  int64_t stages, offset, stageBytes, fullOffset, emptyOffset;
  llvm::SmallVector<int64_t> tileOffsets;
  /// Arrivals that complete a phase of a full and of an empty barrier.
  int64_t fullCount = 0, emptyCount = 0;
  /// Threads copy some stage data, which no writer fences: cp.async completes
  /// without its thread, and another copy's thread would rather go on.
  bool fencedByReaders = false;
  /// The CTAs that wait for this CTA's releases, as offsets in the cluster: all
  /// that write into its stages, and where some commits are without the data of
  /// some of them all that are reached through these.
  std::vector<std::vector<int64_t>> awaitedBy;

  bool isWrittenByPeers() const { return awaitedBy.size() > 1; }
  /// Of the role that commits.
  const Filling &filling(tile::CommitOp commit) const {
    return fillings.find(commit)->second;
  }

private:
  llvm::DenseMap<mlir::Operation *, Filling> fillings;
};

/// The pipelines of a kernel, which has a plan and whose schedules are
/// expanded.
class Rings {
public:
  Rings(tile::KernelOp kernel, const Cluster &cluster) {
    for (auto pipeline : kernel.getBody().getOps<tile::PipelineOp>())
      rings.insert({pipeline.getResult(), Ring(pipeline, cluster)});
  }

  const Ring &of(mlir::Value pipeline) const {
    return rings.find(pipeline)->second;
  }
  auto begin() const { return rings.begin(); }
  auto end() const { return rings.end(); }
  bool empty() const { return rings.empty(); }

private:
  llvm::MapVector<mlir::Value, Ring> rings;
};

} // namespace ashlar

#endif
