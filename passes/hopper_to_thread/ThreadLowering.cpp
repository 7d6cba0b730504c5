#include "passes/hopper_to_thread/ThreadLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/Preconditions.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ashlar {

using namespace mlir;

namespace {

constexpr StringRef sharedName = "ashlar_shared";

} // namespace

ThreadLowering::ThreadLowering(hopper::KernelOp kernel, bool comments)
    : kernel(kernel), b(kernel.getContext(), comments) {}

LogicalResult ThreadLowering::run() {
  if (failed(demandLayouts(kernel)))
    return failure();
  createFunction();
  for (Operation &op : kernel.getBody().front()) {
    if (isa<hopper::SizeOp, hopper::ScalarOp, hopper::PointerOp,
            hopper::StrideOp, hopper::TensorMapOp>(op))
      continue;
    if (isa<hopper::RoleOp>(op)) {
      // All roles are lowered where the first stands, as one chain of branches.
      if (isa_and_present<hopper::RoleOp>(op.getPrevNode()))
        continue;
      if (failed(lowerRoles()))
        return failure();
      continue;
    }
    if (failed(lowerOp(op)))
      return failure();
  }
  b.loc = kernel.getLoc();
  LLVM::ReturnOp::create(b, b.loc, ValueRange());
  return success();
}

void ThreadLowering::createFunction() {
  MLIRContext *context = kernel.getContext();
  b.loc = kernel.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto global = LLVM::LLVMPointerType::get(context, 1);
  SmallVector<Type> types;
  SmallVector<Operation *> parameters;
  SmallVector<DictionaryAttr> attributes;
  for (Operation &op : kernel.getBody().front()) {
    if (!isa<hopper::SizeOp, hopper::ScalarOp, hopper::PointerOp,
             hopper::StrideOp, hopper::TensorMapOp>(op))
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
  b.setInsertionPoint(kernel);
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
  function = LLVM::LLVMFuncOp::create(
      b, b.loc, (kernel.getSymName() + ".lowered").str(), type);
  kernel.setSymName((kernel.getSymName() + ".source").str());
  StringRef name = function.getSymName();
  name.consume_back(".lowered");
  function.setSymName(name.str());
  function.setAllArgAttrs(attributes);
  int32_t threads = kernel.getThreads();
  function->setAttr("nvvm.kernel", b.getUnitAttr());
  function->setAttr("nvvm.reqntid", b.getDenseI32ArrayAttr({threads, 1, 1}));
  function->setAttr("nvvm.minctasm", b.getI32IntegerAttr(1));
  if (kernel.getClusterSize() > 1)
    function->setAttr(
        "nvvm.cluster_dim",
        b.getDenseI32ArrayAttr({int32_t(kernel.getClusterSize()), 1, 1}));

  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  for (auto [op, argument] : llvm::zip(parameters, entry->getArguments()))
    values.set(op->getResult(0), {argument});
  Value address = LLVM::AddressOfOp::create(
      b, b.loc, LLVM::LLVMPointerType::get(context, 3), sharedName);
  shared = LLVM::PtrToIntOp::create(b, b.loc, b.getI32Type(), address);
  thread = b.intrinsic("llvm.nvvm.read.ptx.sreg.tid.x", b.getI32Type(), {});
  warpNumber = b.intrinsic("llvm.nvvm.shfl.sync.idx.i32", b.getI32Type(),
                           {b.i32(-1), b.div(thread, 32), b.i32(0), b.i32(31)});
  declareAccumulators();
}

Value ThreadLowering::sharedBase() { return shared; }
Value ThreadLowering::threadId() { return thread; }
Value ThreadLowering::warp() { return warpNumber; }

Value ThreadLowering::instance() {
  return b.div(b.sub(warpNumber, b.i32(role.getFirstWarp())), role.getWarps());
}

Value ThreadLowering::warpOfRole() {
  Value number = b.sub(warpNumber, b.i32(role.getFirstWarp()));
  return role.getInstances() > 1 ? b.rem(number, role.getWarps()) : number;
}

Value ThreadLowering::threadOfRole() {
  Value number = b.sub(thread, b.i32(32 * role.getFirstWarp()));
  return role.getInstances() > 1 ? b.rem(number, 32 * role.getWarps()) : number;
}

Value ThreadLowering::laneOfWarp() { return b.rem(thread, 32); }

Value ThreadLowering::warpgroupOfRole() { return b.div(warpOfRole(), 4); }

Value ThreadLowering::elect() {
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                               {b.getI32Type(), b.getI1Type()});
  Value both = b.intrinsic("llvm.nvvm.elect.sync", type, {b.i32(-1)});
  return LLVM::ExtractValueOp::create(b, b.loc, both, 1);
}

