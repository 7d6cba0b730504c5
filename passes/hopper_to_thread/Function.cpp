#include "passes/hopper_to_thread/Function.h"

#include "compiler/target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/hopper_to_thread/Lowering.h"

namespace ashlar {

using namespace mlir;

namespace {

constexpr StringRef sharedName = "ashlar_shared";

bool isParameter(Operation &op) {
  return isa<hopper::SizeOp, hopper::ScalarOp, hopper::PointerOp,
             hopper::StrideOp, hopper::TensorMapOp>(op);
}

} // namespace

LLVM::LLVMFuncOp createFunction(hopper::KernelOp kernel,
                                ThreadContext &threadContext) {
  PtxBuilder b(OpBuilder(kernel), kernel.getLoc(), threadContext.comments);
  MLIRContext *context = kernel.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto global = LLVM::LLVMPointerType::get(context, 1);
  SmallVector<Type> types;
  SmallVector<Operation *> parameters;
  SmallVector<DictionaryAttr> attributes;
  for (Operation &op : kernel.getBody().front()) {
    if (!isParameter(op))
      continue;
    parameters.push_back(&op);
    NamedAttrList list;
    if (isa<hopper::TensorMapOp>(op)) {
      types.push_back(pointer);
      list.append("llvm.byval", TypeAttr::get(LLVM::LLVMArrayType::get(
                                    b.getIntegerType(8), 128)));
      list.append("llvm.align", b.getI64IntegerAttr(64));
      list.append("nvvm.grid_constant", b.getUnitAttr());
    } else if (isa<hopper::PointerOp>(op)) {
      types.push_back(global);
    } else if (isa<hopper::SizeOp>(op)) {
      types.push_back(b.getI32Type());
    } else {
      types.push_back(op.getResult(0).getType());
    }
    attributes.push_back(list.getDictionary(context));
  }

  auto module = kernel->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(sharedName)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, b.loc,
                           LLVM::LLVMArrayType::get(b.getIntegerType(8), 0),
                           /*isConstant=*/false, LLVM::Linkage::External,
                           sharedName, Attribute(), /*alignment=*/1024,
                           /*addrSpace=*/3);
  }
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types);
  auto function = LLVM::LLVMFuncOp::create(
      b, b.loc, (kernel.getSymName() + ".lowered").str(), type);
  kernel.setSymName((kernel.getSymName() + ".source").str());
  StringRef name = function.getSymName();
  name.consume_back(".lowered");
  function.setSymName(name.str());
  function.setAllArgAttrs(attributes);
  int32_t threads = kernel.getThreads();
  threadContext.registers =
      target::entryRegisters(threads, kernel.getCtasPerSm());
  function->setAttr("nvvm.kernel", b.getUnitAttr());
  function->setAttr("nvvm.reqntid", b.getDenseI32ArrayAttr({threads, 1, 1}));
  function->setAttr("nvvm.minctasm",
                    b.getI32IntegerAttr(int32_t(kernel.getCtasPerSm())));
  if (kernel.getClusterSize() > 1)
    function->setAttr(
        "nvvm.cluster_dim",
        b.getDenseI32ArrayAttr({int32_t(kernel.getClusterSize()), 1, 1}));

  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  for (auto [op, argument] : llvm::zip(parameters, entry->getArguments()))
    threadContext.parameters[op] = argument;
  Value address = LLVM::AddressOfOp::create(
      b, b.loc, LLVM::LLVMPointerType::get(context, 3), sharedName);
  threadContext.shared =
      LLVM::PtrToIntOp::create(b, b.loc, b.getI32Type(), address);
  threadContext.thread =
      b.intrinsic("llvm.nvvm.read.ptx.sreg.tid.x", b.getI32Type(), {});
  threadContext.warp = b.intrinsic(
      "llvm.nvvm.shfl.sync.idx.i32", b.getI32Type(),
      {b.i32(-1), b.div(threadContext.thread, 32), b.i32(0), b.i32(31)});
  declareAccumulators(kernel, b, threadContext);
  return function;
}

} // namespace ashlar
