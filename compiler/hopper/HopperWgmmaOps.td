// The tensor cores in the hopper dialect: products as values, as the program
// wrote them, and once `hopper-assign-accumulators` has run, as wgmma on
// registers, with its groups, waits and releases.

#ifndef ASHLAR_HOPPER_WGMMA_OPS
#define ASHLAR_HOPPER_WGMMA_OPS

include "compiler/hopper/HopperBase.td"

def Hopper_MmaOp : Hopper_Op<"mma", [
    AttrSizedOperandSegments, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulator + A · B by the role's warpgroups, as a value";
  let description = [{
    Where `overwrite` is true the accumulator is not read: the result is A · B.
    A may be a fragment. `metadata` are those of a sparse A, as in `tile.mma`.
  }];
  let arguments = (ins AnyTypeOf<[Tile_Shared, AnyRankedTensor]>:$a,
                       Tile_Shared:$b,
                       AnyRankedTensor:$accumulator, Optional<I1>:$overwrite,
                       Optional<AnyRankedTensor>:$metadata,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs AnyRankedTensor:$result);
  let extraClassDeclaration = "::ashlar::tile::Product product();";
  let assemblyFormat = [{
    $a (`transposed` $transpose_a^)? (`sparse` $metadata^ `:` type($metadata))?
    `,` $b (`transposed` $transpose_b^)? `,`
    $accumulator (`overwrite` $overwrite^)? attr-dict
    `:` type($a) `,` type($b) `,` type($result)
  }];
  let hasVerifier = 1;
}

//===-- Accumulators ------------------------------------------------------===//

def Hopper_AccumulatorOp : Hopper_Op<"accumulator"> {
  let summary = "registers of each thread of the role for an accumulator";
  let results = (outs Hopper_Accumulator:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Hopper_AccumulatorReadOp : Hopper_Op<"accumulator.read"> {
  let summary = "the fragment in an accumulator, or the part of it from `offsets` on";
  let arguments = (ins Hopper_Accumulator:$accumulator,
                       OptionalAttr<DenseI64ArrayAttr>:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $accumulator (`from` $offsets^)? attr-dict
    `:` type($accumulator) `->` type($result)
  }];
  let hasVerifier = 1;
}
def Hopper_AccumulatorWriteOp : Hopper_Op<"accumulator.write"> {
  let summary = "a fragment to an accumulator";
  let description = [{
    To registers of 16-bit floats that wgmma takes as A f32 may be written, which
    are rounded.
  }];
  let arguments = (ins AnyRankedTensor:$value, Hopper_Accumulator:$accumulator);
  let assemblyFormat = [{
    $value `to` $accumulator attr-dict `:` type($value) `,` type($accumulator)
  }];
  let hasVerifier = 1;
}

def Hopper_AccumulatorRescaleOp : Hopper_Op<"accumulator.rescale"> {
  let summary = "multiplies what is in an accumulator of f32, but in warps whose factors are all 1";
  let description = [{
    From `hopper-to-thread` on, where a read, a product and a write do no more.
  }];
  let arguments = (ins AnyRankedTensor:$factors, Hopper_Accumulator:$accumulator);
  let assemblyFormat = [{
    $accumulator `by` $factors attr-dict `:` type($accumulator) `,` type($factors)
  }];
  let hasVerifier = 1;
}

def Hopper_PinOp : Hopper_Op<"pin", [AllTypesMatch<["value", "result"]>]> {
  let summary = "a fragment that is computed here, though it is needed later";
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===-- Groups of wgmma ---------------------------------------------------===//

def Hopper_WgmmaOp : Hopper_Op<"wgmma", [AttrSizedOperandSegments]> {
  let summary = "adds A · B to an accumulator by the role's warpgroups, asynchronously";
  let description = [{
    Where `overwrite` is true, or `zeroed`
    set, the accumulator is not read: it becomes A · B. From the next
    `hopper.wgmma.commit` on it is part of a group. A may lie in registers of its
    own, and the metadata of a sparse A do, which it reads until the group is
    complete.
  }];
  let arguments = (ins AnyTypeOf<[Tile_Shared, Hopper_Accumulator]>:$a,
                       Tile_Shared:$b,
                       Hopper_Accumulator:$accumulator,
                       Optional<I1>:$overwrite,
                       Optional<Hopper_Accumulator>:$metadata, UnitAttr:$zeroed,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let extraClassDeclaration = "::ashlar::tile::Product product();";
  let assemblyFormat = [{
    $a (`transposed` $transpose_a^)? (`sparse` $metadata^ `:` type($metadata))?
    `,` $b (`transposed` $transpose_b^)? `into`
    (`zeroed` $zeroed^)? $accumulator
    (`overwrite` $overwrite^)? attr-dict
    `:` type($a) `,` type($b) `,` type($accumulator)
  }];
  let hasVerifier = 1;
}
def Hopper_WgmmaCommitOp : Hopper_Op<"wgmma.commit"> {
  let summary = "closes a group of wgmma";
  let assemblyFormat = "attr-dict";
}
def Hopper_WgmmaWaitOp : Hopper_Op<"wgmma.wait"> {
  let summary = "waits until at most `pending` groups are unfinished";
  let description = [{
    `twice`: written in both arms of a branch. ptxas takes a wait that every way
    out of a loop leads to for the end of the groups that it covers, and
    serialises a loop that waits for them earlier, and reads them (C7514).
  }];
  let arguments = (ins I64Attr:$pending, UnitAttr:$twice);
  let assemblyFormat = "$pending (`twice` $twice^)? attr-dict";
  let hasVerifier = 1;
}
def Hopper_ReleaseOp : Hopper_Op<"release", [SingleBlock, NoTerminator]> {
  let summary = "a stage becomes empty: the region, run once per warp";
  let description = [{
    Every wgmma before it has read the stage: `hopper-schedule-wgmma` moves it
    and places the wait. With `condition` it happens only where that is true. The
    ring is named by the offset of its full barriers; `newer` stages of it were
    taken after this one, at most.
  }];
  let arguments = (ins Index:$stage, Optional<I1>:$condition, I64Attr:$ring,
                       I64Attr:$newer);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $stage (`when` $condition^)? `of` $ring `newer` $newer
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

#endif
