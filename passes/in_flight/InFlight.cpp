#include "passes/in_flight/InFlight.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/SharedBuffer.h"

namespace ashlar {

using namespace mlir;

namespace {

/// More groups are not counted: the wait is then for more than it need be.
constexpr int64_t mostCounted = 8;

} // namespace

bool Resource::mayBe(const Resource &other) const {
  if (isBuffer() && other.isBuffer())
    return buffer == other.buffer || buffer == anyBuffer ||
           other.buffer == anyBuffer;
  return value == other.value;
}

Resource resourceOf(Value view) {
  if (isa<hopper::AccumulatorType>(view.getType()))
    return {view};
  auto op = view.getDefiningOp<hopper::ViewOp>();
  if (op && op.getStage())
    return {op.getStage()};
  return {{}, bufferOf(view).value_or(Resource::anyBuffer)};
}

//===-- State -------------------------------------------------------------===//

const Pending *InFlightState::find(const Resource &resource) const {
  for (const Pending &entry : all)
    if (entry.resource == resource)
      return &entry;
  return nullptr;
}

void InFlightState::insert(const Pending &entry) {
  for (Pending &known : all)
    if (known.resource == entry.resource) {
      known = entry;
      return;
    }
  all.push_back(entry);
}

void InFlightState::issue(hopper::WgmmaOp wgmma) {
  SmallVector<Resource> resources{Resource{wgmma.getAccumulator()},
                                  resourceOf(wgmma.getA()),
                                  resourceOf(wgmma.getB())};
  if (wgmma.getMetadata())
    resources.push_back({wgmma.getMetadata()});
  for (const Resource &resource : resources)
    insert({resource, Pending::open, {wgmma}});
}

void InFlightState::commit() {
  for (Pending &entry : all)
    entry.younger = std::min(entry.younger + 1, mostCounted);
}

void InFlightState::wait(int64_t pending) {
  llvm::erase_if(all, [&](const Pending &entry) {
    return entry.younger >= pending && entry.younger != Pending::open;
  });
}

void InFlightState::leave(Region &region) {
  llvm::erase_if(all, [&](const Pending &entry) {
    Value value = entry.resource.value;
    return value && !entry.resource.isAccumulator() &&
           region.isAncestor(value.getParentRegion());
  });
}

bool InFlightState::join(const InFlightState &other) {
  bool changed = false;
  for (const Pending &entry : other.all) {
    Pending *known = const_cast<Pending *>(find(entry.resource));
    if (!known) {
      all.push_back(entry);
      changed = true;
      continue;
    }
    Pending met = *known;
    met.younger = std::min(met.younger, entry.younger);
    for (Operation *issuer : entry.issuers)
      if (!llvm::is_contained(met.issuers, issuer))
        met.issuers.push_back(issuer);
    changed |= !(met == *known);
    *known = met;
  }
  return changed;
}

//===-- What operations need ----------------------------------------------===//

/// Whether the role writes to a stage that it reads.
static bool isRewritten(Value stage) {
  return llvm::any_of(stage.getUsers(), [](Operation *view) {
    return isa<hopper::ViewOp>(view) &&
           llvm::any_of(view->getUsers(), llvm::IsaPred<hopper::SharedStoreOp>);
  });
}

/// Whether threads of other CTAs learn that the role has come here.
static bool arrivesAtCluster(Operation *op) {
  auto once = dyn_cast<hopper::OncePerWarpOp>(op);
  return once &&
         llvm::any_of(once.getBody().front().getOps<hopper::MbarrierArriveOp>(),
                      [](hopper::MbarrierArriveOp arrive) {
                        return arrive.getCluster();
                      });
}

SmallVector<Pending> Need::of(Operation *op, const InFlightState &state) const {
  SmallVector<Pending> needed;
  auto need = [&](llvm::function_ref<bool(const Resource &)> isNeeded) {
    for (const Pending &entry : state.pending())
      if (isNeeded(entry.resource))
        needed.push_back(entry);
  };
  auto needAll = [&](const Resource &of) {
    need([&](const Resource &resource) { return resource.mayBe(of); });
  };
  if (auto read = dyn_cast<hopper::AccumulatorReadOp>(op))
    needAll({read.getAccumulator()});
  else if (auto write = dyn_cast<hopper::AccumulatorWriteOp>(op))
    needAll({write.getAccumulator()});
  else if (auto release = dyn_cast<hopper::ReleaseOp>(op); release && releases)
    needAll({release.getStage()});
  else if (auto store = dyn_cast<hopper::SharedStoreOp>(op))
    needAll(resourceOf(store.getTarget()));
  else if (auto scatter = dyn_cast<hopper::ScatterOp>(op);
           scatter && isa<tile::SharedType>(scatter.getTarget().getType()))
    needAll(resourceOf(scatter.getTarget()));
  else if (auto copy = dyn_cast<hopper::CopyTileOp>(op))
    needAll(resourceOf(copy.getTarget()));
  // Behind a barrier other threads, or CTAs, may write what is in no ring, and
  // a stage that the role itself writes to.
  else if (isa<hopper::NamedBarrierOp, hopper::SyncOp>(op) ||
           arrivesAtCluster(op))
    need([](const Resource &resource) {
      return resource.isBuffer() ||
             (!resource.isAccumulator() && isRewritten(resource.value));
    });
  return needed;
}

namespace {

/// Whether ptxas sees that a wait at `op` which leaves groups in flight is
/// behind the one that it waits for: all of a branch's arm were issued in it,
/// and of a loop's body one was, which goes round it.
bool isSeenAt(Operation *op, const Pending &entry) {
  auto isInside = [&](Operation *issuer) {
    return op->getBlock()->findAncestorOpInBlock(*issuer) != nullptr;
  };
  return isa<scf::ForOp>(op->getParentOp())
             ? llvm::any_of(entry.issuers, isInside)
             : llvm::all_of(entry.issuers, isInside);
}

} // namespace

bool beginsLoop(hopper::AccumulatorWriteOp write) {
  for (Operation *op = write->getNextNode(); op; op = op->getNextNode())
    if (op->walk([](hopper::WgmmaOp) {
            return WalkResult::interrupt();
          }).wasInterrupted())
      return isa<scf::ForOp>(op);
  return false;
}

std::optional<int64_t> groupsLeft(Operation *op, const InFlightState &state,
                                  Need need) {
  std::optional<int64_t> left;
  if (auto write = dyn_cast<hopper::AccumulatorWriteOp>(op);
      write && !state.pending().empty() && beginsLoop(write))
    return 0;
  for (const Pending &entry : need.of(op, state)) {
    int64_t younger = std::max<int64_t>(entry.younger, 0);
    if (entry.resource.isAccumulator() && !isSeenAt(op, entry))
      younger = 0;
    left = std::min(left.value_or(younger), younger);
  }
  return left;
}

//===-- The analysis ------------------------------------------------------===//

ChangeResult InFlightLattice::join(const AbstractDenseLattice &other) {
  return state.join(static_cast<const InFlightLattice &>(other).state)
             ? ChangeResult::Change
             : ChangeResult::NoChange;
}

void InFlightLattice::print(llvm::raw_ostream &out) const {
  for (const Pending &entry : state.pending())
    out << (entry.resource.isAccumulator() ? "accumulator" : "memory") << ": "
        << entry.younger << " younger; ";
}

namespace {

class Analysis
    : public dataflow::DenseForwardDataFlowAnalysis<InFlightLattice> {
public:
  Analysis(DataFlowSolver &solver, InFlight::Plan plan)
      : DenseForwardDataFlowAnalysis(solver), plan(plan) {}

  LogicalResult visitOperation(Operation *op, const InFlightLattice &before,
                               InFlightLattice *after) override {
    InFlightState state = before.state;
    if (plan.waits)
      if (auto left = groupsLeft(op, state, {plan.releases}))
        state.wait(*left);
    if (auto wgmma = dyn_cast<hopper::WgmmaOp>(op))
      state.issue(wgmma);
    else if (isa<hopper::WgmmaCommitOp>(op))
      state.commit();
    else if (auto wait = dyn_cast<hopper::WgmmaWaitOp>(op))
      state.wait(wait.getPending());
    propagate(after, state);
    return success();
  }

  void visitRegionBranchControlFlowTransfer(RegionBranchOpInterface branch,
                                            std::optional<unsigned> regionFrom,
                                            std::optional<unsigned> regionTo,
                                            const InFlightLattice &before,
                                            InFlightLattice *after) override {
    InFlightState state = before.state;
    auto loop = dyn_cast<scf::ForOp>(*branch);
    ValueRange from, to = branch->getResults();
    if (regionFrom)
      from =
          branch->getRegion(*regionFrom).front().getTerminator()->getOperands();
    else if (loop)
      from = loop.getInitArgs();
    if (loop && regionTo)
      to = loop.getRegionIterArgs();
    if (regionFrom)
      state.leave(branch->getRegion(*regionFrom));
    for (auto [value, name] : llvm::zip(from, to))
      if (const Pending *stage = before.state.find({value}))
        state.insert({{name}, stage->younger, stage->issuers});
    propagate(after, state);
  }

  void setToEntryState(InFlightLattice *) override {}

private:
  void propagate(InFlightLattice *lattice, const InFlightState &state) {
    propagateIfChanged(lattice, lattice->state.join(state)
                                    ? ChangeResult::Change
                                    : ChangeResult::NoChange);
  }

  InFlight::Plan plan;
};

/// What the analysis of dead code asks of conditions and bounds: constants are
/// folded by now, so nothing is propagated.
class WrittenConstants : public DataFlowAnalysis {
public:
  using DataFlowAnalysis::DataFlowAnalysis;

