#include "passes/in_flight/InFlight.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/SharedBuffer.h"

#include "llvm/ADT/SetVector.h"

#include <deque>
#include <vector>

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
  else if (auto rescale = dyn_cast<hopper::AccumulatorRescaleOp>(op))
    needAll({rescale.getAccumulator()});
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
  else if (isa<hopper::NamedBarrierOp, hopper::SyncOp, hopper::TakeOp>(op) ||
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

/// Follows the ways through a role, those of loops until nothing more comes to
/// be in flight at their begin.
class InFlight::Flow {
public:
  Flow(hopper::RoleOp role, Plan plan) : plan(plan) {
    InFlightState nothing;
    if (role->walk([](hopper::WgmmaOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      end = follow(role.getBody().front(), nothing);
  }

  const InFlightState &before(Operation *op) const {
    return states[places.lookup(op)];
  }
  const InFlightState &atEnd() const { return states[end]; }

private:
  /// Where the state at the end is remembered.
  size_t follow(Block &block, InFlightState &state) {
    size_t place = remember(state);
    for (Operation &op : block) {
      places[&op] = place;
      if (step(&op, state))
        place = remember(state);
    }
    return place;
  }

  size_t remember(const InFlightState &state) {
    states.push_back(state);
    return states.size() - 1;
  }

  /// Whether anything has changed behind an operation.
  bool step(Operation *op, InFlightState &state) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
      state = behind(branch, state);
      return true;
    }
    // What is in others is of single threads, or of what has no wgmma.
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        InFlightState nothing;
        follow(block, nothing);
      }
    std::optional<int64_t> left;
    if (plan.waits)
      left = ashlar::groupsLeft(op, state, {plan.releases});
    if (left)
      state.wait(*left);
    if (auto wgmma = dyn_cast<hopper::WgmmaOp>(op))
      state.issue(wgmma);
    else if (isa<hopper::WgmmaCommitOp>(op))
      state.commit();
    else if (auto wait = dyn_cast<hopper::WgmmaWaitOp>(op))
      state.wait(wait.getPending());
    else
      return left.has_value();
    return true;
  }

  InFlightState behind(RegionBranchOpInterface branch,
                       const InFlightState &before) {
    InFlightState result;
    std::vector<std::optional<InFlightState>> begins(branch->getNumRegions());
    llvm::SmallSetVector<Region *, 2> waiting;
    auto go = [&](Region *from, const InFlightState &state,
                  ArrayRef<RegionSuccessor> successors) {
      for (const RegionSuccessor &to : successors) {
        const InFlightState there = renamed(branch, from, to, state);
        if (to.isParent()) {
          result.join(there);
          continue;
        }
        Region *region = to.getSuccessor();
        auto &begin = begins[region->getRegionNumber()];
        const bool isNew = !begin;
        if (isNew)
          begin.emplace();
        if (begin->join(there) || isNew)
          waiting.insert(region);
      }
    };
    SmallVector<RegionSuccessor> successors;
    branch.getEntrySuccessorRegions(constantsOf(branch), successors);
    go(nullptr, before, successors);
    while (!waiting.empty()) {
      Region *region = waiting.pop_back_val();
      InFlightState state = *begins[region->getRegionNumber()];
      Block &block = region->front();
      follow(block, state);
      successors.clear();
      cast<RegionBranchTerminatorOpInterface>(block.getTerminator())
          .getSuccessorRegions(constantsOf(block.getTerminator()), successors);
      go(region, state, successors);
    }
    return result;
  }

  /// Of a branch's operands, or null: what the branch is told to choose by.
  static SmallVector<Attribute> constantsOf(Operation *op) {
    SmallVector<Attribute> constants;
    for (Value operand : op->getOperands())
      matchPattern(operand, m_Constant(&constants.emplace_back()));
    return constants;
  }

  /// Stages by the names that they have where the way goes on.
  static InFlightState renamed(RegionBranchOpInterface branch, Region *from,
                               const RegionSuccessor &to,
                               const InFlightState &before) {
    InFlightState state = before;
    auto loop = dyn_cast<scf::ForOp>(*branch);
    ValueRange values, names = branch->getResults();
    if (from)
      values = from->front().getTerminator()->getOperands();
    else if (loop)
      values = loop.getInitArgs();
    if (loop && !to.isParent())
      names = loop.getRegionIterArgs();
    if (from)
      state.leave(*from);
    for (auto [value, name] : llvm::zip(values, names))
      if (const Pending *stage = before.find({value}))
        state.insert({{name}, stage->younger, stage->issuers});
    return state;
  }

  Plan plan;
  /// The first is of what is not in a role that multiplies.
  std::deque<InFlightState> states{1};
  DenseMap<Operation *, size_t> places;
  size_t end = 0;
};

InFlight::InFlight(Plan plan) : plan(plan) {}
InFlight::~InFlight() = default;

void InFlight::forget(hopper::RoleOp role) { flows.erase(role); }

const InFlight::Flow &InFlight::of(hopper::RoleOp role) const {
  std::unique_ptr<Flow> &flow = flows[role];
  if (!flow)
    flow = std::make_unique<Flow>(role, plan);
  return *flow;
}

const InFlightState &InFlight::before(Operation *op) const {
  static const InFlightState nothing;
  auto role = op->getParentOfType<hopper::RoleOp>();
  return role ? of(role).before(op) : nothing;
}

const InFlightState &InFlight::atEnd(hopper::RoleOp role) const {
  return of(role).atEnd();
}

std::optional<int64_t> InFlight::groupsLeft(Operation *op) const {
  return ashlar::groupsLeft(op, before(op), {plan.releases});
}

} // namespace ashlar
