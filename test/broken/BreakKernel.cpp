#include "test/broken/BreakKernel.h"

#include "compiler/tile/Tile.h"
#include "dsl/KernelImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "llvm/Support/Path.h"

#include <map>

namespace ashlar::broken {
namespace {

using namespace mlir;

bool isOfInterest(Operation *op) {
  return isa<tile::SyncOp, tile::ArriveOp, tile::SignalOp, tile::AwaitOp>(op);
}

FileLineColLoc placeOf(Operation *op) {
  return op->getLoc()->findInstanceOf<FileLineColLoc>();
}

std::string textOf(Operation *op) {
  FileLineColLoc place = placeOf(op);
  return (llvm::sys::path::filename(place.getFilename()) + ":" +
          llvm::Twine(place.getLine()))
      .str();
}

/// A barrier orders what stands in the bodies around it, as a counter does.
std::set<std::string> placesAbout(Operation *op) {
  std::set<std::string> places = {textOf(op)};
  for (Value operand : op->getOperands())
    if (isa_and_present<tile::BarrierOp, tile::TensorOp>(
            operand.getDefiningOp()))
      for (Operation *user : operand.getUsers())
        for (Operation &beside : *user->getBlock())
          beside.walk([&](Operation *each) { places.insert(textOf(each)); });
  return places;
}

class Breaker {
public:
  Breaker(tile::KernelOp kernel, corpus::Dice &dice)
      : kernel(kernel), dice(dice) {}

  std::optional<BrokenOperation> run() {
    choose();
    result.call = op->getName().stripDialect().str();
    result.where = textOf(op);
    result.places = placesAbout(op);
    switch (dice.weighted({30, 20, 35, 30})) {
    case 0:
      result.change = "dropped";
      op->erase();
      return result;
    case 1:
      result.change = "doubled";
      OpBuilder(op).clone(*op);
      return result;
    case 2:
      result.change = "moved";
      return move() ? std::optional(result) : std::nullopt;
    default:
      result.change = "index";
      return changeIndex() ? std::optional(result) : std::nullopt;
    }
  }

private:
  /// Each kind of operation is as likely as another.
  void choose() {
    std::map<std::string, std::vector<Operation *>> byKind;
    kernel.walk([&](Operation *each) {
      if (isOfInterest(each))
        byKind[each->getName().getStringRef().str()].push_back(each);
    });
    std::vector<std::string> kinds;
    for (const auto &[kind, ops] : byKind)
      kinds.push_back(kind);
    op = dice.of(byKind.at(dice.of(kinds)));
  }

  bool isDefinedAt(Operation *before) {
    DominanceInfo dominance(kernel);
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return dominance.properlyDominates(operand, before);
    });
  }

  /// To before another operation of the body, or of one around it or beside it.
  bool move() {
    std::vector<Operation *> places;
    auto addAll = [&](Block &block) {
      for (Operation &each : block)
        if (&each != op && &each != op->getNextNode() && isDefinedAt(&each))
          places.push_back(&each);
    };
    addAll(*op->getBlock());
    Operation *parent = op->getParentOp();
    if (!isa<tile::RoleOp>(parent))
      addAll(*parent->getBlock());
    for (Operation &beside : *op->getBlock())
      for (Region &region : beside.getRegions())
        for (Block &block : region)
          addAll(block);
    if (places.empty())
      return false;
    op->moveBefore(dice.of(places));
    return true;
  }

  /// One more or less in one of its indices, or another barrier.
  bool changeIndex() {
    std::vector<OpOperand *> indices;
    std::vector<Value> others;
    for (OpOperand &operand : op->getOpOperands()) {
      if (operand.get().getType().isIndex())
        indices.push_back(&operand);
      if (operand.get().getDefiningOp<tile::BarrierOp>())
        for (auto barrier : kernel.getBody().getOps<tile::BarrierOp>())
          if (barrier.getResult() != operand.get()) {
            indices.push_back(&operand);
            others.push_back(barrier.getResult());
          }
    }
    if (indices.empty())
      return false;
    const int64_t at =
        dice.between(0, static_cast<int64_t>(indices.size()) - 1);
    if (!others.empty()) {
      indices[at]->set(others[at]);
      return true;
    }
    OpBuilder builder(op);
    Value step = arith::ConstantIndexOp::create(builder, op->getLoc(),
                                                dice.percent(50) ? 1 : -1);
    indices[at]->set(
        arith::AddIOp::create(builder, op->getLoc(), indices[at]->get(), step));
    return true;
  }

  tile::KernelOp kernel;
  corpus::Dice &dice;
  BrokenOperation result;
  Operation *op = nullptr;
};

} // namespace

std::optional<BrokenOperation> breakOneOperation(Kernel &kernel,
                                                 corpus::Dice &dice) {
  ModuleOp module = kernel.implementation()->program();
  return Breaker(*module.getOps<tile::KernelOp>().begin(), dice).run();
}

} // namespace ashlar::broken
