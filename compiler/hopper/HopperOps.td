#ifndef ASHLAR_HOPPER_OPS
#define ASHLAR_HOPPER_OPS

include "compiler/hopper/HopperGlobalOps.td"
include "compiler/hopper/HopperWgmmaOps.td"

//===-- The kernel and its parameters -------------------------------------===//

def Hopper_KernelOp : Hopper_Op<"kernel", [
    IsolatedFromAbove, Symbol, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "a kernel: parameters, set-up and roles";
  let description = [{
    The parameter operations, in order, are the kernel's ABI. Every thread
    runs the body; a role's region is run by its warps. So many CTAs as
    `ctas_per_sm` share a multiprocessor. With
    `programmatic_launch` the launch before may still run at the start.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$threads,
                       I64Attr:$shared_bytes, I64Attr:$cluster_size,
                       DefaultValuedAttr<I64Attr, "1">:$ctas_per_sm,
                       UnitAttr:$programmatic_launch);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `threads` $threads `shared` $shared_bytes `cluster` $cluster_size
    (`ctas_per_sm` $ctas_per_sm^)?
    (`programmatic_launch` $programmatic_launch^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

class Hopper_Parameter<string mnemonic>
    : Hopper_Op<mnemonic, [Pure, HasParent<"KernelOp">]>;

def Hopper_SizeOp : Hopper_Parameter<"size"> {
  let summary = "parameter: an extent, 32 bits";
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict";
}
def Hopper_ScalarOp : Hopper_Parameter<"scalar"> {
  let summary = "parameter: a scalar";
  let arguments = (ins StrAttr:$name);
  let results = (outs AnyTypeOf<[AnyFloat, I32]>:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Hopper_PointerOp : Hopper_Parameter<"pointer"> {
  let summary = "parameter: the base address of a tensor";
  let arguments = (ins StrAttr:$tensor);
  let results = (outs Hopper_Pointer:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($result)";
}
def Hopper_StrideOp : Hopper_Parameter<"stride"> {
  let summary = "parameter: the stride of a dimension of a tensor, in elements";
  let arguments = (ins StrAttr:$tensor, I64Attr:$dimension);
  let results = (outs I64:$result);
  let assemblyFormat = "$tensor `[` $dimension `]` attr-dict";
}
def Hopper_TensorMapOp : Hopper_Parameter<"tensor_map"> {
  let summary = "parameter: a TMA descriptor of a tensor";
  let description = [{
    `box` is what one copy moves, in elements, outermost first, and `step` how
    far each is from the one before it, if that is not 1 everywhere; `swizzle`
    is the width in bytes of the swizzled atom, 0 for none.
  }];
  let arguments = (ins StrAttr:$tensor, DenseI64ArrayAttr:$box,
                       OptionalAttr<DenseI64ArrayAttr>:$step, I64Attr:$swizzle);
  let results = (outs Hopper_TensorMap:$result);
  let assemblyFormat = [{
    $tensor `box` $box (`step` $step^)? `swizzle` $swizzle attr-dict `:`
    type($result)
  }];
  let hasVerifier = 1;
}

//===-- Who runs what -----------------------------------------------------===//

def Hopper_RoleOp : Hopper_Op<"role", [
    SingleBlock, NoTerminator, NoRegionArguments, HasParent<"KernelOp">]> {
  let summary = "the program of the warps from first_warp on";
  let description = [{
    `instances` groups of `warps` warps run it, each by itself. `registers` is
    what setmaxnreg gives each thread; 0 leaves the register file as it was at
    entry.
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$first_warp, I64Attr:$warps,
                       DefaultValuedAttr<I64Attr, "1">:$instances,
                       DefaultValuedAttr<I64Attr, "0">:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `from` $first_warp `warps` $warps (`instances` $instances^)?
    (`registers` $registers^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}
def Hopper_OnceOp : Hopper_Op<"once", [
    SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "run by one thread: of the CTA, or inside a role of the instance";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let extraClassDeclaration = [{
    /// Whether the thread waits for other CTAs, and does nothing else.
    bool isAwait();
  }];
}
def Hopper_OncePerWarpOp : Hopper_Op<"once_per_warp", [
    SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "run by one thread of each warp, or its first ones, after the warp has met";
  let arguments = (ins DefaultValuedAttr<I64Attr, "1">:$lanes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`lanes` $lanes^)? attr-dict-with-keyword $body";
}
def Hopper_SpecialRegisterOp : Hopper_Op<"special_register", [Pure]> {
  let summary = "ctaid.x, nctaid.x, tid.x, cluster_ctarank, instance, warp or laneid";
  let description = [{
    `instance` is the number of the instance of the role, `warp` that of the warp
    in the instance.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict";
  let hasVerifier = 1;
}
def Hopper_SyncOp : Hopper_Op<"sync"> {
  let summary = "every thread of the CTA, or of the cluster, meets";
  let description = [{
    In a role: every role has as many, and warps without a role meet them.
    `arrived`: each has announced itself before, by `hopper.cluster.arrive`.
  }];
  let arguments = (ins UnitAttr:$cluster, UnitAttr:$arrived);
  let assemblyFormat = "(`cluster` $cluster^)? (`arrived` $arrived^)? attr-dict";
  let hasVerifier = 1;
}
def Hopper_ClusterArriveOp : Hopper_Op<"cluster.arrive"> {
  let summary = "the thread's part of the next hopper.sync of the cluster, without its wait";
  let assemblyFormat = "attr-dict";
}
def Hopper_NamedBarrierOp : Hopper_Op<"named_barrier"> {
  let summary = "bar.sync, or bar.arrive, on a barrier of `threads` threads";
  let description = [{
    `per_instance`: each instance of the role has a barrier, from `id` on.
  }];
  let arguments = (ins I64Attr:$id, I64Attr:$threads, UnitAttr:$arrive,
                       UnitAttr:$per_instance);
  let assemblyFormat = [{
    (`arrive` $arrive^)? $id (`per_instance` $per_instance^)?
    `threads` $threads attr-dict
  }];
  let extraClassDeclaration = [{
    /// Whether every warp of the role, and nobody else, meets there.
    bool isOfRole();
  }];
  let hasVerifier = 1;
}
def Hopper_TurnOp : Hopper_Op<"turn"> {
  let summary = "a warpgroup waits for its turn, or passes it to the next one of the role";
  let description = [{
    Each warpgroup waits at a barrier of its own, from `id` on, at which the one
    before it arrives. `begin`: the last one lets the first begin.
  }];
  let arguments = (ins I64Attr:$id, UnitAttr:$pass, UnitAttr:$begin);
  let assemblyFormat = "(`pass` $pass^)? (`begin` $begin^)? $id attr-dict";
  let hasVerifier = 1;
}
def Hopper_WarpSyncOp : Hopper_Op<"warp_sync"> {
  let summary = "the threads of a warp meet, and see each other's writes";
  let assemblyFormat = "attr-dict";
}
def Hopper_GridWaitOp : Hopper_Op<"grid.wait"> {
  let summary = "waits until the launches before this one are done (griddepcontrol)";
  let assemblyFormat = "attr-dict";
}
def Hopper_GridReleaseOp : Hopper_Op<"grid.release"> {
  let summary = "the next launch may start when every CTA has come here or is done (griddepcontrol)";
  let assemblyFormat = "attr-dict";
}

//===-- Tile loops --------------------------------------------------------===//

def Hopper_ReciprocalOp : Hopper_Op<"reciprocal", [Pure]> {
  let summary = "2^32 / divisor, or up to two less; cheaper than a division";
  let arguments = (ins Index:$divisor);
  let results = (outs Index:$result);
  let assemblyFormat = "$divisor attr-dict";
}

//===-- Shared memory -----------------------------------------------------===//

def Hopper_SharedAddressOp : Hopper_Op<"shared_address", [Pure]> {
  let summary = "the address of a byte of the kernel's shared memory";
  let arguments = (ins I64Attr:$offset);
  let results = (outs Index:$result);
  let assemblyFormat = "$offset attr-dict";
  let hasVerifier = 1;
}
def Hopper_ViewOp : Hopper_Op<"view", [Pure]> {
  let summary = "the tile at an address";
  let description = [{
    `stage`: it is part of this stage of a ring, and until the stage is released
    nobody but its readers touches it.
  }];
  let arguments = (ins Index:$address, Optional<Index>:$stage);
  let results = (outs Tile_Shared:$result);
  let assemblyFormat = "$address (`of` $stage^)? attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$result,
                                 "::mlir::Value":$address), [{
    build($_builder, $_state, result, address, ::mlir::Value());
  }]>];
  let hasVerifier = 1;
}
def Hopper_PeerAddressOp : Hopper_Op<"peer_address", [Pure]> {
  let summary = "the address of a byte of this CTA's shared memory in the CTA of the cluster with a rank";
  let arguments = (ins Index:$address, Index:$rank);
  let results = (outs Index:$result);
  let assemblyFormat = "$address `of` $rank attr-dict";
}
def Hopper_CopyToPeerOp : Hopper_Op<"copy_to_peer"> {
  let summary = "bytes from this CTA's shared memory to that of a peer, completing on a barrier of the peer";
  let arguments = (ins Index:$source, I64Attr:$bytes, Index:$target,
                       Index:$barrier);
  let assemblyFormat = [{
    $source `,` $bytes `to` $target `on` $barrier attr-dict
  }];
  let hasVerifier = 1;
}
def Hopper_SharedLoadOp : Hopper_Op<"shared_load"> {
  let summary = "tile to fragment, `transposed` with rows as columns";
  let description = "`peer`: the tile is that of another CTA of the cluster.";
  let arguments = (ins Tile_Shared:$source, UnitAttr:$transposed,
                       UnitAttr:$peer);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    (`peer` $peer^)? $source (`transposed` $transposed^)? attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}
def Hopper_SharedStoreOp : Hopper_Op<"shared_store"> {
  let summary = "fragment to tile, `transposed` with rows as columns";
  let description = "`peer`: the tile is that of another CTA of the cluster.";
  let arguments = (ins AnyRankedTensor:$value, Tile_Shared:$target,
                       UnitAttr:$transposed, UnitAttr:$peer);
  let assemblyFormat = [{
    $value `to` (`peer` $peer^)? $target (`transposed` $transposed^)? attr-dict
    `:` type($value) `,` type($target)
  }];
  let hasVerifier = 1;
}
def Hopper_SharedValueOp : Hopper_Op<"shared_value"> {
  let summary = "one element of a tile, which each thread reads";
  let arguments = (ins Tile_Shared:$source, Variadic<Index>:$coordinates);
  let results = (outs AnyTypeOf<[AnyFloat, AnyInteger]>:$result);
  let assemblyFormat = [{
    $source `[` $coordinates `]` attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}
def Hopper_ExchangeSendOp : Hopper_Op<"exchange.send"> {
  let summary = "a fragment to the CTA of the cluster with this rank, completing on its barrier";
  let description = [{
    Each thread's values lie together in vectors of up to 16 bytes, vector by
    vector for all threads; of threads that hold the same only the first sends.
    `threads`: all hold the same, and each of the first ones sends it, to the CTA
    whose rank it has.
    Only `hopper.exchange.receive` by a role of as many threads and a fragment of
    the same layout can read them. Asynchronous.
  }];
  let arguments = (ins AnyRankedTensor:$value, Index:$address, Index:$rank,
                       Index:$barrier, DefaultValuedAttr<I64Attr, "1">:$threads);
  let assemblyFormat = [{
    $value `to` $address `of` $rank `on` $barrier (`threads` $threads^)? attr-dict
    `:` type($value)
  }];
  let hasVerifier = 1;
}
def Hopper_ExchangeReceiveOp : Hopper_Op<"exchange.receive"> {
  let summary = "the fragment that `hopper.exchange.send` has sent to an address";
  let arguments = (ins Index:$address);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$address attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Hopper_FenceProxyAsyncOp : Hopper_Op<"fence_proxy_async"> {
  let summary = "orders this thread's view of shared memory before later asynchronous reads";
  let description = "`cluster`: of every CTA's of the cluster.";
  let arguments = (ins UnitAttr:$cluster);
  let assemblyFormat = "(`cluster` $cluster^)? attr-dict";
}

//===-- mbarriers ---------------------------------------------------------===//

def Hopper_MbarrierInitOp : Hopper_Op<"mbarrier.init"> {
  let summary = "a barrier whose phase completes after `count` arrivals and all expected bytes";
  let arguments = (ins Index:$barrier, I64Attr:$count);
  let assemblyFormat = "$barrier `count` $count attr-dict";
  let hasVerifier = 1;
}
def Hopper_MbarrierFenceOp : Hopper_Op<"mbarrier.fence_init"> {
  let summary = "makes initialised barriers visible to the cluster and the copy engine";
  let assemblyFormat = "attr-dict";
}
def Hopper_MbarrierWaitOp : Hopper_Op<"mbarrier.wait"> {
  let summary = "waits until the phase of this parity has completed";
  let description = [{
    `generic`: the phase covers copies by threads, which are not fenced on
    their side. `cluster`: it covers writes by threads of other CTAs. `holds`:
    how many stages of each of `rings`, named by the offsets of their full
    barriers, the role may hold here, released or not by its program, with no
    deadlock that the program does not have: of those that it has taken, all
    from the first that is not empty on.
  }];
  let arguments = (ins Index:$barrier, Index:$parity, UnitAttr:$generic,
                       UnitAttr:$cluster,
                       OptionalAttr<DenseI64ArrayAttr>:$holds,
                       OptionalAttr<DenseI64ArrayAttr>:$rings);
  let builders = [OpBuilder<(ins "mlir::Value":$barrier, "mlir::Value":$parity,
                                 "bool":$generic, "bool":$cluster), [{
    build($_builder, $_state, barrier, parity, generic, cluster,
          mlir::DenseI64ArrayAttr(), mlir::DenseI64ArrayAttr());
  }]>];
  let assemblyFormat = [{
    (`generic` $generic^)? (`cluster` $cluster^)? $barrier `parity` $parity
    (`holds` $holds^ `of` $rings)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many stages of a ring may be held here.
    int64_t holdsOf(int64_t ring);
  }];
}
def Hopper_MbarrierTestOp : Hopper_Op<"mbarrier.test"> {
  let summary = "whether the phase of this parity has completed; the same for every thread of the role";
  let description = [{
    The warps of the role agree over named barrier `agree`; a role of one warp
    needs none.
  }];
  let arguments = (ins Index:$barrier, Index:$parity,
                       OptionalAttr<I64Attr>:$agree, UnitAttr:$generic);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    (`generic` $generic^)? $barrier `parity` $parity (`agree` $agree^)?
    attr-dict
  }];
  let hasVerifier = 1;
}
def Hopper_MbarrierArriveOp : Hopper_Op<"mbarrier.arrive"> {
  let summary = "one arrival, here or in the CTA of the cluster with this rank";
  let description = [{
    `cluster`: what the thread has written before is seen by whoever waits, in
    any CTA of the cluster. It costs a fence of the whole GPU.
  }];
  let arguments = (ins Index:$barrier, Optional<Index>:$rank,
                       UnitAttr:$cluster);
  let assemblyFormat = [{
    (`cluster` $cluster^)? $barrier (`of` $rank^)? attr-dict
  }];
}
def Hopper_MbarrierArriveAsyncOp : Hopper_Op<"mbarrier.arrive_async"> {
  let summary = "one arrival of this thread once its cp.async copies are complete";
  let arguments = (ins Index:$barrier);
  let assemblyFormat = "$barrier attr-dict";
}
def Hopper_MbarrierExpectOp : Hopper_Op<"mbarrier.expect_bytes"> {
  let summary = "the current phase completes only after this many more bytes";
  let description = "`peer`: the barrier is that of another CTA of the cluster.";
  let arguments = (ins Index:$barrier, I64Attr:$bytes, UnitAttr:$peer);
  let assemblyFormat = "(`peer` $peer^)? $barrier `,` $bytes attr-dict";
  let hasVerifier = 1;
}

//===-- Fragments ---------------------------------------------------------===//

def Hopper_SplatOp : Hopper_Op<"splat", [Pure]> {
  let summary = "a fragment with one value everywhere";
  let arguments = (ins AnyTypeOf<[AnyFloat, AnyInteger]>:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}
def Hopper_UndefinedOp : Hopper_Op<"undefined", [Pure]> {
  let summary = "a fragment whose values nobody reads";
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def Hopper_BroadcastOp : Hopper_Op<"broadcast", [Pure]> {
  let summary = "a fragment repeated along new dimensions, without moving data between threads";
  let arguments = (ins AnyRankedTensor:$value, DenseI64ArrayAttr:$dimensions);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value `along` $dimensions attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Hopper_CoordinateOp : Hopper_Op<"coordinate", [Pure]> {
  let summary = "of each element, its coordinate along a dimension, counted from 0";
  let arguments = (ins I64Attr:$dimension);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$dimension attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Hopper_WarpReduceOp : Hopper_Op<"warp_reduce"> {
  let summary = "what a warp holds of a fragment, combined along dimensions";
  let description = [{
    Each thread combines its own values, then lanes exchange what they have by
    shuffles. The dimensions of the result are those of `value` that are kept, or
    one of extent 1; where several warps hold what belongs together, a last one
    counts their parts.
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_ReductionAttr:$reduction,
                       DenseI64ArrayAttr:$dimensions);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value $reduction `along` $dimensions attr-dict
    `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}
def Hopper_WarpTotalsOp : Hopper_Op<"warp_totals"> {
  let summary = "what each run of neighbours that a warp holds is together, before they are scanned";
  let description = [{
    The last dimension of the result counts the runs along the dimension, the
    others are those of `value` that are left.
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_ReductionAttr:$reduction,
                       I64Attr:$dimension);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value $reduction `along` $dimension attr-dict
    `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}
def Hopper_WarpScanOp : Hopper_Op<"warp_scan", [
    AllTypesMatch<["value", "result"]>]> {
  let summary = "of each element, what it and those before it along a dimension are together";
  let description = [{
    `totals`: those of all runs along the dimension, in each thread, where a
    warp holds less than all. `exclusive`: without the element itself.
  }];
  let arguments = (ins AnyRankedTensor:$value,
                       Optional<AnyRankedTensor>:$totals,
                       Tile_ReductionAttr:$reduction, I64Attr:$dimension,
                       UnitAttr:$exclusive);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    (`exclusive` $exclusive^)? $value $reduction `along` $dimension
    (`behind` $totals^ `:` type($totals))? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}
def Hopper_WarpRelayOp : Hopper_Op<"warp_relay"> {
  let summary = "a fragment that lies otherwise in the lanes of each warp";
  let description = [{
    Each warp holds the same elements before and after. Its lanes send one
    another words of 32 bits by shuffles.
  }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}
def Hopper_FirstLaneOp : Hopper_Op<"first_lane"> {
  let summary = "the number that the first thread of the warp has";
  let arguments = (ins AnyTypeOf<[AnyFloat, AnyInteger]>:$value);
  let results = (outs AnyTypeOf<[AnyFloat, AnyInteger]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}
def Hopper_ElementOp : Hopper_Op<"element", [Pure]> {
  let summary = "the element of a fragment that has one, which every thread holds";
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyTypeOf<[AnyFloat, AnyInteger]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Hopper_ConvertOp : Hopper_Op<"convert", [Pure]> {
  let summary = "a fragment of elements that are only stored, in another type, or back";
  let description = [{
    Elements of four bits lie in pairs, `vector<2 x ...>`, each where its two
    elements lie on the other side.
  }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Hopper_SliceOp : Hopper_Op<"slice", [Pure]> {
  let summary = "a part of a fragment, the same registers in every thread";
  let arguments = (ins AnyRankedTensor:$value, DenseI64ArrayAttr:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value `from` $offsets attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Hopper_LastIfOp : Hopper_Op<"last_if"> {
  let summary = "this iteration of the loop around it is the last one where the condition holds";
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
  let hasVerifier = 1;
}

//===-- Doors -------------------------------------------------------------===//

def Hopper_PtxOp : Hopper_Op<"ptx"> {
  let summary = "PTX that computes an element of the result of those of the operands";
  let arguments = (ins StrAttr:$text, Variadic<AnyType>:$inputs);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $text `(` $inputs `)` attr-dict `:` functional-type($inputs, $result)
  }];
}
def Hopper_PtxOnceOp : Hopper_Op<"ptx_once"> {
  let summary = "PTX that the first thread of the role executes";
  let arguments = (ins StrAttr:$text, Variadic<AnyType>:$inputs);
  let assemblyFormat = "$text (`(` $inputs^ `)` `:` type($inputs))? attr-dict";
}
def Hopper_PrintOp : Hopper_Op<"print", [AttrSizedOperandSegments]> {
  let summary = "prints values, one line, or one for each element of fragments";
  let description = "A line is printed only where the condition holds.";
  let arguments = (ins StrAttr:$text, Variadic<AnyType>:$values,
                       Optional<AnyTypeOf<[I1, RankedTensorOf<[I1]>]>>:$condition);
  let assemblyFormat = [{
    $text (`(` $values^ `)` `:` type($values))?
    (`where` $condition^ `:` type($condition))? attr-dict
  }];
  let hasVerifier = 1;
}
def Hopper_ExpectOp : Hopper_Op<"expect"> {
  let summary = "ends the launch with a sentence where a condition is false";
  let arguments = (ins AnyTypeOf<[I1, RankedTensorOf<[I1]>]>:$condition,
                       StrAttr:$sentence);
  let assemblyFormat = "$condition `,` $sentence attr-dict `:` type($condition)";
}

#endif
