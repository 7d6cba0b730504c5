#include "compiler/driver/Contract.h"
#include "compiler/tile/Plan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ashlar::compiler {

using namespace mlir;

SourceLine sourceLine(Location location) {
  if (auto at = location->findInstanceOf<FileLineColLoc>())
    return {at.getFilename().str(), at.getLine(), at.getColumn()};
  return {};
}

namespace {

template <typename Range>
int indexOf(const Range &range, llvm::StringRef name) {
  for (auto [i, item] : llvm::enumerate(range))
    if (item.name == name)
      return i;
  return -1;
}

Extent extent(Value value, const Artifact &artifact) {
  if (auto size = value.getDefiningOp<tile::SizeOp>()) {
    auto it = llvm::find(artifact.sizes, size.getName());
    return {static_cast<int>(it - artifact.sizes.begin()), 0};
  }
  llvm::APInt constant;
  matchPattern(value, m_ConstantInt(&constant));
  return {-1, constant.getSExtValue()};
}

Term::Kind operation(Operation *op) {
  return llvm::TypeSwitch<Operation *, Term::Kind>(op)
      .Case([](arith::AddIOp) { return Term::Kind::add; })
      .Case([](arith::SubIOp) { return Term::Kind::subtract; })
      .Case([](arith::MulIOp) { return Term::Kind::multiply; })
      .Case([](arith::DivSIOp) { return Term::Kind::divide; })
      .Case([](arith::RemSIOp) { return Term::Kind::remainder; })
      .Case([](arith::CeilDivSIOp) { return Term::Kind::ceilDivide; })
      .Case([](arith::MinSIOp) { return Term::Kind::minimum; })
      .Case([](arith::MaxSIOp) { return Term::Kind::maximum; });
}

/// Appends what computes an index that is known at launch.
void addIndex(Value index, const Artifact &artifact, std::vector<Term> &terms) {
  Operation *op = index.getDefiningOp();
  if (op->getNumOperands() == 0) {
    const Extent leaf = extent(index, artifact);
    terms.push_back(leaf.size < 0 ? Term{Term::Kind::constant, leaf.constant}
                                  : Term{Term::Kind::size, leaf.size});
    return;
  }
  for (Value operand : op->getOperands())
    addIndex(operand, artifact, terms);
  if (op->getNumOperands() == 2)
    terms.push_back({operation(op)});
}

/// Appends what computes a number that is at most 0 where a condition holds
/// that is known at launch, and more than 0 where it does not.
void addViolation(Value condition, const Artifact &artifact,
                  std::vector<Term> &terms) {
  using enum Term::Kind;
  Operation *op = condition.getDefiningOp();
  auto number = [&](int64_t value) { terms.push_back({constant, value}); };
  auto difference = [&](Value a, Value b) {
    addIndex(a, artifact, terms);
    addIndex(b, artifact, terms);
    terms.push_back({subtract});
  };
  if (op->getNumOperands() == 0)
    return number(matchPattern(condition, m_Zero()) ? 1 : 0);
  Value a = op->getOperand(0), b = op->getOperand(1);
  auto compared = dyn_cast<arith::CmpIOp>(op);
  if (!compared) {
    const bool isNegation = isa<arith::XOrIOp>(op);
    if (isNegation)
      number(1);
    addViolation(a, artifact, terms);
    if (!isNegation)
      addViolation(b, artifact, terms);
    return terms.push_back({isNegation               ? subtract
                            : isa<arith::AndIOp>(op) ? maximum
                                                     : minimum});
  }
  using Predicate = arith::CmpIPredicate;
  const Predicate predicate = compared.getPredicate();
  if (predicate == Predicate::sgt || predicate == Predicate::sge)
    std::swap(a, b);
  if (predicate == Predicate::ne)
    number(1);
  difference(a, b);
  if (predicate == Predicate::eq || predicate == Predicate::ne) {
    difference(b, a);
    terms.push_back({maximum});
  }
  if (predicate == Predicate::ne)
    terms.push_back({subtract});
  if (predicate == Predicate::slt || predicate == Predicate::sgt) {
    number(1);
    terms.push_back({add});
  }
}

} // namespace

