// Global memory in the hopper dialect: copies between it and shared memory,
// fragments from and to it, and signals through it.

#ifndef ASHLAR_HOPPER_GLOBAL_OPS
#define ASHLAR_HOPPER_GLOBAL_OPS

include "compiler/hopper/HopperBase.td"

def Hopper_TensorMapPrefetchOp : Hopper_Op<"tensor_map.prefetch"> {
  let summary = "fetches a TMA descriptor before its first use";
  let arguments = (ins Hopper_TensorMap:$map);
  let assemblyFormat = "$map attr-dict `:` type($map)";
}
def Hopper_TmaLoadOp : Hopper_Op<"tma.load", [AttrSizedOperandSegments]> {
  let summary = "one TMA box from global to shared, completing on a barrier";
  let description = [{
    Coordinates are in elements, outermost first. With `multicast` the box
    arrives at the same address, and on the same barrier, in each CTA of the
    mask. With `kept` L2 keeps this part of the lines as usual, and evicts the
    others first.
  }];
  let arguments = (ins Hopper_TensorMap:$map, Variadic<Index>:$coordinates,
                       Index:$address, Index:$barrier,
                       Optional<Index>:$mask, OptionalAttr<F32Attr>:$kept);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `to` $address `on` $barrier
    (`multicast` $mask^)? (`kept` $kept^)? attr-dict `:` type($map)
  }];
  let hasVerifier = 1;
}
def Hopper_TmaStoreOp : Hopper_Op<"tma.store"> {
  let summary = "one TMA box from shared to global";
  let description = [{
    TMA clips what it writes at the tensor's edge in units of 16 bytes: where
    a row of the tensor does not end on one, the box must not cross its end.
  }];
  let arguments = (ins Index:$address, Hopper_TensorMap:$map,
                       Variadic<Index>:$coordinates,
                       OptionalAttr<Tile_ReductionAttr>:$reduction);
  let assemblyFormat = [{
    $address `to` $map `[` $coordinates `]` (`reduce` $reduction^)? attr-dict
    `:` type($map)
  }];
  let hasVerifier = 1;
}
def Hopper_BulkCommitOp : Hopper_Op<"bulk.commit"> {
  let summary = "closes a group of this thread's TMA stores";
  let assemblyFormat = "attr-dict";
}
def Hopper_BulkWaitOp : Hopper_Op<"bulk.wait"> {
  let summary = "waits until at most `pending` groups are unfinished";
  let description = [{
    `read`: finished means that shared memory has been read; otherwise, that
    global memory has been written.
  }];
  let arguments = (ins I64Attr:$pending, UnitAttr:$read);
  let assemblyFormat = "$pending (`read` $read^)? attr-dict";
  let hasVerifier = 1;
}

