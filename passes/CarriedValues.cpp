#include "passes/CarriedValues.h"

namespace ashlar {

using namespace mlir;

CarriedValues::Numbers CarriedValues::changedIn(Operation *op) {
  Numbers all;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (unsigned number : changes(inner))
      if (!llvm::is_contained(all, number))
        all.push_back(number);
  });
  return all;
}

void CarriedValues::follow(Block &block, Values values) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (auto loop = dyn_cast<scf::ForOp>(op))
      follow(loop, values);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      follow(branch, values);
    else if (!changes(&op).empty())
      step(&op, values);
}

void CarriedValues::follow(scf::ForOp loop, Values values) {
  const Numbers changed = changedIn(loop);
  if (changed.empty())
    return;
  const size_t own = loop.getNumRegionIterArgs();
  auto inits = llvm::map_to_vector(changed, [&](auto i) { return values[i]; });
  IRRewriter rewriter(loop);
  auto carrying = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
        return SmallVector<Value>(carried.begin(), carried.end());
      }));
  for (auto [i, number] : llvm::enumerate(changed))
    values[number] = carrying.getRegionIterArg(own + i);
  follow(*carrying.getBody(), values);
  Operation *yield = carrying.getBody()->getTerminator();
  for (auto [i, number] : llvm::enumerate(changed)) {
    yield->setOperand(own + i, values[number]);
    values[number] = carrying.getResult(own + i);
  }
}

void CarriedValues::follow(scf::IfOp branch, Values values) {
  const Numbers changed = changedIn(branch);
  if (changed.empty())
    return;
  const size_t own = branch.getNumResults();
  SmallVector<Type> types(branch.getResultTypes());
  for (unsigned number : changed)
    types.push_back(values[number].getType());
  OpBuilder builder(branch);
  auto carrying =
      scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(),
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (auto [from, to] :
       llvm::zip(branch->getRegions(), carrying->getRegions())) {
    if (!from.empty())
      to.takeBody(from);
    Block &body = to.front();
    if (!body.mightHaveTerminator()) {
      builder.setInsertionPointToEnd(&body);
      scf::YieldOp::create(builder, branch.getLoc());
    }
    SmallVector<Value> here(values.begin(), values.end());
    follow(body, here);
    Operation *yield = body.getTerminator();
    for (unsigned number : changed)
      yield->insertOperands(yield->getNumOperands(), here[number]);
  }
  for (auto [i, number] : llvm::enumerate(changed))
    values[number] = carrying.getResult(own + i);
  branch->replaceAllUsesWith(carrying.getResults().take_front(own));
  branch->erase();
}

} // namespace ashlar
