#include "ashlar/pipeline.h"
#include "Describe.h"
#include "SharedType.h"
#include "Trace.h"
#include "compiler/target/Target.h"

namespace ashlar {

using namespace detail;

/// Each stage has two barriers in shared memory.
static constexpr int64_t stageLimit =
    target::sharedBytes / (2 * target::mbarrierBytes);

Pipeline detail::makePipeline(int64_t stages,
                              std::initializer_list<StageTile> tiles,
                              SourceLocation where) {
  Trace &trace = Trace::current(where);
  trace.requireKernelFrame("the pipeline", where);
  if (stages < 1 || stages > stageLimit)
    fail(where, "the pipeline has " + std::to_string(stages) +
                    " stages; it has 1 to " + std::to_string(stageLimit));
  if (tiles.size() == 0)
    fail(where, "the stages of the pipeline hold no tile; give it at least one "
                "smem(type, {extents})");
  llvm::SmallVector<mlir::Type> types;
  for (const StageTile &tile : tiles)
    types.push_back(sharedType(trace, tile.type, tile.shape, tile.where));
  mlir::Type type = tile::PipelineType::get(trace.context(), stages, types);
  auto op = trace.declareOp<tile::PipelineOp>(where, type);
  return trace.declare<Pipeline>(HandleKind::pipeline, op.getResult(), where);
}

namespace {

template <class Op> Stage take(const Pipeline &pipeline, SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto op = trace.create<Op>(where, tile::StageType::get(trace.context()),
                             trace.read(pipeline, where));
  return Stage(trace.declareHandle(HandleKind::stage, op, where), pipeline);
}

template <class Op>
Attempt attempt(const Pipeline &pipeline, SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto op = trace.create<Op>(where, mlir::IntegerType::get(trace.context(), 1),
                             tile::StageType::get(trace.context()),
                             trace.read(pipeline, where));
  return Attempt(
      trace.declareHandle(HandleKind::condition, op.getReady(), where),
      Stage(trace.declareHandle(HandleKind::stage, op.getStage(), where),
            pipeline));
}

template <class Op>
void give(const Pipeline &pipeline, const Stage &stage, const char *what,
          SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value ring = trace.read(pipeline, where);
  mlir::Value value = trace.read(stage, where);
  if (trace.read(stage.pipeline(), where) != ring)
    fail(where, std::string(what) + " names the stage taken at " +
                    lineOf(stage.declared_at()) +
                    ", which is of another pipeline than the one declared at " +
                    lineOf(pipeline.declared_at()) + "; " + what +
                    " it to the pipeline it came from");
  trace.create<Op>(where, ring, value);
}

} // namespace

Stage Pipeline::acquire(SourceLocation where) const {
  return take<tile::AcquireOp>(*this, where);
}

Stage Pipeline::wait(SourceLocation where) const {
  return take<tile::WaitOp>(*this, where);
}

Attempt Pipeline::try_acquire(SourceLocation where) const {
  return attempt<tile::TryAcquireOp>(*this, where);
}

Attempt Pipeline::try_wait(SourceLocation where) const {
  return attempt<tile::TryWaitOp>(*this, where);
}

void Pipeline::commit(const Stage &stage, SourceLocation where) const {
  give<tile::CommitOp>(*this, stage, "commit", where);
}

void Pipeline::release(const Stage &stage, SourceLocation where) const {
  give<tile::ReleaseOp>(*this, stage, "release", where);
}

Stage &Stage::operator=(const Stage &other) {
  const Trace *active = Trace::active();
  SourceLocation where = active ? active->lastLocation() : other.declared_at();
  Trace &trace = Trace::checked(where);
  if (trace.read(ring, where) != trace.read(other.ring, where))
    fail(where, "stage declared at " + lineOf(declared_at()) +
                    " is of the pipeline declared at " +
                    lineOf(ring.declared_at()) +
                    " and is assigned one of that declared at " +
                    lineOf(other.ring.declared_at()) +
                    "; a variable keeps its pipeline: declare another one");
  Variable::operator=(other);
  return *this;
}

SharedTile Stage::operator[](Located<int64_t> index) const {
  SourceLocation where = index.where;
  Trace &trace = Trace::current(where);
  mlir::Value stage = trace.read(*this, where);
  auto type = llvm::cast<tile::PipelineType>(trace.read(ring, where).getType());
  int64_t count = type.getTiles().size();
  if (index.value < 0 || index.value >= count)
    fail(where, "the stage has " + std::to_string(count) +
                    " tiles, numbered from 0; it has no tile " +
                    std::to_string(index.value));
  auto op = trace.create<tile::BufferOp>(where, type.tile(index.value), stage,
                                         index.value);
  return trace.declare<SharedTile>(HandleKind::sharedTile, op, where);
}

void when(const Attempt &attempt, Body<Stage> then, SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto taken = [&] { then(attempt.stage); };
  trace.branch(trace.read(attempt.ready, where), taken, nullptr, where);
}

void when(const Attempt &attempt, Body<Stage> then, Body<> otherwise,
          SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto taken = [&] { then(attempt.stage); };
  trace.branch(trace.read(attempt.ready, where), taken, &otherwise, where);
}

} // namespace ashlar
