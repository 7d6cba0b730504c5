// Movement in the tile dialect: between tensors, shared tiles and fragments, and
// single values of either memory.

#ifndef ASHLAR_TILE_MOVEMENT_OPS
#define ASHLAR_TILE_MOVEMENT_OPS

include "compiler/tile/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// `rows`: row i of the tile, along its last dimension but one, is as much
// further as the element i of a tensor of s32 says, counted from the
// coordinates there. Where that is no row of the tensor, or the tensor of
// indices has no such element, nothing is moved; zeros arrive.

def Tile_CopyOp : Tile_Op<"copy", [AttrSizedOperandSegments]> {
  let summary = "asynchronous copy from global to a stage; complete when the stage is full";
  let description = [{
    Coordinates are element offsets into the tensor, outermost first. Elements
    outside the tensor arrive as zeros. `multicast`: the CTAs of the cluster
    that want the same tile each fetch a part and send it to all of them.
  }];
  let arguments = (ins Tile_Tensor:$source, Variadic<Index>:$coordinates,
                       Tile_Shared:$target, Optional<Tile_Tensor>:$rows,
                       Variadic<Index>:$row_coordinates, UnitAttr:$multicast,
                       OptionalAttr<F32Attr>:$kept);
  let assemblyFormat = [{
    $source `[` $coordinates `]` `to` $target (`multicast` $multicast^)?
    (`kept` $kept^)?
    (`rows` $rows^ `[` $row_coordinates `]` `:` type($rows))?
    attr-dict `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_CopyOutOp : Tile_Op<"copy_out"> {
  let summary = "asynchronous copy from shared to global; nothing outside the tensor is written";
  let description = [{
    `by_warps`, from `tile-order-accesses`: each warp stores the rows of the
    tile that it has of such a fragment, and waits for no other.
  }];
  let arguments = (ins Tile_Shared:$source, Tile_Tensor:$target,
                       Variadic<Index>:$coordinates,
                       OptionalAttr<Tile_ReductionAttr>:$reduction,
                       OptionalAttr<Tile_Fragment>:$by_warps);
  let assemblyFormat = [{
    $source `to` $target `[` $coordinates `]` (`reduce` $reduction^)?
    (`by_warps` $by_warps^)? attr-dict `:` type($source) `,` type($target)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source,
                                 "::mlir::Value":$target,
                                 "::mlir::ValueRange":$coordinates,
                                 "::ashlar::tile::ReductionAttr":$reduction), [{
    build($_builder, $_state, source, target, coordinates, reduction,
          FragmentAttr());
  }]>];
  let hasVerifier = 1;
}

def Tile_CopyToPeerOp : Tile_Op<"copy_to_peer"> {
  let summary = "asynchronous copy from shared to the same type of tile of a peer; complete where the CTAs next meet";
  let description = [{
    Behind the next `tile.cluster_sync` of the role the peer has it, and the
    source may be written again. `barrier`, from `tile-expand-cluster-syncs`: the
    mbarrier of the peer at which they meet.
  }];
  let arguments = (ins Tile_Shared:$source, Tile_Shared:$target,
                       Optional<Index>:$barrier);
  let assemblyFormat = [{
    $source `to` $target (`on` $barrier^)? attr-dict
    `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_ReadOp : Tile_Op<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "shared tile to fragment, `transposed` with rows as columns";
  let arguments = (ins Tile_Shared:$source, UnitAttr:$transposed);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source (`transposed` $transposed^)? attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_WriteOp : Tile_Op<"write"> {
  let summary = "fragment to shared tile, `transposed` with rows as columns";
  let arguments = (ins AnyRankedTensor:$value, Tile_Shared:$target,
                       UnitAttr:$transposed);
  let assemblyFormat = [{
    $value `to` $target (`transposed` $transposed^)? attr-dict
    `:` type($value) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load", [
    MemoryEffects<[MemRead]>, AttrSizedOperandSegments]> {
  let summary = "global to fragment by ordinary loads; zeros outside the tensor, `transposed` with rows as columns";
  let arguments = (ins Tile_Tensor:$source, Variadic<Index>:$coordinates,
                       Optional<Tile_Tensor>:$rows,
                       Variadic<Index>:$row_coordinates, UnitAttr:$transposed);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $coordinates `]` (`transposed` $transposed^)?
    (`rows` $rows^ `[` $row_coordinates `]` `:` type($rows))? attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [AttrSizedOperandSegments]> {
  let summary = "fragment to global by ordinary stores; nothing outside the tensor is written, `transposed` with rows as columns";
  let arguments = (ins AnyRankedTensor:$value, Tile_Tensor:$target,
                       Variadic<Index>:$coordinates, Optional<Tile_Tensor>:$rows,
                       Variadic<Index>:$row_coordinates, UnitAttr:$transposed,
                       UnitAttr:$relaxed);
  let description = [{
    `relaxed`: others may read it meanwhile; of threads that hold the same
    element one stores it.
  }];
  let assemblyFormat = [{
    (`relaxed` $relaxed^)? $value `to` $target `[` $coordinates `]`
    (`transposed` $transposed^)?
    (`rows` $rows^ `[` $row_coordinates `]` `:` type($rows))?
    attr-dict `:` type($value) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_TakeOp : Tile_Op<"take", [
    MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "tiles of f32, once no element inside of the tensors is zero bits, which leaves zeros there";
  let description = [{
    Others store the elements meanwhile, relaxed; no other access is ordered by
    that. `coordinates`: those of the first source, then those of the next.
    `barrier`, from `tile-order-accesses`: the named barrier at which the warps
    of the role meet before they leave zeros.
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$sources,
                       Variadic<Index>:$coordinates,
                       OptionalAttr<I64Attr>:$barrier);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $sources `[` $coordinates `]` (`barrier` $barrier^)? attr-dict
    `:` type($sources) `->` type($results)
  }];
  let extraClassDeclaration = [{
    /// A source, its coordinates and the fragment that is taken there, each.
    void forEachTile(::llvm::function_ref<void(
        ::mlir::Value source, ::mlir::ValueRange coordinates,
        ::mlir::Value tile)> body);
  }];
  let hasVerifier = 1;
}

def Tile_ReduceIntoOp : Tile_Op<"reduce_into"> {
  let summary = "all elements of a fragment, combined with one of a tensor, atomically";
  let arguments = (ins AnyRankedTensor:$value, Tile_ReductionAttr:$reduction,
                       Tile_Tensor:$target, Variadic<Index>:$coordinates);
  let assemblyFormat = [{
    $value $reduction `into` $target `[` $coordinates `]` attr-dict
    `:` type($value) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_InsideOp : Tile_Op<"inside", [Pure]> {
  let summary = "which elements of a tile of a tensor lie inside it, `transposed` with rows as columns";
  let arguments = (ins Tile_Tensor:$tensor, Variadic<Index>:$coordinates,
                       UnitAttr:$transposed);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $tensor `[` $coordinates `]` (`transposed` $transposed^)? attr-dict
    `:` type($tensor) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [MemoryEffects<[MemRead]>]> {
  let summary = "of each element, what memory holds at its own coordinates; zero outside";
  let description = "The coordinates are fragments of s32, of the result's shape.";
  let arguments = (ins AnyTypeOf<[Tile_Tensor, Tile_Shared]>:$source,
                       Variadic<RankedTensorOf<[I32]>>:$coordinates);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $coordinates `]` attr-dict
    `:` type($source) `,` type($coordinates) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ScatterOp : Tile_Op<"scatter"> {
  let summary = "each element to its own coordinates in memory, or combined with what is there; nothing outside";
  let description = [{
    Elements with the same coordinates are combined; where they are written it
    is a race.
  }];
  let arguments = (ins AnyRankedTensor:$value,
                       AnyTypeOf<[Tile_Tensor, Tile_Shared]>:$target,
                       Variadic<RankedTensorOf<[I32]>>:$coordinates,
                       OptionalAttr<Tile_ReductionAttr>:$reduction);
  let assemblyFormat = [{
    $value `to` $target `[` $coordinates `]` (`reduce` $reduction^)? attr-dict
    `:` type($value) `,` type($target) `,` type($coordinates)
  }];
  let hasVerifier = 1;
}

def Tile_ValueOp : Tile_Op<"value", [MemoryEffects<[MemRead]>]> {
  let summary = "one element of a tensor, the same for every thread of the role; zero outside the tensor";
  let description = [{
    `apart`, from `tile-exchange`: each thread reads for itself.
  }];
  let arguments = (ins Tile_Tensor:$source, Variadic<Index>:$coordinates,
                       UnitAttr:$apart);
  let results = (outs AnyTypeOf<[AnyFloat, AnyInteger]>:$result);
  let assemblyFormat = [{
    $source `[` $coordinates `]` (`apart` $apart^)? attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_SharedValueOp : Tile_Op<"shared_value", [MemoryEffects<[MemRead]>]> {
  let summary = "one element of a shared tile, the same for every thread of the role";
  let arguments = (ins Tile_Shared:$source, Variadic<Index>:$coordinates);
  let results = (outs AnyTypeOf<[AnyFloat, AnyInteger]>:$result);
  let assemblyFormat = [{
    $source `[` $coordinates `]` attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_AtomicOp : Tile_Op<"atomic", [AttrSizedOperandSegments]> {
  let summary = "combines one element of a tensor with a number, and gives what was there";
  let description = [{
    The role does it once, and each of its threads gets the value. Outside the
    tensor nothing is changed, and the value is zero. With `compare_swap` memory
    changes to the number only where it is `compared`. `system`: among other
    GPUs and the host as well. `apart`, from `tile-exchange`: only the first
    thread of the role gets the value.
  }];
  let arguments = (ins Tile_AtomicAttr:$kind, AnyTypeOf<[F32, I32]>:$value,
                       Optional<AnyTypeOf<[F32, I32]>>:$compared,
                       Tile_Tensor:$target, Variadic<Index>:$coordinates,
                       UnitAttr:$system, UnitAttr:$apart);
  let results = (outs AnyTypeOf<[F32, I32]>:$result);
  let assemblyFormat = [{
    $kind $value (`where` $compared^ `:` type($compared))? `into` $target
    `[` $coordinates `]` (`system` $system^)? (`apart` $apart^)?
    attr-dict `:` type($value) `,` type($target) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_PrefetchOp : Tile_Op<"prefetch"> {
  let summary = "a tile of a tensor to L2, for a copy to come";
  let arguments = (ins Tile_Tensor:$source, Variadic<Index>:$coordinates,
                       DenseI64ArrayAttr:$shape);
  let assemblyFormat = [{
    $source `[` $coordinates `]` $shape attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
}

#endif