  LogicalResult initialize(Operation *top) override {
    top->walk([&](Operation *op) {
      if (!isa<RegionBranchOpInterface>(op) &&
          !op->hasTrait<OpTrait::IsTerminator>())
        return;
      for (Value operand : op->getOperands()) {
        Attribute constant;
        matchPattern(operand, m_Constant(&constant));
        auto *lattice =
            getOrCreate<dataflow::Lattice<dataflow::ConstantValue>>(operand);
        propagateIfChanged(lattice, lattice->join(dataflow::ConstantValue(
                                        constant, op->getDialect())));
      }
    });
    return success();
  }
  LogicalResult visit(ProgramPoint *) override { return success(); }
};

} // namespace

static std::unique_ptr<DataFlowSolver> solve(Operation *role,
                                             InFlight::Plan plan) {
  if (!role->walk([](hopper::WgmmaOp) { return WalkResult::interrupt(); })
           .wasInterrupted())
    return nullptr;
  auto solver = std::make_unique<DataFlowSolver>();
  solver->load<WrittenConstants>();
  solver->load<dataflow::DeadCodeAnalysis>();
  solver->load<Analysis>(plan);
  // It fails only where an analysis does not know an operation.
  (void)solver->initializeAndRun(role);
  return solver;
}

template <typename Point>
const InFlightState &InFlight::at(Operation *role, Point point) const {
  static const InFlightState nothing;
  if (!role)
    return nothing;
  auto [known, isNew] = solvers.try_emplace(role);
  if (isNew)
    known->second = solve(role, plan);
  if (!known->second)
    return nothing;
  auto *lattice =
      known->second->lookupState<InFlightLattice>(point(*known->second));
  return lattice ? lattice->state : nothing;
}

const InFlightState &InFlight::before(Operation *op) const {
  return at(op->getParentOfType<hopper::RoleOp>(), [&](DataFlowSolver &solver) {
    return solver.getProgramPointBefore(op);
  });
}

const InFlightState &InFlight::atEnd(Block &block) const {
  Operation *around = block.getParentOp();
  Operation *role = isa<hopper::RoleOp>(around)
                        ? around
                        : around->getParentOfType<hopper::RoleOp>();
  return at(role, [&](DataFlowSolver &solver) {
    return solver.getProgramPointAfter(&block);
  });
}

std::optional<int64_t> InFlight::groupsLeft(Operation *op) const {
  return ashlar::groupsLeft(op, before(op), {plan.releases});
}

} // namespace ashlar
