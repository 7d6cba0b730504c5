#include "passes/stages/StageCounts.h"

namespace ashlar {

using namespace mlir;

static int64_t stagesOf(Value pipeline) {
  return cast<tile::PipelineType>(pipeline.getType()).getStages();
}

static LogicalResult refuse(Operation *op, const Twine &message,
                            Value pipeline) {
  InFlightDiagnostic error = op->emitError(message);
  error.attachNote(pipeline.getLoc()) << "the pipeline is declared here";
  return error;
}

LogicalResult StageCounts::take(Operation &op, int64_t held, Traffic &traffic) {
  if (!isa<tile::AcquireOp, tile::WaitOp>(op))
    return success();
  const Value pipeline = op.getOperand(0), stage = op.getResults().back();
  const bool fills = isAcquired(stage);
  tile::RoleOp role = tile::roleOf(&op);
  const int64_t stages = stagesOf(pipeline);
  Count &count = counts[pipeline];
  const Count before = count;
  if (fills)
    ++count.takenAtLeast;
  else if (count.fullAtMost < Count::unbounded)
    count.fullAtMost = std::max<int64_t>(count.fullAtMost - 1, 0);
  if (held >= stages)
    return refuse(
        &op,
        "role '" + role.getName() + "' holds all " + Twine(stages) +
            " stages of the pipeline and waits for another: " + give(stage) +
            " one first, or give the pipeline more stages",
        pipeline);
  if (fills && traffic.onlyConsumer(pipeline, role) &&
      before.takenAtLeast >= stages)
    return refuse(&op,
                  "role '" + role.getName() +
                      "' acquires a stage of the pipeline that only it drains, "
                      "when all " +
                      Twine(stages) +
                      " are taken: release one first, or give the pipeline "
                      "more stages",
                  pipeline);
  if (!fills && traffic.onlyProducer(pipeline, role) && before.fullAtMost <= 0)
    return refuse(&op,
                  "role '" + role.getName() +
                      "' waits for a stage of the pipeline that only it fills, "
                      "before it has filled one: commit a stage before this "
                      "wait",
                  pipeline);
  return success();
}

void StageCounts::close(Value pipeline, bool commits) {
  Count &count = counts[pipeline];
  if (commits)
    count.fullAtMost = std::min(count.fullAtMost + 1, Count::unbounded);
  else
    --count.takenAtLeast;
}

LogicalResult StageCounts::repeat(scf::ForOp loop, const StageCounts &inside,
                                  Traffic &traffic) {
  LogicalResult result = success();
  tile::RoleOp role = tile::roleOf(loop);
  const auto trips = loop.getStaticTripCount();
  for (const auto &[pipeline, after] : inside.counts) {
    Count &count = counts[pipeline];
    const int64_t filled = after.fullAtMost - count.fullAtMost;
    const int64_t took = after.takenAtLeast - count.takenAtLeast;
    if (filled > 0)
      count.fullAtMost = Count::unbounded;
    // A loop that may not run takes nothing, but may release.
    if (after.isAnyReleased() || (!trips && took < 0))
      count.takenAtLeast = -Count::unbounded;
    else if (trips)
      count.takenAtLeast += took * trips->getSExtValue();
    const int64_t stages = stagesOf(pipeline);
    if (took > 0 && count.takenAtLeast > stages &&
        traffic.onlyConsumer(pipeline, role)) {
      result = refuse(
          loop,
          "this loop acquires more than the " + Twine(stages) +
              " stages of a pipeline that only role '" + role.getName() +
              "' drains, and releases none: release in the loop, or give "
              "the pipeline more stages",
          pipeline);
      count.takenAtLeast = -Count::unbounded;
    }
  }
  return result;
}

void StageCounts::meet(const StageCounts &a, const StageCounts &b) {
  for (const StageCounts *way : {&a, &b})
    for (const auto &[pipeline, count] : way->counts)
      counts.insert({pipeline, count});
  for (auto &[pipeline, count] : counts) {
    const Count first = a.counts.lookup(pipeline),
                second = b.counts.lookup(pipeline);
    count = {std::max(first.fullAtMost, second.fullAtMost),
             std::min(first.takenAtLeast, second.takenAtLeast)};
  }
}

} // namespace ashlar
