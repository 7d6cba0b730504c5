#ifndef ASHLAR_PASSES
#define ASHLAR_PASSES

include "mlir/Pass/PassBase.td"

def TileVerifyProtocol : Pass<"tile-verify-protocol", "::ashlar::tile::KernelOp"> {
  let summary = "Refuse kernels whose pipelines are used out of order";
}

def TileFindReread : Pass<"tile-find-reread", "::ashlar::tile::KernelOp"> {
  let summary = "Mark inputs of which an element is read for several tiles";
}

def TileDropUnused : Pass<"tile-drop-unused", "::ashlar::tile::KernelOp"> {
  let summary = "Drop what a role loads or computes and nobody uses";
  let options = [
    Option<"expectations", "expectations", "bool", /*default=*/"true",
           "Keep what the author expects, to be checked">
  ];
}

def TileCheckBounds : Pass<"tile-check-bounds", "::ashlar::tile::KernelOp"> {
  let summary = "Expect what is accessed by single coordinates or by indices to lie in its memory";
  let options = [
    Option<"values", "values", "bool", /*default=*/"true",
           "Of single values, atomic operations and counters">,
    Option<"indices", "indices", "bool", /*default=*/"true",
           "Of rows that are chosen, gathers and scatters, and of tiles at "
           "coordinates of memory">
  ];
}

def TilePairElements : Pass<"tile-pair-elements", "::ashlar::tile::KernelOp"> {
  let summary = "Elements of four bits are pairs, which have a byte";
}

def TileAssignLayouts : Pass<"tile-assign-layouts", "::ashlar::tile::KernelOp"> {
  let summary = "Give every shared tile and fragment its layout";
}

def TileExchange : Pass<"tile-exchange", "::ashlar::tile::KernelOp"> {
  let summary = "What the warps of a role combine or agree on goes through shared memory";
  let dependentDialects = ["::ashlar::hopper::HopperDialect"];
}

def TilePlanMemory : Pass<"tile-plan-memory", "::ashlar::tile::KernelOp"> {
  let summary = "Give every shared tile and barrier its offset, every role its warps";
}

def TileWidenIndices : Pass<"tile-widen-indices", "::ashlar::tile::KernelOp"> {
  let summary = "Indices that 32 bits may not hold are numbers of 64";
}

def TileHoldStages : Pass<"tile-hold-stages", "::ashlar::tile::KernelOp"> {
  let summary = "Say how many stages a role may hold where it takes one";
}

def TileExpandClusterReductions : Pass<"tile-expand-cluster-reductions", "::ashlar::tile::KernelOp"> {
  let summary = "What is combined over a cluster becomes sends, waits and additions";
  let dependentDialects = ["::ashlar::hopper::HopperDialect"];
}

def TileShareTiles : Pass<"tile-share-tiles", "::ashlar::tile::KernelOp"> {
  let summary = "The instances of a role share out its tiles, in order, or iterations, in turns";
  let dependentDialects = ["::ashlar::hopper::HopperDialect"];
}

def TileExpandSchedules : Pass<"tile-expand-schedules", "::ashlar::tile::KernelOp"> {
  let summary = "Tile coordinates become arithmetic on the CTA's number";
  let dependentDialects = ["::ashlar::hopper::HopperDialect"];
}

def TileOrderAccesses : Pass<"tile-order-accesses", "::ashlar::tile::KernelOp"> {
  let summary = "Order a role's accesses to shared tiles by barriers and waits for stores";
  let dependentDialects = ["::ashlar::hopper::HopperDialect"];
}

def TileExpandClusterSyncs : Pass<"tile-expand-cluster-syncs", "::ashlar::tile::KernelOp"> {
  let summary = "Where a role meets itself over a cluster become arrivals and waits";
  let dependentDialects = ["::ashlar::hopper::HopperDialect"];
}

def TilePlaceStages : Pass<"tile-place-stages", "::ashlar::tile::KernelOp"> {
  let summary = "Stages are taken at a number and a parity, which loops carry";
  let dependentDialects = ["::ashlar::hopper::HopperDialect"];
}

def TileToHopper : Pass<"tile-to-hopper", "::mlir::ModuleOp"> {
  let summary = "Pipelines become mbarriers, copies TMA or cp.async, mma wgmma";
  let dependentDialects = ["::ashlar::hopper::HopperDialect"];
}

def HopperJoinOnce : Pass<"hopper-join-once", "::ashlar::hopper::KernelOp"> {
  let summary = "Branches of loads are one thread's; join what it does one thing after another";
}

def HopperStartEarly : Pass<"hopper-start-early", "::ashlar::hopper::KernelOp"> {
  let summary = "A role that loads computes its first tile's place before it waits";
}

def HopperOverlapProducts : Pass<"hopper-overlap-products", "::ashlar::hopper::KernelOp"> {
  let summary = "Multiply for an iteration while what the one before made is added";
}

def HopperStartAccumulators : Pass<"hopper-start-accumulators", "::ashlar::hopper::KernelOp"> {
  let summary = "The first product of a loop overwrites sums that begin as zeros";
}

def HopperAssignAccumulators : Pass<"hopper-assign-accumulators", "::ashlar::hopper::KernelOp"> {
  let summary = "Give what mma adds to its registers; mma becomes wgmma";
}

def HopperScheduleWgmma : Pass<"hopper-schedule-wgmma", "::ashlar::hopper::KernelOp"> {
  let summary = "Place the groups of wgmma, the waits for them and the releases";
}

def HopperVerifyInFlight : Pass<"hopper-verify-in-flight", "::ashlar::hopper::KernelOp"> {
  let summary = "Refuse to touch or release what a group in flight writes or reads";
}

def HopperInsertFences : Pass<"hopper-insert-fences", "::ashlar::hopper::KernelOp"> {
  let summary = "Fence generic accesses that asynchronous ones follow";
}

def HopperPinWritten : Pass<"hopper-pin-written", "::ashlar::hopper::KernelOp"> {
  let summary = "Keep before a branch, or wgmma, what is computed there and needed later";
}

def HopperToThread : Pass<"hopper-to-thread", "::mlir::ModuleOp"> {
  let summary = "Fragments become registers, roles branches: one thread's program";
  let options = [
    Option<"comments", "comments", "bool", /*default=*/"true",
           "name each operation and its source line in the PTX">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def ThreadToLlvm : Pass<"thread-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Loops and branches become jumps, arithmetic LLVM's";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

#endif
