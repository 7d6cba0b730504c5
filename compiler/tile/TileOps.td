#ifndef ASHLAR_TILE_OPS
#define ASHLAR_TILE_OPS

include "compiler/tile/TileComputeOps.td"
include "compiler/tile/TileMovementOps.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===-- The kernel and its parameters -------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [
    IsolatedFromAbove, Symbol, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "a kernel: parameters, pipelines and roles";
  let description = [{
    The body declares sizes, tensors, scalars, schedules, pipelines, shared
    tiles and barriers, then the roles. `cluster` gives the CTAs of a cluster
    along each dimension of the schedules; their product is at most 8. So many as
    `ctas_per_sm` share a multiprocessor, its registers and shared memory. With
    `programmatic_launch` the kernel may start while the one before it drains.
    `tile-plan-memory` sets the plan.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<DenseI64ArrayAttr>:$cluster,
                       DefaultValuedAttr<I64Attr, "1">:$ctas_per_sm,
                       UnitAttr:$programmatic_launch,
                       OptionalAttr<Tile_Plan>:$plan);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`cluster` $cluster^)? (`ctas_per_sm` $ctas_per_sm^)?
    (`programmatic_launch` $programmatic_launch^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

class Tile_Declaration<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat([HasParent<"KernelOp">], traits)>;

def Tile_SizeOp : Tile_Declaration<"size", [Pure]> {
  let summary = "an extent that is known at launch";
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict";
}

def Tile_TensorOp : Tile_Declaration<"tensor"> {
  let summary = "a tensor parameter";
  let description = [{
    Extents are results of `tile.size` or constants, outermost first; the last
    dimension is contiguous. The base address and every stride but the last are
    multiples of `align` bytes: at 16 the tensor can be moved by TMA, below by
    cp.async (4 and 8) or by ordinary loads. `reread`, from `tile-find-reread`:
    an element is read for several tiles.
  }];
  let arguments = (ins StrAttr:$name, Tile_AccessAttr:$access,
                       Variadic<Index>:$extents, I64Attr:$alignment,
                       UnitAttr:$reread);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $name $access `[` $extents `]` `align` $alignment (`reread` $reread^)?
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ScalarOp : Tile_Declaration<"scalar", [Pure]> {
  let summary = "a scalar parameter";
  let arguments = (ins StrAttr:$name);
  let results = (outs AnyTypeOf<[AnyFloat, I32]>:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_ScheduleOp : Tile_Op<"schedule", [Pure]> {
  let summary = "the tiles of a loop and their order";
  let description = [{
    The space of `extents` is cut into tiles of `tile` elements. Persistent:
    each cluster walks over many tiles; otherwise the grid has a CTA for each.
    Of two dimensions or more, the last two are walked in the order of `raster`,
    and the others slower, the first the slowest. Beside the roles the extents
    are sizes and constants, and the grid follows from them; in a role they are
    any indices, those below zero count as zero, and the loop is persistent.
  }];
  let arguments = (ins Variadic<Index>:$extents, DenseI64ArrayAttr:$tile,
                       UnitAttr:$persistent,
                       OptionalAttr<Tile_Raster>:$raster);
  let results = (outs Tile_Schedule:$result);
  let assemblyFormat = [{
    (`persistent` $persistent^)? `[` $extents `]` `by` $tile
    (`in` $raster^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_PipelineOp : Tile_Declaration<"pipeline"> {
  let summary = "a ring of stages in shared memory";
  let results = (outs Tile_Pipeline:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_AllocOp : Tile_Declaration<"alloc"> {
  let summary = "a tile in shared memory outside any pipeline";
  let results = (outs Tile_Shared:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_BarrierOp : Tile_Declaration<"barrier"> {
  let summary = "a named barrier; every warp of each role that uses it takes part";
  let arguments = (ins StrAttr:$name);
  let results = (outs Tile_Barrier:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

def Tile_MbarrierOp : Tile_Declaration<"mbarrier"> {
  let summary = "an mbarrier at a byte of shared memory, initialised before any role starts";
  let arguments = (ins I64Attr:$offset, I64Attr:$count);
  let assemblyFormat = "$offset `count` $count attr-dict";
  let hasVerifier = 1;
}

def Tile_RoleOp : Tile_Declaration<"role", [
    SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "the program of a group of warps";
  let description = [{
    `registers` is the budget of each of its threads; 0 leaves it to the
    assembler. More than one `instances` of `warps` each share out the tiles of
    the tile loop in turn, and with them the stages that they wait for; or, of a
    loop whose step is `tile.in_turns`, its iterations, and all of them go
    through the tiles around it.
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$warps,
                       DefaultValuedAttr<I64Attr, "1">:$instances,
                       DefaultValuedAttr<I64Attr, "0">:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `warps` $warps (`instances` $instances^)? (`registers` $registers^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===-- The tile loop -----------------------------------------------------===//

def Tile_ScheduleRangeOp : Tile_Op<"schedule_range", [Pure]> {
  let summary = "the tile numbers that this CTA works on: from first, below end, by step";
  let description = [{
    `after`: so many tiles of other loops come before, and the clusters are
    counted on from them; of a persistent schedule.
  }];
  let arguments = (ins Tile_Schedule:$schedule, Optional<Index>:$after);
  let results = (outs Index:$first, Index:$end, Index:$step);
  let assemblyFormat = [{
    $schedule (`after` $after^)? attr-dict `:` type($schedule)
  }];
  let hasVerifier = 1;
}

def Tile_ScheduleCoordinatesOp : Tile_Op<"schedule_coordinates", [Pure]> {
  let summary = "the tile coordinates, in tiles, of a tile number in this CTA";
  let arguments = (ins Tile_Schedule:$schedule, Index:$number);
  let results = (outs Variadic<Index>:$coordinates);
  let assemblyFormat = [{
    $schedule `,` $number attr-dict `:` type($schedule) `->` type($coordinates)
  }];
  let hasVerifier = 1;
}

def Tile_InTurnsOp : Tile_Op<"in_turns", [
    Pure, AllTypesMatch<["step", "result"]>]> {
  let summary = "the step of a loop whose iterations the instances of its role take in turns";
  let arguments = (ins AnyTypeOf<[Index, I64]>:$step);
  let results = (outs AnyTypeOf<[Index, I64]>:$result);
  let assemblyFormat = "$step attr-dict `:` type($step)";
  let hasVerifier = 1;
}

def Tile_TileCoordinateOp : Tile_Op<"tile_coordinate", [Pure]> {
  let summary = "a coordinate of this CTA's tile along a dimension of the schedule";
  let description = [{
    What `tile.schedule_coordinates` gives, once it is arithmetic. It is at
    least 0, and the same in CTAs of a cluster that differ along other
    dimensions only.
  }];
  let arguments = (ins Index:$value, I64Attr:$dimension);
  let results = (outs Index:$result);
  let assemblyFormat = "$value `along` $dimension attr-dict";
  let hasVerifier = 1;
}

def Tile_LastIfOp : Tile_Op<"last_if"> {
  let summary = "this iteration of the loop around it is the last one where the condition holds";
  let description = [{
    The rest of the iteration is executed. The condition is the same for the
    whole role. A tile loop ends with its tiles.
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
  let hasVerifier = 1;
}

//===-- Coordinates -------------------------------------------------------===//

def Tile_MultipleOfOp : Tile_Op<"multiple_of", [
    Pure, AllTypesMatch<["index", "result"]>]> {
  let summary = "an index that the author promises to be a multiple of a number";
  let description = [{
    What begins at it may be moved in pieces that need the alignment. A broken
    promise is an instruction that the chip refuses.
  }];
  let arguments = (ins AnyTypeOf<[Index, I64]>:$index, I64Attr:$divisor);
  let results = (outs AnyTypeOf<[Index, I64]>:$result);
  let assemblyFormat = "$index `,` $divisor attr-dict `:` type($index)";
  let hasVerifier = 1;
}

def Tile_AtMostOp : Tile_Op<"at_most", [
    Pure, AllTypesMatch<["index", "result"]>]> {
  let summary = "an index that is at most a number, or the launch is refused";
  let description = [{
    `index` is computed from sizes and numbers, as the launch does it too.
  }];
  let arguments = (ins AnyTypeOf<[Index, I64]>:$index, I64Attr:$most);
  let results = (outs AnyTypeOf<[Index, I64]>:$result);
  let assemblyFormat = "$index `,` $most attr-dict `:` type($index)";
  let hasVerifier = 1;
}

//===-- Pipelines ---------------------------------------------------------===//

class Tile_StageOp<string mnemonic> : Tile_Op<mnemonic> {
  code takeDescription = [{
    `at` is the place in the ring, a stage's number and the parity of its phase,
    and comes from `tile-place-stages`. `holds`, from `tile-hold-stages`: how
    many stages of each pipeline of the kernel the role may hold here, released
    or not by its program, with no deadlock that the program does not have.
    `agree`, from `tile-order-accesses`: the named barrier over which the warps
    of the role agree.
  }];
  let description = takeDescription;
}
class Tile_StageNowOp<string mnemonic> : Tile_StageOp<mnemonic> {
  let arguments = (ins Tile_Pipeline:$pipeline, Variadic<Index>:$place,
                       OptionalAttr<DenseI64ArrayAttr>:$holds);
  let results = (outs Tile_Stage:$stage);
  let assemblyFormat = [{
    $pipeline (`at` $place^)? (`holds` $holds^)? attr-dict `:` type($pipeline)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$stage,
                                 "::mlir::Value":$pipeline), [{
    build($_builder, $_state, stage, pipeline, ::mlir::ValueRange(),
          ::mlir::DenseI64ArrayAttr());
  }]>];
}
class Tile_TryStageOp<string mnemonic> : Tile_StageOp<mnemonic> {
  let arguments = (ins Tile_Pipeline:$pipeline, Variadic<Index>:$place,
                       OptionalAttr<I64Attr>:$agree);
  let results = (outs I1:$ready, Tile_Stage:$stage);
  let assemblyFormat = [{
    $pipeline (`at` $place^)? (`agree` $agree^)? attr-dict `:` type($pipeline)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$ready, "::mlir::Type":$stage,
                                 "::mlir::Value":$pipeline), [{
    build($_builder, $_state, ready, stage, pipeline, ::mlir::ValueRange(),
          ::mlir::IntegerAttr());
  }]>];
}

def Tile_AcquireOp : Tile_StageNowOp<"acquire"> {
  let summary = "waits until the next stage is empty and takes it for writing";
}

def Tile_TryAcquireOp : Tile_TryStageOp<"try_acquire"> {
  let summary = "takes the next stage if it is empty; valid only where ready is true";
}

def Tile_CommitOp : Tile_Op<"commit"> {
  let summary = "the role has written its part of the stage";
  let arguments = (ins Tile_Pipeline:$pipeline, Tile_Stage:$stage);
  let assemblyFormat = "$pipeline `,` $stage attr-dict `:` type($pipeline)";
}

def Tile_WaitOp : Tile_StageNowOp<"wait"> {
  let summary = "waits until the next stage is full and takes it for reading";
}

def Tile_TryWaitOp : Tile_TryStageOp<"try_wait"> {
  let summary = "takes the next stage if it is full; valid only where ready is true";
}

def Tile_SkipOp : Tile_Op<"skip"> {
  let summary = "passes by the next stages: other instances of the role take them";
  let arguments = (ins Tile_Pipeline:$pipeline, Index:$count,
                       UnitAttr:$filling);
  let assemblyFormat = [{
    (`filling` $filling^)? $pipeline `,` $count attr-dict `:` type($pipeline)
  }];
}

def Tile_ReleaseOp : Tile_Op<"release"> {
  let summary = "the stage may be refilled once the role has read it";
  let description = [{
    `newer`, from `tile-hold-stages`: the most stages of the pipeline that the
    role has taken after this one.
  }];
  let arguments = (ins Tile_Pipeline:$pipeline, Tile_Stage:$stage,
                       DefaultValuedAttr<I64Attr, "0">:$newer);
  let assemblyFormat = [{
    $pipeline `,` $stage (`newer` $newer^)? attr-dict `:` type($pipeline)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$pipeline,
                                 "::mlir::Value":$stage), [{
    build($_builder, $_state, pipeline, stage, /*newer=*/0);
  }]>];
}

def Tile_BufferOp : Tile_Op<"buffer", [Pure]> {
  let summary = "one tile of a stage";
  let arguments = (ins Tile_Stage:$stage, I64Attr:$index);
  let results = (outs Tile_Shared:$result);
  let assemblyFormat = "$stage `[` $index `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===-- Tiles in tiles ----------------------------------------------------===//

def Tile_PartOp : Tile_Op<"part", [Pure]> {
  let summary = "a part of a shared tile, where and as it lies in it";
  let description = [{
    `offsets` are elements, or chosen by the indices `places`, which the kernel
    computes. `checked`, from `tile-drop-unused`: a launch ends where they are
    no place of such a part.
  }];
  let arguments = (ins Tile_Shared:$source, Variadic<Index>:$places,
                       DenseI64ArrayAttr:$offsets, UnitAttr:$checked);
  let results = (outs Tile_Shared:$result);
  let assemblyFormat = [{
    $source `from` custom<DynamicIndexList>($places, $offsets)
    (`checked` $checked^)? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The offsets, 0 where an index chooses.
    llvm::SmallVector<int64_t> getKnownOffsets();
    /// The dimension along which each of the places is.
    llvm::SmallVector<int64_t> getChosenDimensions();
  }];
}

def Tile_ViewOp : Tile_Op<"view", [Pure]> {
  let summary = "a tile of another type and shape in the memory of a shared tile";
  let description = [{
    `number` counts the tiles like the result that lie there one after another.
  }];
  let arguments = (ins Tile_Shared:$source, I64Attr:$number);
  let results = (outs Tile_Shared:$result);
  let assemblyFormat = [{
    $source `number` $number attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_PeerOp : Tile_Op<"peer", [
    Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "the same tile in the shared memory of the CTA of the cluster with a rank";
  let description = [{
    `checked`, from `tile-drop-unused`: a launch ends where the cluster has no
    such CTA.
  }];
  let arguments = (ins Tile_Shared:$source, Index:$rank, UnitAttr:$checked);
  let results = (outs Tile_Shared:$result);
  let assemblyFormat = [{
    $source `of` $rank (`checked` $checked^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

//===-- Between CTAs and launches -----------------------------------------===//

def Tile_ClusterRankOp : Tile_Op<"cluster_rank", [Pure]> {
  let summary = "the number of this CTA in its cluster, the first dimension fastest";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Tile_ClusterSyncOp : Tile_Op<"cluster_sync"> {
  let summary = "waits until the role has come here in every CTA of the cluster";
  let description = [{
    What it has stored before in shared memory, of whichever CTA, or copied to a
    peer is there for all of them behind it. `barriers`, from `tile-plan-memory`: the first byte of
    the mbarriers at which they meet, two for each instance of the role.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$barriers);
  let assemblyFormat = "(`at` $barriers^)? attr-dict";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, ::mlir::IntegerAttr());
  }]>];
}

def Tile_WaitLaunchOp : Tile_Op<"wait_launch"> {
  let summary = "waits until the launches before this one are done";
  let description = [{
    For a kernel with `programmatic_launch`. A role without it waits at its
    start.
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_AllowLaunchOp : Tile_Op<"allow_launch"> {
  let summary = "lets the next launch start when every CTA has come here or is done";
  let assemblyFormat = "attr-dict";
}

def Tile_SignalOp : Tile_Op<"signal"> {
  let summary = "adds to a counter in global memory, after all that the role has stored";
  let description = "`system`: seen by other GPUs and the host as well.";
  let arguments = (ins Index:$amount, Tile_Tensor:$counter,
                       Variadic<Index>:$coordinates, UnitAttr:$system);
  let assemblyFormat = [{
    $amount `to` $counter `[` $coordinates `]` (`system` $system^)? attr-dict
    `:` type($counter)
  }];
  let hasVerifier = 1;
}

def Tile_AwaitOp : Tile_Op<"await"> {
  let summary = "waits until a counter in global memory is at least a value";
  let description = [{
    What the roles that signalled it have stored before is then visible to
    ordinary loads. `system`: those of other GPUs, and the host, too.
  }];
  let arguments = (ins Tile_Tensor:$counter, Variadic<Index>:$coordinates,
                       Index:$value, UnitAttr:$system);
  let assemblyFormat = [{
    $counter `[` $coordinates `]` `at_least` $value (`system` $system^)? attr-dict
    `:` type($counter)
  }];
  let hasVerifier = 1;
}

//===-- Barriers between roles --------------------------------------------===//

def Tile_SyncOp : Tile_Op<"sync"> {
  let summary = "waits until every role of the barrier has arrived";
  let arguments = (ins Tile_Barrier:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` type($barrier)";
}

def Tile_ArriveOp : Tile_Op<"arrive"> {
  let summary = "arrives at the barrier without waiting";
  let arguments = (ins Tile_Barrier:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` type($barrier)";
}

//===-- Warpgroups one after another --------------------------------------===//

def Tile_AwaitTurnOp : Tile_Op<"await_turn"> {
  let summary = "a warpgroup waits until the one before it in the role has passed on the turn";
  let description = [{
    The first one waits for the last one's turn before. `tile.pass_turn` follows
    in the same block.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Tile_PassTurnOp : Tile_Op<"pass_turn"> {
  let summary = "it is the next warpgroup's turn";
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif
