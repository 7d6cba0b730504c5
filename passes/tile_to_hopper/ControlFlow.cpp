// Loops and branches carry where each pipeline is that moves in them.

#include "passes/tile_to_hopper/KernelLowering.h"

namespace ashlar {

using namespace mlir;

LogicalResult KernelLowering::lowerFor(scf::ForOp loop) {
  bool inTurn = sharesTiles(loop);
  if (inTurn && failed(skipTiles(loop, /*beforeFirst=*/true)))
    return failure();
  auto moved = cursorsMovedIn(loop);
  SmallVector<Value> inits = lookup(loop.getInitArgs());
  for (auto [pipeline, filling] : moved) {
    Cursor at = cursor(pipeline, filling);
    inits.append({at.stage, at.parity});
  }
  auto lowered = scf::ForOp::create(
      builder, loop.getLoc(), lookup(loop.getLowerBound()),
      lookup(loop.getUpperBound()), lookup(loop.getStep()), inits);
  Block *body = lowered.getBody();
  if (!inits.empty() || !body->empty())
    if (body->mightHaveTerminator())
      body->getTerminator()->erase();

  size_t carried = loop.getInitArgs().size();
  auto setCursors = [&](ValueRange values) {
    for (auto [i, key] : llvm::enumerate(moved))
      cursor(key.first, key.second) = {values[carried + 2 * i],
                                       values[carried + 2 * i + 1]};
  };
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(body);
    map.map(loop.getInductionVar(), lowered.getInductionVar());
    for (auto [from, to] :
         llvm::zip(loop.getRegionIterArgs(), lowered.getRegionIterArgs()))
      map.map(from, to);
    setCursors(lowered.getRegionIterArgs());
    if (failed(inTurn ? lowerInTurn(loop) : lowerBlock(*loop.getBody())))
      return failure();
    SmallVector<Value> yields = lookup(loop.getYieldedValues());
    for (auto [pipeline, filling] : moved) {
      Cursor at = cursor(pipeline, filling);
      yields.append({at.stage, at.parity});
    }
    scf::YieldOp::create(builder, loop.getLoc(), yields);
  }
  for (auto [from, to] : llvm::zip(loop.getResults(), lowered.getResults()))
    map.map(from, to);
  setCursors(lowered.getResults());
  return success();
}

LogicalResult KernelLowering::lowerIf(scf::IfOp branch) {
  auto moved = cursorsMovedIn(branch);
  SmallVector<Type> types(branch.getResultTypes());
  types.append(2 * moved.size(), builder.getIndexType());
  SmallVector<Cursor> before;
  for (auto [pipeline, filling] : moved)
    before.push_back(cursor(pipeline, filling));

  auto lowered = scf::IfOp::create(
      builder, branch.getLoc(), types, lookup(branch.getCondition()),
      /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (bool then : {true, false}) {
    OpBuilder::InsertionGuard guard(builder);
    Block *to = then ? lowered.thenBlock() : lowered.elseBlock();
    if (to->mightHaveTerminator())
      to->getTerminator()->erase();
    builder.setInsertionPointToEnd(to);
    for (auto [key, at] : llvm::zip(moved, before))
      cursor(key.first, key.second) = at;
    Block *from = then ? branch.thenBlock() : branch.elseBlock();
    SmallVector<Value> yields;
    if (from) {
      if (failed(lowerBlock(*from)))
        return failure();
      yields = lookup(from->getTerminator()->getOperands());
    }
    for (auto [pipeline, filling] : moved) {
      Cursor at = cursor(pipeline, filling);
      yields.append({at.stage, at.parity});
    }
    scf::YieldOp::create(builder, branch.getLoc(), yields);
  }
  size_t own = branch.getNumResults();
  for (auto [from, to] : llvm::zip(branch.getResults(), lowered.getResults()))
    map.map(from, to);
  for (auto [i, key] : llvm::enumerate(moved))
    cursor(key.first, key.second) = {lowered.getResult(own + 2 * i),
                                     lowered.getResult(own + 2 * i + 1)};
  return success();
}

} // namespace ashlar
