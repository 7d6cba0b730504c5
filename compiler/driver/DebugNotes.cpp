#include "compiler/driver/DebugNotes.h"

#include "compiler/driver/Contract.h"
#include "compiler/target/Target.h"
#include "compiler/tile/Plan.h"
#include "llvm/Support/raw_ostream.h"

namespace ashlar::compiler {

using namespace mlir;

namespace {

void describe(raw_ostream &out, int64_t offset, int64_t bytes,
              const Twine &what) {
  out << "//@ shared " << offset << ' ' << bytes << ' ' << what << '\n';
}

void describe(raw_ostream &out, tile::PipelineOp pipeline) {
  tile::PipelineType type = pipeline.getResult().getType();
  const std::string name =
      " of the pipeline at " + sourceLine(pipeline.getLoc()).str();
  ArrayRef<Type> tiles = type.getTiles();
  tile::RingPlanAttr plan = tile::planOf(pipeline);
  for (int64_t stage = 0; stage < int64_t(type.getStages()); ++stage) {
    const int64_t begin = plan.getOffset() + stage * plan.getStageBytes();
    for (auto [i, tile] : llvm::enumerate(tiles))
      describe(out, begin + plan.getTileOffsets()[i],
               cast<tile::SharedType>(tile).sizeBytes(),
               "tile " + Twine(i) + " of stage " + Twine(stage) + name);
    const int64_t full = plan.getBarriers() + stage * target::mbarrierBytes;
    describe(out, full, target::mbarrierBytes,
             "the full barrier of stage " + Twine(stage) + name);
    describe(out, full + int64_t(type.getStages()) * target::mbarrierBytes,
             target::mbarrierBytes,
             "the empty barrier of stage " + Twine(stage) + name);
  }
  const int64_t stages = type.getStages();
  out << "//@ ring " << stages << " memory " << plan.getOffset() << ' '
      << plan.getStageBytes() << " full " << plan.getBarriers() << " empty "
      << plan.getBarriers() + stages * target::mbarrierBytes << '\n';
}

/// The number of the parameter of a kind that belongs to a tensor.
std::optional<size_t> parameterOf(const Artifact &artifact,
                                  Parameter::Kind kind, size_t tensor,
                                  size_t dimension) {
  for (auto [i, each] : llvm::enumerate(artifact.parameters))
    if (each.kind == kind && each.index == static_cast<int>(tensor) &&
        each.dimension == static_cast<int>(dimension))
      return i;
  return std::nullopt;
}

} // namespace

std::string debugNotes(tile::KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (auto role : kernel.getBody().getOps<tile::RoleOp>())
    out << "//@ role " << role.getName() << " warps "
        << tile::planOf(role).getFirstWarp() << ' '
        << role.getWarps() * role.getInstances() << '\n';
  for (auto alloc : kernel.getBody().getOps<tile::AllocOp>())
    describe(out, tile::offsetOf(alloc),
             alloc.getResult().getType().sizeBytes(),
             "the tile at " + Twine(sourceLine(alloc.getLoc()).str()));
  for (auto pipeline : kernel.getBody().getOps<tile::PipelineOp>())
    describe(out, pipeline);
  return text;
}

std::string tensorNotes(const Artifact &artifact) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (auto [i, tensor] : llvm::enumerate(artifact.tensors)) {
    auto pointer = parameterOf(artifact, Parameter::Kind::pointer, i, 0);
    if (!pointer) {
      auto map = llvm::find_if(artifact.parameters, [&](const Parameter &each) {
        return each.kind == Parameter::Kind::tensorMap &&
               each.tensorMap.tensor == static_cast<int>(i);
      });
      if (map != artifact.parameters.end())
        out << "//@ tensor " << tensor.name << ' ' << size_bytes(tensor.type)
            << " map " << map - artifact.parameters.begin() << '\n';
      continue;
    }
    out << "//@ tensor " << tensor.name << ' ' << size_bytes(tensor.type)
        << " pointer " << *pointer << " strides";
    for (size_t d = 0; d + 1 < tensor.extents.size(); ++d) {
      auto stride = parameterOf(artifact, Parameter::Kind::stride, i, d);
      out << (stride ? " p" + std::to_string(*stride) : " ?");
    }
    out << " 1\n";
  }
  return text;
}

} // namespace ashlar::compiler
