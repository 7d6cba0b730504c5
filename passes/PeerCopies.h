// Copies to tiles of other CTAs of the cluster: how long they are under way.
#ifndef ASHLAR_PASSES_PEERCOPIES_H
#define ASHLAR_PASSES_PEERCOPIES_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// Refuses a copy to a peer in a role that may come to its end, or write or
/// release what the copy reads, before it meets its peers.
mlir::LogicalResult checkPeerCopies(tile::KernelOp kernel);

/// The `tile.cluster_sync` behind which a role has to meet its peers once more.
/// Where copies are under way a CTA goes on when its peers have come to the
/// meeting and the copies to itself have landed; that its own have, or those
/// from one peer to another, it knows when they come to the next. Either is
/// enough where nobody needs to know before.
llvm::SmallVector<tile::ClusterSyncOp> meetingsToRepeat(tile::RoleOp role);

/// Whether what peers reach is reached by copies to peers alone, and by wgmma
/// of roles that do not meet their peers: neither is in order by what threads
/// do. The copies' barriers count their bytes, and who multiplies tells the
/// role that meets when it has.
bool onlyCopiesReachPeers(tile::KernelOp kernel);

} // namespace ashlar

#endif
