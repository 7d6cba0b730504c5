#include "passes/hopper_to_thread/ThreadBuilder.h"

#include "compiler/target/Target.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ashlar {

using namespace mlir;

Value ThreadBuilder::instance() {
  return div(sub(context.warp, i32(role.getFirstWarp())), role.getWarps());
}

void ThreadBuilder::namedBarrier(StringRef how, int64_t id, int64_t threads,
                                 bool isPerInstance) {
  const std::string count = ", " + std::to_string(threads) + ";";
  if (isPerInstance)
    ptx(how.str() + " $0" + count, add(instance(), id));
  else
    ptx(how.str() + " " + std::to_string(id) + count);
}

Value ThreadBuilder::warpOfRole() {
  Value number = sub(context.warp, i32(role.getFirstWarp()));
  return role.getInstances() > 1 ? rem(number, role.getWarps()) : number;
}

Value ThreadBuilder::threadOfRole() {
  Value number =
      sub(context.thread, i32(target::warpThreads * role.getFirstWarp()));
  return role.getInstances() > 1
             ? rem(number, target::warpThreads * role.getWarps())
             : number;
}

Value ThreadBuilder::laneOfWarp() {
  return rem(context.thread, target::warpThreads);
}

Value ThreadBuilder::warpgroupOfRole() {
  return div(warpOfRole(), target::warpgroupWarps);
}

Value ThreadBuilder::elect() {
  auto type = LLVM::LLVMStructType::getLiteral(getContext(),
                                               {getI32Type(), getI1Type()});
  Value both = intrinsic("llvm.nvvm.elect.sync", type, {i32(-1)});
  return LLVM::ExtractValueOp::create(*this, loc, both, 1);
}

void ThreadBuilder::runIf(Value condition, Region &region) {
  auto branch = scf::IfOp::create(*this, loc, condition);
  rewriter.inlineBlockBefore(&region.front(),
                             branch.thenBlock()->getTerminator());
}

} // namespace ashlar