void readContract(tile::KernelOp kernel, Artifact &artifact) {
  artifact.name = kernel.getSymName().str();
  artifact.target = "sm_90a";
  artifact.where = sourceLine(kernel.getLoc());
  artifact.threads = kernel.getPlan()->getThreads();
  artifact.sharedBytes = kernel.getPlan()->getSharedBytes();
  for (auto size : kernel.getBody().getOps<tile::SizeOp>())
    artifact.sizes.push_back(size.getName().str());
  for (auto tensor : kernel.getBody().getOps<tile::TensorOp>()) {
    TensorContract contract;
    contract.name = tensor.getName().str();
    contract.type =
        *tile::elementType(tensor.getResult().getType().getElementType());
    for (Value value : tensor.getExtents())
      contract.extents.push_back(extent(value, artifact));
    contract.read = tensor.getAccess() != tile::Access::output;
    contract.written = tensor.getAccess() != tile::Access::input;
    contract.reread = tensor.getReread();
    contract.alignmentBytes = tensor.getAlignment();
    contract.where = sourceLine(tensor.getLoc());
    artifact.tensors.push_back(std::move(contract));
  }
  for (auto scalar : kernel.getBody().getOps<tile::ScalarOp>())
    artifact.scalars.push_back(
        {scalar.getName().str(),
         *tile::elementType(scalar.getResult().getType()),
         sourceLine(scalar.getLoc())});
  if (auto cluster = kernel.getCluster())
    artifact.grid.cluster.assign(cluster->begin(), cluster->end());
  artifact.grid.ctasPerSm = kernel.getCtasPerSm();
  kernel.walk([&](tile::ScheduleOp schedule) {
    TileSpace space{{}, schedule.getTile().vec(), schedule.getPersistent()};
    // Those of a loop in a role only the device knows.
    if (schedule->getParentOp() == kernel)
      for (Value value : schedule.getExtents())
        space.extents.push_back(extent(value, artifact));
    if (!llvm::is_contained(artifact.grid.spaces, space))
      artifact.grid.spaces.push_back(std::move(space));
  });
  auto keep = [&](Bound bound) {
    if (!llvm::is_contained(artifact.bounds, bound))
      artifact.bounds.push_back(std::move(bound));
  };
  // What the author says of a launch tells more than what an index reaches.
  for (auto op : kernel.getBody().getOps<tile::ExpectOp>()) {
    Bound bound = {{}, 0, sourceLine(op.getLoc()), op.getSentence().str()};
    addViolation(op.getCondition(), artifact, bound.index);
    keep(std::move(bound));
  }
  kernel.walk([&](tile::AtMostOp op) {
    Bound bound = {
        {}, static_cast<int64_t>(op.getMost()), sourceLine(op.getLoc())};
    addIndex(op.getIndex(), artifact, bound.index);
    keep(std::move(bound));
  });
  for (auto role : kernel.getBody().getOps<tile::RoleOp>())
    artifact.roles.push_back(
        {role.getName().str(),
         static_cast<int>(tile::planOf(role).getFirstWarp()),
         static_cast<int>(role.getWarps() * role.getInstances()),
         static_cast<int>(role.getRegisters())});
  for (auto pipeline : kernel.getBody().getOps<tile::PipelineOp>())
    artifact.pipelines.push_back(
        {static_cast<int>(pipeline.getResult().getType().getStages()),
         tile::planOf(pipeline).getStageBytes(),
         sourceLine(pipeline.getLoc())});
}

void readParameters(hopper::KernelOp kernel, Artifact &artifact) {
  artifact.programmaticLaunch = kernel->hasAttr("programmatic_launch");
  for (Operation &op : kernel.getBody().front()) {
    Parameter parameter;
    if (auto size = dyn_cast<hopper::SizeOp>(op)) {
      parameter.kind = Parameter::Kind::size;
      auto it = llvm::find(artifact.sizes, size.getName());
      parameter.index = it - artifact.sizes.begin();
    } else if (auto scalar = dyn_cast<hopper::ScalarOp>(op)) {
      parameter.kind = Parameter::Kind::scalar;
      parameter.index = indexOf(artifact.scalars, scalar.getName());
    } else if (auto pointer = dyn_cast<hopper::PointerOp>(op)) {
      parameter.kind = Parameter::Kind::pointer;
      parameter.index = indexOf(artifact.tensors, pointer.getTensor());
    } else if (auto stride = dyn_cast<hopper::StrideOp>(op)) {
      parameter.kind = Parameter::Kind::stride;
      parameter.index = indexOf(artifact.tensors, stride.getTensor());
      parameter.dimension = stride.getDimension();
    } else if (auto map = dyn_cast<hopper::TensorMapOp>(op)) {
      parameter.kind = Parameter::Kind::tensorMap;
      parameter.index = indexOf(artifact.tensors, map.getTensor());
      parameter.tensorMap = {
          parameter.index,
          {map.getBox().begin(), map.getBox().end()},
          static_cast<int>(map.getSwizzle()),
          map.getStep().value_or(llvm::ArrayRef<int64_t>()).vec()};
    } else {
      continue;
    }
    artifact.parameters.push_back(std::move(parameter));
  }
}

} // namespace ashlar::compiler
