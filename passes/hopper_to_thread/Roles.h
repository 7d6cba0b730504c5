// Roles are branches on the warp's number.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_ROLES_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_ROLES_H

#include "compiler/hopper/Hopper.h"
#include "passes/hopper_to_thread/PtxBuilder.h"

namespace ashlar {

/// What a `hopper.sync` says: all threads of the CTA, or of the cluster, meet.
struct Meeting {
  bool ofCluster, arrived;

  explicit Meeting(hopper::SyncOp sync)
      : ofCluster(sync.getCluster()), arrived(sync.getArrived()) {}
  void write(PtxBuilder &b) const;
};

/// Roles that set their registers together: one warpgroup role, or the warps
/// that share a warpgroup.
struct RoleGroup {
  int64_t firstWarp, endWarp, registers;
  llvm::SmallVector<hopper::RoleOp> roles;
  bool isOneRole = false; ///< of all the warps that set their registers
  /// Its program begins so, and it sets its registers behind it.
  std::optional<Meeting> meetsFirst = {};
};

/// The roles of a kernel, before and after their programs are lowered.
class RolePrograms {
public:
  /// Takes from the roles what comes before they set their registers.
  explicit RolePrograms(hopper::KernelOp kernel);

  bool empty() const { return groups.empty(); }
  /// Writes the roles, whose programs are a thread's by now, as a chain of
  /// branches at the builder's place. `warp`: the number of the thread's warp.
  void write(PtxBuilder &b, mlir::Value warp);

private:
  void write(PtxBuilder &b, mlir::Value warp, const RoleGroup &group);
  void writeWithoutRole(PtxBuilder &b);

  int64_t threads, entryRegisters;
  llvm::SmallVector<RoleGroup> groups;
  /// Where every role meets the others.
  llvm::SmallVector<Meeting> meetings;
};

} // namespace ashlar

#endif