LogicalResult ThreadLowering::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && !covered.contains(&op) &&
        failed(lowerOp(op)))
      return failure();
  return success();
}

LogicalResult ThreadLowering::lowerOp(Operation &op) {
  b.loc = op.getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<scf::ForOp>([&](auto loop) { return lowerFor(loop); })
      .Case<scf::IfOp>([&](auto branch) { return lowerIf(branch); })
      .Case<hopper::OnceOp>([&](auto once) {
        Value first =
            role ? Value(arith::CmpIOp::create(b, b.loc,
                                               arith::CmpIPredicate::eq,
                                               warpOfRole(), b.i32(0)))
                 : Value(arith::CmpIOp::create(b, b.loc,
                                               arith::CmpIPredicate::eq,
                                               threadId(), b.i32(0)));
        if (!role)
          return lowerGuarded(once.getBody(), first);
        if (role.getWarps() == 1)
          return lowerGuarded(once.getBody(), elect());
        OpBuilder::InsertionGuard guard(b);
        auto inFirst = scf::IfOp::create(b, b.loc, first);
        b.setInsertionPointToStart(inFirst.thenBlock());
        return lowerGuarded(once.getBody(), elect());
      })
      .Case<hopper::OncePerWarpOp>(
          [&](auto once) { return lowerOncePerWarp(once.getBody()); })
      .Case<hopper::AccumulatorOp>([&](auto) { return success(); })
      .Case<hopper::SpecialRegisterOp>([&](auto special) {
        StringRef name = special.getName();
        if (name == "instance" || name == "warp") {
          values.set(special.getResult(),
                     {name == "warp" ? warpOfRole() : instance()});
          return success();
        }
        std::string intrinsic =
            "llvm.nvvm.read.ptx.sreg." +
            (name == "cluster_ctarank" ? "cluster.ctarank" : name).str();
        values.set(special.getResult(),
                   {b.intrinsic(intrinsic, b.getI32Type(), {})});
        return success();
      })
      .Case<hopper::SharedAddressOp>([&](auto address) {
        values.set(address.getResult(),
                   {b.add(sharedBase(), address.getOffset())});
        return success();
      })
      .Case<hopper::ViewOp>([&](auto view) {
        values.set(view.getResult(), {lookup(view.getAddress())});
        return success();
      })
      .Case<hopper::SyncOp, hopper::ClusterArriveOp, hopper::NamedBarrierOp,
            hopper::FenceProxyAsyncOp, hopper::WarpSyncOp, hopper::GridWaitOp,
            hopper::GridReleaseOp, hopper::MbarrierInitOp,
            hopper::MbarrierFenceOp, hopper::MbarrierWaitOp,
            hopper::MbarrierTestOp, hopper::MbarrierArriveOp,
            hopper::MbarrierArriveAsyncOp, hopper::MbarrierExpectOp>(
          [&](auto) { return lowerBarrier(op); })
      .Case<hopper::TensorMapPrefetchOp, hopper::TmaPrefetchOp,
            hopper::TmaLoadOp, hopper::TmaStoreOp, hopper::CopyTileOp,
            hopper::CopyTileOutOp, hopper::BulkCommitOp, hopper::BulkWaitOp>(
          [&](auto) { return lowerCopy(op); })
      .Case<hopper::SharedLoadOp, hopper::SharedStoreOp, hopper::LoadOp,
            hopper::StoreOp>([&](auto) { return lowerMemory(op); })
      .Case<hopper::WgmmaOp, hopper::ReleaseOp, hopper::ReduceIntoOp,
            hopper::ExchangeSendOp, hopper::ExchangeReceiveOp>(
          [&](auto other) { return lower(other); })
      .Case<hopper::WgmmaWaitOp, hopper::AccumulatorReadOp,
            hopper::AccumulatorWriteOp, hopper::SliceOp, hopper::SplatOp,
            hopper::BroadcastOp, hopper::InsideOp, hopper::SignalOp,
            hopper::AwaitOp, hopper::ReciprocalOp>([&](auto other) {
        lower(other);
        return success();
      })
      .Case<hopper::UndefinedOp>([&](auto undefined) {
        values.set(
            undefined.getResult(),
            llvm::map_to_vector(convert(undefined.getType()), [&](Type type) {
              return Value(LLVM::UndefOp::create(b, b.loc, type));
            }));
        return success();
      })
      .Case<hopper::WgmmaCommitOp>([&](auto) {
        b.ptx("wgmma.commit_group.sync.aligned;");
        return success();
      })
      .Case<arith::ConstantOp>([&](auto) { return lowerConstant(op); })
      .Default([&](Operation *other) { return lowerElementwise(*other); });
}

SmallVector<Value> ThreadLowering::lookup(ValueRange range) {
  return llvm::map_to_vector(range, [&](Value v) { return lookup(v); });
}

} // namespace ashlar
