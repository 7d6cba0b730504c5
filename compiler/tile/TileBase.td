// The tile dialect: what moves and what is computed, by which role, through
// which pipeline.

#ifndef ASHLAR_TILE_BASE
#define ASHLAR_TILE_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::ashlar::tile";
  let summary = "whole tiles, pipelines and roles";
  let description = [{
    Values are whole tiles: tensors in global memory, tiles in shared memory,
    and fragments (builtin tensors held in the registers of a role). No thread
    index, no byte and no barrier exists at this level.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect"
  ];
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

class Tile_Type<string name, string typeMnemonic>
    : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===-- Types -------------------------------------------------------------===//

def Tile_Tensor : Tile_Type<"Tensor", "tensor"> {
  let summary = "a tensor in global memory, its extents known at launch";
  let parameters = (ins "::mlir::Type":$elementType, "int64_t":$rank);
  let assemblyFormat = "`<` $elementType `,` $rank `>`";
  let genVerifyDecl = 1;
}

def Tile_Shared : Tile_Type<"Shared", "shared"> {
  let summary = "a tile in shared memory";
  let description = [{
    `!tile.shared<128x64xbf16>`, and once `tile-assign-layouts` has run,
    `!tile.shared<128x64xbf16, "S<3,4,3> o (128,64):(128,2)">`: the layout
    gives the byte offset of each element, has a mode for each dimension and as
    many elements along it.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        TypeParameter<
                          "std::optional<::ashlar::layout::SwizzledLayout>",
                          "where each element lies",
                          "const std::optional<::ashlar::layout::SwizzledLayout> &"
                        >:$layout);
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape,
                                   "::mlir::Type":$elementType), [{
    return $_get($_ctxt, shape, elementType,
                 std::optional<::ashlar::layout::SwizzledLayout>());
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t elementBytes();
    int64_t sizeBytes();
  }];
}

def Tile_Pipeline : Tile_Type<"Pipeline", "pipeline"> {
  let summary = "a ring of stages, each a set of tiles in shared memory";
  let parameters = (ins "int64_t":$stages,
                        ArrayRefParameter<"::mlir::Type">:$tiles);
  let assemblyFormat = "`<` $stages `,` `[` $tiles `]` `>`";
  let extraClassDeclaration = [{
    SharedType tile(unsigned index) {
      return ::mlir::cast<SharedType>(getTiles()[index]);
    }
  }];
}

def Tile_Stage : Tile_Type<"Stage", "stage"> {
  let summary = "one stage of a pipeline, between acquire and commit or wait and release";
}

def Tile_Schedule : Tile_Type<"Schedule", "schedule"> {
  let summary = "which output tiles a CTA works on, and in which order";
  let parameters = (ins "int64_t":$rank);
  let assemblyFormat = "`<` $rank `>`";
}

def Tile_Barrier : Tile_Type<"Barrier", "barrier"> {
  let summary = "a named barrier between roles";
}

//===-- Attributes --------------------------------------------------------===//

def Tile_Fragment : Tile_Attr<"Fragment", "fragment", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "the (thread, value) layout of a fragment, as a tensor encoding";
  let description = [{
    The layout has the shape of its tensor, and as many threads as the role that
    holds the fragment.
  }];
  let parameters = (ins AttrParameter<
      "::ashlar::layout::FragmentLayout", "which thread holds which elements",
      "const ::ashlar::layout::FragmentLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_RingPlan : Tile_Attr<"RingPlan", "ring_plan"> {
  let summary = "where a pipeline lies";
  let description = [{
    Bytes from the start of shared memory to the first stage, from a stage to
    the next, from a stage to each of its tiles, and to the mbarriers: the full
    ones of all stages, then the empty ones.
  }];
  let parameters = (ins "int64_t":$offset, "int64_t":$stageBytes,
                        ArrayRefParameter<"int64_t">:$tileOffsets,
                        "int64_t":$barriers);
  let assemblyFormat = [{
    `<` $offset `every` $stageBytes `tiles` `[` $tileOffsets `]`
    `barriers` $barriers `>`
  }];
}
def Tile_RolePlan : Tile_Attr<"RolePlan", "role_plan"> {
  let summary = "the first warp of a role, and the mbarriers by which several instances keep their order";
  let parameters = (ins "int64_t":$firstWarp,
                        OptionalParameter<"std::optional<int64_t>">:$orderBarriers);
  let assemblyFormat = "`<` $firstWarp (`order_barriers` $orderBarriers^)? `>`";
}
def Tile_ClusterPlan : Tile_Attr<"ClusterPlan", "cluster_plan"> {
  let summary = "where what the peers send for a cluster_reduce arrives, and the two mbarriers of each instance that say so";
  let parameters = (ins "int64_t":$slots, "int64_t":$barriers);
  let assemblyFormat = "`<` $slots `barriers` $barriers `>`";
}
def Tile_Plan : Tile_Attr<"Plan", "plan"> {
  let summary = "the threads and the shared memory of a kernel, and who has what of them";
  let description = [{
    One entry for each `tile.alloc` (bytes from the start of shared memory), each
    `tile.pipeline`, each `tile.role` and each `tile.cluster_reduce` of the kernel,
    in the order of its text.
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$sharedBytes,
                        OptionalArrayRefParameter<"int64_t">:$tiles,
                        OptionalArrayRefParameter<"RingPlanAttr">:$rings,
                        OptionalArrayRefParameter<"RolePlanAttr">:$roles,
                        OptionalArrayRefParameter<"ClusterPlanAttr">:$clusterReductions);
  let assemblyFormat = [{
    `<` $threads `threads` $sharedBytes `bytes` (`tiles` `[` $tiles^ `]`)?
    (`rings` `[` $rings^ `]`)? (`roles` `[` $roles^ `]`)?
    (`cluster_reductions` `[` $clusterReductions^ `]`)? `>`
  }];
}

def Tile_Access : I32EnumAttr<"Access", "how a kernel uses a tensor", [
  I32EnumAttrCase<"input", 0>, I32EnumAttrCase<"output", 1>,
  I32EnumAttrCase<"inout", 2>
]> { let cppNamespace = "::ashlar::tile"; let genSpecializedAttr = 0; }
def Tile_AccessAttr : EnumAttr<Tile_Dialect, Tile_Access, "access"> {
  let assemblyFormat = "$value";
}

def Tile_Raster : Tile_Attr<"Raster", "raster"> {
  let summary = "the order of the tiles in the plane of the last two dimensions";
  let description = [{
    A layout of the plane by its modes, the fastest first: `<m:8, n, m>` takes
    eight tiles along m for each step along n, and goes on along m after all of
    n. The last mode along m and the last along n have no extent: they walk to
    the end. What is left at an edge is walked in the same order. A mode that is
    `alternating` goes backwards in every other step of the next slower one.
  }];
  let parameters = (ins ArrayRefParameter<"RasterMode">:$modes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_Atomic : I32EnumAttr<"Atomic", "how a number combines with memory", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"min", 1>,
  I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"exchange", 3>,
  I32EnumAttrCase<"compare_swap", 4>
]> { let cppNamespace = "::ashlar::tile"; let genSpecializedAttr = 0; }
def Tile_AtomicAttr : EnumAttr<Tile_Dialect, Tile_Atomic, "atomic"> {
  let assemblyFormat = "$value";
}

def Tile_Reduction : I32EnumAttr<"Reduction", "how a copy combines with memory", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"min", 1>,
  I32EnumAttrCase<"max", 2>
]> { let cppNamespace = "::ashlar::tile"; let genSpecializedAttr = 0; }
def Tile_ReductionAttr : EnumAttr<Tile_Dialect, Tile_Reduction, "reduction"> {
  let assemblyFormat = "$value";
}

#endif
