// The hopper dialect: how sm_90a does it. Shared memory has addresses,
// pipelines are mbarriers with phases, copies are TMA or cp.async, and the
// tensor cores are wgmma.

#ifndef ASHLAR_HOPPER_BASE
#define ASHLAR_HOPPER_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "compiler/tile/TileBase.td"

def Hopper_Dialect : Dialect {
  let name = "hopper";
  let cppNamespace = "::ashlar::hopper";
  let summary = "mbarriers, TMA, wgmma and named barriers";
  let description = [{
    Addresses in shared memory are `index` values in bytes. A
    `!tile.shared` value is a tile at an address, with its layout. Fragments
    are tensors whose encoding says which thread holds what.
  }];
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = [
    "::ashlar::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"
  ];
}

class Hopper_Op<string mnemonic, list<Trait> traits = []>
    : Op<Hopper_Dialect, mnemonic, traits>;
class Hopper_Type<string name, string typeMnemonic>
    : TypeDef<Hopper_Dialect, name> { let mnemonic = typeMnemonic; }

def Hopper_TensorMap : Hopper_Type<"TensorMap", "tensor_map"> {
  let summary = "a TMA descriptor, encoded at launch";
}
def Hopper_Pointer : Hopper_Type<"Pointer", "pointer"> {
  let summary = "the base address of a tensor in global memory";
}
def Hopper_Accumulator : Hopper_Type<"Accumulator", "accumulator"> {
  let summary = "registers of a role's threads that wgmma adds to, or reads as A";
  let description = [{
    They hold a fragment, and are not a value: wgmma writes or reads them until a
    wait for its group is over.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$fragment);
  let assemblyFormat = "`<` $fragment `>`";
  let genVerifyDecl = 1;
}

#endif