class Hopper_GlobalAccess<string mnemonic>
    : Hopper_Op<mnemonic, [AttrSizedOperandSegments]> {
  code globalDescription = [{
    The element at coordinates c lies at pointer + sum of c[i] * strides[i],
    with a last stride of 1. The address of each row of the tile is a multiple
    of `align` bytes. `nonnegative`: no coordinate is below zero.
  }];
  code rowsDescription = [{
    `rows`: row i of the tile, along its last dimension but one, is as much
    further as element i says of a tensor of s32, from the row's coordinates on.
    Where there is no such row, or element, nothing is moved.
  }];
}
def Hopper_CopyTileOp : Hopper_GlobalAccess<"copy_tile"> {
  let summary = "a tile from global to shared by the role's threads";
  let description = globalDescription # [{
    Uses cp.async where `align` is 4 or more. Below, rows of whole 16 bytes come
    in such words of global memory and are shifted, others by elements.
    Elements outside `extents` arrive as zeros. `written`: the kernel writes the
    tensor too, and no element outside of the tile is read.
  }] # rowsDescription;
  let arguments = (ins Hopper_Pointer:$pointer, Variadic<Index>:$coordinates,
                       Variadic<Index>:$extents, Variadic<I64>:$strides,
                       Tile_Shared:$target,
                       Optional<Hopper_Pointer>:$rows,
                       Variadic<Index>:$row_coordinates,
                       Variadic<Index>:$row_extents,
                       Variadic<I64>:$row_strides,
                       I64Attr:$alignment, UnitAttr:$written,
                       UnitAttr:$nonnegative);
  let assemblyFormat = [{
    $pointer `[` $coordinates `]` `within` `[` $extents `]` `strides`
    `[` $strides `]` `align` $alignment (`written` $written^)? `to` $target
    (`rows` $rows^ `[` $row_coordinates `]` `within` `[` $row_extents `]`
    `strides` `[` $row_strides `]` `:` type($rows))? attr-dict
    `:` type($pointer) `,` type($target)
  }];
  let extraClassDeclaration = [{
    /// By cp.async, which moves 4, 8 or 16 bytes.
    bool isAsync() { return getAlignment() >= 4; }
  }];
  let hasVerifier = 1;
}
def Hopper_CopyTileOutOp : Hopper_GlobalAccess<"copy_tile_out"> {
  let summary = "a tile from shared to global by the role's threads";
  let description = globalDescription # [{
    Rows of whole 16 bytes are shifted, and written in such words of global
    memory; their ends, other rows and what is combined with memory by elements.
    Nothing outside `extents` is written. `per_warp`: each warp has a tile.
  }];
  let arguments = (ins Tile_Shared:$source, Hopper_Pointer:$pointer,
                       Variadic<Index>:$coordinates, Variadic<Index>:$extents,
                       Variadic<I64>:$strides, I64Attr:$alignment,
                       OptionalAttr<Tile_ReductionAttr>:$reduction,
                       UnitAttr:$per_warp, UnitAttr:$nonnegative);
  let assemblyFormat = [{
    (`per_warp` $per_warp^)? $source `to` $pointer `[` $coordinates `]` `within` `[` $extents `]`
    `strides` `[` $strides `]` `align` $alignment (`reduce` $reduction^)? attr-dict
    `:` type($source) `,` type($pointer)
  }];
  let hasVerifier = 1;
}
def Hopper_LoadOp : Hopper_GlobalAccess<"load"> {
  let summary = "global to fragment; zeros outside the extents";
  let description = globalDescription # [{
    `transposed`: rows in memory are columns of the fragment. `written`: the
    kernel writes the tensor too, and no element outside of the tile is read;
    else rows on fewer than 16 bytes may come in such words of global memory and
    be shifted.
  }] # rowsDescription;
  let arguments = (ins Hopper_Pointer:$pointer, Variadic<Index>:$coordinates,
                       Variadic<Index>:$extents, Variadic<I64>:$strides,
                       Optional<Hopper_Pointer>:$rows,
                       Variadic<Index>:$row_coordinates,
                       Variadic<Index>:$row_extents,
                       Variadic<I64>:$row_strides,
                       I64Attr:$alignment, UnitAttr:$written,
                       UnitAttr:$transposed, UnitAttr:$nonnegative);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $pointer `[` $coordinates `]` `within` `[` $extents `]` `strides`
    `[` $strides `]` `align` $alignment (`written` $written^)?
    (`transposed` $transposed^)?
    (`rows` $rows^ `[` $row_coordinates `]` `within` `[` $row_extents `]`
    `strides` `[` $row_strides `]` `:` type($rows))? attr-dict
    `:` type($pointer) `->` type($result)
  }];
  let hasVerifier = 1;
}
def Hopper_StoreOp : Hopper_GlobalAccess<"store"> {
  let summary = "fragment to global; nothing outside the extents";
  let description = globalDescription # [{
    `transposed`: columns of the fragment are rows in memory. `relaxed`: others
    may read it meanwhile; of threads that hold the same element one stores it.
  }] # rowsDescription;
  let arguments = (ins AnyRankedTensor:$value, Hopper_Pointer:$pointer,
                       Variadic<Index>:$coordinates, Variadic<Index>:$extents,
                       Variadic<I64>:$strides,
                       Optional<Hopper_Pointer>:$rows,
                       Variadic<Index>:$row_coordinates,
                       Variadic<Index>:$row_extents,
                       Variadic<I64>:$row_strides,
                       I64Attr:$alignment, UnitAttr:$transposed,
                       UnitAttr:$nonnegative, UnitAttr:$relaxed);
  let assemblyFormat = [{
    (`relaxed` $relaxed^)? $value `to` $pointer `[` $coordinates `]` `within` `[` $extents `]`
    `strides` `[` $strides `]` `align` $alignment (`transposed` $transposed^)?
    (`rows` $rows^ `[` $row_coordinates `]` `within` `[` $row_extents `]`
    `strides` `[` $row_strides `]` `:` type($rows))? attr-dict
    `:` type($value) `,` type($pointer)
  }];
  let hasVerifier = 1;
}

