// What a role computes in the tile dialect: products, fragments, and what leaves
// the language.

#ifndef ASHLAR_TILE_COMPUTE_OPS
#define ASHLAR_TILE_COMPUTE_OPS

include "compiler/tile/TileBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===-- Computation -------------------------------------------------------===//

def Tile_MmaOp : Tile_Op<"mma", [AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulator + A · B, asynchronously, on the tensor cores";
  let description = [{
    A is M×K and B is K×N; `transpose_a` says that the tile lies as K×M,
    `transpose_b` that it lies as N×K. A may be a fragment.

    With `metadata` A is sparse and lies as M×K/2: of each chunk of a row, four
    elements or two of tf32, it has one half, and the others are zero. The
    metadata, s16, have four bits for each chunk of a row, four chunks to an
    element, the first in the lowest bits: two bits say where in a chunk of four
    the first element that A has lies, and the upper two where the second does,
    behind it; of tf32 they say so of its halves. An element of 0, which says
    nothing, stands for the first ones of each chunk.
  }];
  let arguments = (ins AnyTypeOf<[Tile_Shared, AnyRankedTensor]>:$a,
                       Tile_Shared:$b,
                       AnyRankedTensor:$accumulator,
                       Optional<AnyRankedTensor>:$metadata,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs AnyRankedTensor:$result);
  let extraClassDeclaration = "::ashlar::tile::Product product();";
  let assemblyFormat = [{
    $a (`transposed` $transpose_a^)? (`sparse` $metadata^ `:` type($metadata))?
    `,` $b (`transposed` $transpose_b^)? `,`
    $accumulator attr-dict `:` type($a) `,` type($b) `,` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "a fragment with one value everywhere";
  let arguments = (ins AnyTypeOf<[AnyFloat, AnyInteger]>:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "a fragment repeated along dimensions that it lacks";
  let description = [{
    `dimensions[i]` is the dimension of the result that dimension i of the
    source runs along; an extent of 1 is repeated.
  }];
  let arguments = (ins AnyRankedTensor:$value, DenseI64ArrayAttr:$dimensions);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value `along` $dimensions attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_SliceOp : Tile_Op<"slice", [Pure]> {
  let summary = "a part of a fragment, from an offset along each dimension";
  let arguments = (ins AnyRankedTensor:$value, DenseI64ArrayAttr:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value `from` $offsets attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ConvertOp : Tile_Op<"convert", [Pure]> {
  let summary = "a fragment of elements that are only stored, in another type, or back";
  let description = [{
    From f32 and s32 to four bits or e8m0: rounded as `arith` does, and into the
    range of the type. `tile-pair-elements` makes two elements of four bits one
    of `vector<2 x ...>`: that side then has half as many along the last
    dimension.
  }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_CoordinateOp : Tile_Op<"coordinate", [Pure]> {
  let summary = "of each element, its coordinate along a dimension, counted from 0";
  let arguments = (ins I64Attr:$dimension);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$dimension attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "the elements of a fragment combined along dimensions, which the result lacks";
  let description = [{
    Where all dimensions are combined the result has one of extent 1. Each
    thread that holds an element of a row, say, holds the row's result. The
    order in which elements are combined is that of the layout, and the same for
    every thread.
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_ReductionAttr:$reduction,
                       DenseI64ArrayAttr:$dimensions);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value $reduction `along` $dimensions attr-dict
    `:` type($value) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// What becomes of a fragment.
    static ::mlir::RankedTensorType resultType(
        ::mlir::RankedTensorType source, ::llvm::ArrayRef<int64_t> dimensions);
  }];
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "of each element, what it and those before it along a dimension are together";
  let description = [{
    `exclusive`: without the element itself; of those before the first, what
    changes nothing: 0 of sums, and the least or largest value of the type.
    The order in which elements are combined is that of the layout.
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_ReductionAttr:$reduction,
                       I64Attr:$dimension, UnitAttr:$exclusive);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    (`exclusive` $exclusive^)? $value $reduction `along` $dimension attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_RelayOp : Tile_Op<"relay", [Pure]> {
  let summary = "a fragment that is to lie otherwise among the role's threads";
  let description = [{
    From `tile-assign-layouts`, where a fragment is computed in one layout and
    used in another.
  }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ElementOp : Tile_Op<"element", [Pure]> {
  let summary = "the element of a fragment that has one, which every thread holds";
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyTypeOf<[AnyFloat, AnyInteger]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ClusterReduceOp : Tile_Op<"cluster_reduce"> {
  let summary = "a fragment combined over the CTAs along a dimension of the cluster";
  let description = [{
    A result of the fragment's shape is the same in each CTA, combined in the
    order of the coordinates. Else each CTA gets its own part: as many columns as
    its coordinate along the dimension says, of the last dimension shared out
    evenly; combined in the order of the coordinates, from its own on,
    cyclically.
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_ReductionAttr:$reduction,
                       I64Attr:$dimension);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value $reduction `along` $dimension attr-dict
    `:` type($value) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Whether each CTA gets all of the result.
    bool isWhole();
    /// How many CTAs are combined.
    int64_t parts();
  }];
  let hasVerifier = 1;
}

//===-- Doors -------------------------------------------------------------===//

def Tile_PtxOp : Tile_Op<"ptx", [Elementwise]> {
  let summary = "PTX that computes an element of each result of those of the operands";
  let description = [{
    `$0` in the text is the result, `$1` and on are the operands, which are
    fragments if the result is one.
  }];
  let arguments = (ins StrAttr:$text, Variadic<AnyType>:$inputs);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $text `(` $inputs `)` attr-dict `:` functional-type($inputs, $result)
  }];
}

def Tile_PtxOnceOp : Tile_Op<"ptx_once"> {
  let summary = "PTX that the first thread of the role executes";
  let description = [{ `$0` and on are the operands. }];
  let arguments = (ins StrAttr:$text, Variadic<AnyType>:$inputs);
  let assemblyFormat = "$text (`(` $inputs^ `)` `:` type($inputs))? attr-dict";
}

def Tile_PrintOp : Tile_Op<"print", [AttrSizedOperandSegments]> {
  let summary = "prints values, one line, or one for each element of fragments";
  let description = [{
    Each `{}` in the text is a value. Fragments have one shape, and their lines
    begin with the element's coordinates. A line is printed only where the
    condition holds, for the role or for the element.
  }];
  let arguments = (ins StrAttr:$text, Variadic<AnyType>:$values,
                       Optional<AnyTypeOf<[I1, RankedTensorOf<[I1]>]>>:$condition);
  let assemblyFormat = [{
    $text (`(` $values^ `)` `:` type($values))?
    (`where` $condition^ `:` type($condition))? attr-dict
  }];
  let hasVerifier = 1;
}

def Tile_ExpectOp : Tile_Op<"expect"> {
  let summary = "ends the launch with a sentence where a condition is false";
  let description = [{
    Of a fragment each element is expected to be true. `tile-drop-unused`
    removes it, unless expectations are checked.
  }];
  let arguments = (ins AnyTypeOf<[I1, RankedTensorOf<[I1]>]>:$condition,
                       StrAttr:$sentence);
  let assemblyFormat = "$condition `,` $sentence attr-dict `:` type($condition)";
}

#endif
