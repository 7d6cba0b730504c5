#include "tool/SimulatedSizes.h"

#include <algorithm>

namespace ashlar::harness {

namespace {

/// How far one tile goes along each size; 0 where none does.
std::vector<int64_t> tileLengths(const Artifact &artifact) {
  std::vector<int64_t> lengths(artifact.sizes.size(), 0);
  auto note = [&](const Extent &extent, int64_t length) {
    if (extent.size >= 0)
      lengths[extent.size] = std::max(lengths[extent.size], length);
  };
  for (const Parameter &parameter : artifact.parameters) {
    if (parameter.kind != Parameter::Kind::tensorMap)
      continue;
    const TensorMapRecipe &recipe = parameter.tensorMap;
    const std::vector<Extent> &extents =
        artifact.tensors[recipe.tensor].extents;
    for (size_t d = 0; d < std::min(extents.size(), recipe.box.size()); ++d)
      note(extents[d],
           recipe.box[d] * recipe.stepOf(d) *
               (d + 1 == extents.size()
                    ? pack_length(artifact.tensors[recipe.tensor].type)
                    : 1));
  }
  return lengths;
}

/// Half a tile more, and 16 elements: rows stay whole units of 16 bytes, which
/// a TMA store fills.
int64_t ragged(int64_t tiles, int64_t length) {
  return tiles * length + length / 2 + 16;
}

/// Where there are fewer than three tiles no CTA has two beside another CTA.
bool isOverOneSize(const TileSpace &space) {
  return space.persistent && std::ranges::count_if(space.extents, [](auto &e) {
                               return e.size >= 0;
                             }) == 1;
}

} // namespace

std::vector<NamedSize> simulatedSizes(const Artifact &artifact,
                                      std::span<const NamedSize> given) {
  constexpr int64_t lengthWithoutTiles = 64;
  // More steps take long, whatever a pipeline says that it has.
  constexpr int64_t mostSteps = 64;
  const std::vector<int64_t> lengths = tileLengths(artifact);
  int64_t stages = 1;
  for (const PipelineInfo &pipeline : artifact.pipelines)
    stages = std::max<int64_t>(stages, pipeline.stages);
  stages = std::min(stages, mostSteps);
  std::vector<NamedSize> sizes;
  for (size_t i = 0; i < artifact.sizes.size(); ++i) {
    int64_t size =
        ragged(stages, lengths[i] > 0 ? lengths[i] : lengthWithoutTiles);
    for (const TileSpace &space : artifact.grid.spaces)
      for (size_t d = 0; d < space.extents.size(); ++d)
        if (space.extents[d].size == static_cast<int>(i))
          size = ragged(isOverOneSize(space) ? 2 : 1, space.tile[d]);
    for (const NamedSize &each : given)
      if (each.name == artifact.sizes[i])
        size = std::min(size, each.value);
    sizes.push_back({artifact.sizes[i], size});
  }
  return sizes;
}

void checkSimulated(const Artifact &artifact,
                    std::span<const NamedSize> sizes) {
  // A product of two matrices and a result of that size takes some 10 s.
  constexpr double limitBytes = double(64 << 20);
  double bytes = 0;
  for (const TensorContract &tensor : artifact.tensors) {
    auto own = static_cast<double>(size_bytes(tensor.type)) /
               static_cast<double>(pack_length(tensor.type));
    for (const Extent &extent : tensor.extents)
      own *= static_cast<double>(extent.size < 0 ? extent.constant
                                                 : sizes[extent.size].value);
    bytes += own;
  }
  if (bytes > limitBytes)
    throw Error(artifact.where,
                "kernel '" + artifact.name +
                    "' is not simulated with tensors of more than 64 MiB that "
                    "nobody asked for: " +
                    (artifact.sizes.empty()
                         ? "run it on a GPU"
                         : "give sizes, such as --size=" +
                               artifact.sizes.front() + "=128"));
}

} // namespace ashlar::harness