def Hopper_TakeOp : Hopper_GlobalAccess<"take"> {
  let summary = "tiles of f32, once no element within the extents is zero bits, which leaves zeros there";
  let description = globalDescription # [{
    Others store the elements meanwhile, relaxed; no other access is ordered by
    that. Coordinates, extents and strides are those of the first pointer, then
    those of the next; `ranks` and `alignments` have a number for each. The
    warps of the role meet at named barrier `barrier` before they leave zeros; a
    role of one warp needs none.
  }];
  let arguments = (ins Variadic<Hopper_Pointer>:$pointers,
                       Variadic<Index>:$coordinates, Variadic<Index>:$extents,
                       Variadic<I64>:$strides, DenseI64ArrayAttr:$ranks,
                       DenseI64ArrayAttr:$alignments, UnitAttr:$nonnegative,
                       OptionalAttr<I64Attr>:$barrier);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $pointers `[` $coordinates `]` `within` `[` $extents `]` `strides`
    `[` $strides `]` `ranks` $ranks `align` $alignments
    (`barrier` $barrier^)? attr-dict
    `:` type($pointers) `->` type($results)
  }];
  let hasVerifier = 1;
}

def Hopper_ReduceIntoOp : Hopper_GlobalAccess<"reduce_into"> {
  let summary = "all elements of a fragment, combined with one in global memory";
  let description = [{
    The element at coordinates c lies at pointer + sum of c[i] * strides[i];
    outside of `extents` there is none. A warp combines what it holds, then one
    of its threads with memory.
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_ReductionAttr:$reduction,
                       Hopper_Pointer:$pointer, Variadic<Index>:$coordinates,
                       Variadic<Index>:$extents, Variadic<I64>:$strides);
  let assemblyFormat = [{
    $value $reduction `into` $pointer `[` $coordinates `]` `within`
    `[` $extents `]` `strides` `[` $strides `]` attr-dict `:` type($value) `,` type($pointer)
  }];
  let hasVerifier = 1;
}
def Hopper_InsideOp : Hopper_Op<"inside", [Pure, AttrSizedOperandSegments]> {
  let summary = "which elements of a tile at these coordinates lie within the extents";
  let description = "`nonnegative`: no coordinate is below zero.";
  let arguments = (ins Variadic<Index>:$coordinates, Variadic<Index>:$extents,
                       UnitAttr:$transposed, UnitAttr:$nonnegative);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `[` $coordinates `]` `within` `[` $extents `]` (`transposed` $transposed^)?
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}
class Hopper_ElementsAccess<string mnemonic>
    : Hopper_Op<mnemonic, [AttrSizedOperandSegments]> {
  code elementsDescription = [{
    Of a shared tile the coordinates lie in the tile. Of global memory the
    element at coordinates c lies at pointer + sum of c[i] * strides[i], within
    `extents`.
  }];
  let hasVerifier = 1;
}
def Hopper_GatherOp : Hopper_ElementsAccess<"gather"> {
  let summary = "of each element, what memory holds at its own coordinates; zero outside";
  let description = elementsDescription;
  let arguments = (ins AnyTypeOf<[Hopper_Pointer, Tile_Shared]>:$source,
                       Variadic<RankedTensorOf<[I32]>>:$coordinates,
                       Variadic<Index>:$extents, Variadic<I64>:$strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $coordinates `]` `within` `[` $extents `]` `strides`
    `[` $strides `]` attr-dict
    `:` type($source) `,` type($coordinates) `->` type($result)
  }];
}
def Hopper_ScatterOp : Hopper_ElementsAccess<"scatter"> {
  let summary = "each element to its own coordinates in memory, or combined with what is there; nothing outside";
  let description = elementsDescription;
  let arguments = (ins AnyRankedTensor:$value,
                       AnyTypeOf<[Hopper_Pointer, Tile_Shared]>:$target,
                       Variadic<RankedTensorOf<[I32]>>:$coordinates,
                       Variadic<Index>:$extents, Variadic<I64>:$strides,
                       OptionalAttr<Tile_ReductionAttr>:$reduction);
  let assemblyFormat = [{
    $value `to` $target `[` $coordinates `]` `within` `[` $extents `]`
    `strides` `[` $strides `]` (`reduce` $reduction^)? attr-dict
    `:` type($value) `,` type($target) `,` type($coordinates)
  }];
}

def Hopper_ValueOp : Hopper_GlobalAccess<"value"> {
  let summary = "one element of global memory, which each thread reads; zero outside the extents";
  let description = [{
    The element at coordinates c lies at pointer + sum of c[i] * strides[i].
    `relaxed`: others may write it meanwhile.
  }];
  let arguments = (ins Hopper_Pointer:$pointer, Variadic<Index>:$coordinates,
                       Variadic<Index>:$extents, Variadic<I64>:$strides,
                       UnitAttr:$relaxed);
  let results = (outs AnyTypeOf<[AnyFloat, AnyInteger]>:$result);
  let assemblyFormat = [{
    (`relaxed` $relaxed^)? $pointer `[` $coordinates `]` `within`
    `[` $extents `]` `strides` `[` $strides `]` attr-dict
    `:` type($pointer) `->` type($result)
  }];
  let hasVerifier = 1;
}
def Hopper_AtomicOp : Hopper_GlobalAccess<"atomic"> {
  let summary = "combines one element of global memory with a number; the first thread of the role does it and gets what was there";
  let description = [{
    The element at coordinates c lies at pointer + sum of c[i] * strides[i];
    outside of `extents` there is none, and the value is zero. Relaxed, at the
    scope of the GPU, or of the `system`.
  }];
  let arguments = (ins Tile_AtomicAttr:$kind, AnyTypeOf<[F32, I32]>:$value,
                       Optional<AnyTypeOf<[F32, I32]>>:$compared,
                       Hopper_Pointer:$pointer, Variadic<Index>:$coordinates,
                       Variadic<Index>:$extents, Variadic<I64>:$strides,
                       UnitAttr:$system);
  let results = (outs AnyTypeOf<[F32, I32]>:$result);
  let assemblyFormat = [{
    $kind $value (`where` $compared^ `:` type($compared))? `into` $pointer
    `[` $coordinates `]` `within` `[` $extents `]` `strides` `[` $strides `]`
    (`system` $system^)? attr-dict `:` type($value) `,` type($pointer) `->` type($result)
  }];
  let hasVerifier = 1;
}
def Hopper_TmaPrefetchOp : Hopper_Op<"tma.prefetch"> {
  let summary = "one TMA box from global memory to L2";
  let arguments = (ins Hopper_TensorMap:$map, Variadic<Index>:$coordinates);
  let assemblyFormat = "$map `[` $coordinates `]` attr-dict `:` type($map)";
  let hasVerifier = 1;
}
def Hopper_SignalOp : Hopper_GlobalAccess<"signal"> {
  let summary = "adds to a counter in global memory: a release at the scope of the GPU, or of the system";
  let arguments = (ins Index:$amount, Hopper_Pointer:$pointer,
                       Variadic<Index>:$coordinates, Variadic<I64>:$strides,
                       UnitAttr:$system);
  let assemblyFormat = [{
    $amount `to` $pointer `[` $coordinates `]` `strides` `[` $strides `]`
    (`system` $system^)? attr-dict `:` type($pointer)
  }];
  let hasVerifier = 1;
}
def Hopper_AwaitOp : Hopper_GlobalAccess<"await"> {
  let summary = "polls a counter until it is at least a value: an acquire at the scope of the GPU, or of the system";
  let arguments = (ins Hopper_Pointer:$pointer, Variadic<Index>:$coordinates,
                       Variadic<I64>:$strides, Index:$value, UnitAttr:$system);
  let assemblyFormat = [{
    $pointer `[` $coordinates `]` `strides` `[` $strides `]` `at_least` $value
    (`system` $system^)? attr-dict `:` type($pointer)
  }];
  let hasVerifier = 1;
}

#endif
