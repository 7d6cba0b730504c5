#include "runtime/VerifyArtifact.h"

#include "compiler/target/Target.h"
#include "runtime/Cubin.h"
#include "runtime/Grid.h"
#include "runtime/Text.h"

#include <algorithm>
#include <limits>

namespace ashlar {
namespace {

class Verifier {
public:
  explicit Verifier(const Artifact &artifact) : artifact(artifact) {}

  void run() const {
    verifyTexts();
    verifyCode();
    demand(artifact.threads >= 1 && artifact.threads <= 1024, "a block has ",
           artifact.threads, " threads; the limits are 1 and 1024");
    demand(artifact.sharedBytes >= 0 &&
               artifact.sharedBytes <= std::numeric_limits<int32_t>::max(),
           "its shared memory is ", artifact.sharedBytes, " bytes");
    verifyNames();
    demand(artifact.parameters.size() <= mostParameters, "it has ",
           artifact.parameters.size(), " parameters; the limit is ",
           mostParameters);
    for (const TensorContract &tensor : artifact.tensors)
      verifyTensor(tensor);
    for (const ScalarContract &scalar : artifact.scalars)
      demand(scalar.type == f32 || scalar.type == s32 || scalar.type == bf16 ||
                 scalar.type == f16,
             "scalar '", scalar.name, "' is ", name(scalar.type),
             "; a scalar is f32, s32, bf16 or f16");
    for (const Parameter &parameter : artifact.parameters)
      verifyParameter(parameter);
    verifyGrid();
    for (const Bound &bound : artifact.bounds)
      verifyBound(bound);
    for (const RoleInfo &role : artifact.roles)
      verifyRole(role);
    for (const PipelineInfo &pipeline : artifact.pipelines)
      demand(pipeline.stages >= 1 && pipeline.stageBytes >= 0 &&
                 pipeline.stageBytes <= artifact.sharedBytes &&
                 pipeline.stages <= mostStages,
             "it has a pipeline of ", pipeline.stages, " stages of ",
             pipeline.stageBytes, " bytes");
    const Resources &used = artifact.resources;
    demand(std::min({used.registers, used.spillStoreBytes, used.spillLoadBytes,
                     used.stackBytes}) >= 0,
           "it has fewer than 0 registers, or bytes of them in memory");
  }

private:
  // The ABI has 32764 bytes of parameters, of which the shortest have 2.
  static constexpr size_t mostParameters = 16382;
  // A stage has a barrier of 8 bytes at least, a block 227 KiB.
  static constexpr int mostStages = 29056;

  template <typename... Parts>
  void demand(bool holds, const Parts &...parts) const {
    if (!holds)
      throw Error(artifact.where,
                  concat("the artifact of kernel '", artifact.name,
                         "' contradicts itself: ", parts...,
                         ": compile the kernel again"));
  }

  // Texts are printed: they are short, and no orders to a terminal.
  void verifyTexts() const {
    demandText(artifact.name, "its name", !artifact.name.empty());
    demandText(artifact.target, "its target", true);
    verifyPlace(artifact.where);
    for (const std::string &size : artifact.sizes)
      demandText(size, "the name of a size", !size.empty());
    for (const TensorContract &tensor : artifact.tensors) {
      demandText(tensor.name, "the name of a tensor", !tensor.name.empty());
      verifyPlace(tensor.where);
    }
    for (const ScalarContract &scalar : artifact.scalars) {
      demandText(scalar.name, "the name of a scalar", !scalar.name.empty());
      verifyPlace(scalar.where);
    }
    for (const RoleInfo &role : artifact.roles)
      demandText(role.name, "the name of a role", true);
    for (const PipelineInfo &pipeline : artifact.pipelines)
      verifyPlace(pipeline.where);
  }

  void verifyPlace(const SourceLine &place) const {
    demandText(place.file, "the name of a file", true);
  }

  // It is not quoted before it is known to be harmless.
  static void demandText(const std::string &text, const char *what,
                         bool isThere) {
    constexpr size_t longest = 4096; // PATH_MAX
    const bool isControlled = std::ranges::any_of(
        text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
    if (!isThere || isControlled || text.size() > longest)
      throw Error(concat("the artifact contradicts itself: ", what,
                         !isThere       ? " is empty"
                         : isControlled ? " has control characters"
                                        : " is longer than 4096 characters",
                         ": compile the kernel again"));
  }

  // The driver takes both kinds of code without their lengths.
  void verifyCode() const {
    demand(!artifact.ptx.empty() || !artifact.cubin.empty(),
           "it has neither PTX nor a cubin");
    demand(artifact.ptx.find('\0') == artifact.ptx.npos,
           "its PTX has a zero in it");
    if (artifact.cubin.empty())
      return;
    const std::string whyNot = whyNoCubin(artifact.cubin, artifact.name);
    demand(whyNot.empty(), "its cubin ", whyNot);
  }

  // Arguments are passed by name, so one name must mean one thing.
  void verifyNames() const {
    std::vector<std::string> names = artifact.sizes;
    for (const TensorContract &tensor : artifact.tensors)
      names.push_back(tensor.name);
    for (const ScalarContract &scalar : artifact.scalars)
      names.push_back(scalar.name);
    std::sort(names.begin(), names.end());
    auto twice = std::adjacent_find(names.begin(), names.end());
    demand(twice == names.end(), "the name '",
           twice == names.end() ? "" : *twice, "' is used twice");
  }

  void verifyExtent(const Extent &extent, const std::string &of) const {
    demand(extent.size < static_cast<int>(artifact.sizes.size()), of,
           " uses size ", extent.size, " of ", artifact.sizes.size());
    demand(extent.size >= 0 || (extent.constant >= 0 &&
                                extent.constant <= target::largestExtent),
           of, " has the constant extent ", extent.constant);
  }

  // TMA's limits, and those of `Tensor`, whether TMA walks it or not.
  void verifyTensor(const TensorContract &tensor) const {
    constexpr int64_t mostAlignmentBytes = 128;
    demand(!tensor.extents.empty() && tensor.extents.size() <= 5, "tensor '",
           tensor.name, "' has rank ", tensor.extents.size(),
           "; the limits are 1 and 5");
    for (const Extent &extent : tensor.extents)
      verifyExtent(extent, concat("tensor '", tensor.name, "'"));
    demand(tensor.alignmentBytes > 0 &&
               tensor.alignmentBytes <= mostAlignmentBytes &&
               (tensor.alignmentBytes & (tensor.alignmentBytes - 1)) == 0,
           "tensor '", tensor.name, "' is aligned to ", tensor.alignmentBytes,
           " bytes, no power of two up to ", mostAlignmentBytes);
  }

  template <typename Table>
  void verifyIndex(int index, const Table &table, const char *what) const {
    demand(index >= 0 && index < static_cast<int>(table.size()),
           "a parameter uses ", what, " ", index, " of ", table.size());
  }

  void verifyParameter(const Parameter &parameter) const {
    switch (parameter.kind) {
    case Parameter::Kind::size:
      return verifyIndex(parameter.index, artifact.sizes, "size");
    case Parameter::Kind::scalar:
      return verifyIndex(parameter.index, artifact.scalars, "scalar");
    case Parameter::Kind::pointer:
      return verifyIndex(parameter.index, artifact.tensors, "tensor");
    case Parameter::Kind::stride:
      verifyIndex(parameter.index, artifact.tensors, "tensor");
      return verifyIndex(
          parameter.dimension,
          artifact.tensors[static_cast<size_t>(parameter.index)].extents,
          "dimension");
    case Parameter::Kind::tensorMap:
      return verifyTensorMap(parameter.tensorMap);
    }
    demand(false, "a parameter has kind ", static_cast<int>(parameter.kind));
  }

  // The limits are those of cuTensorMapEncodeTiled.
  void verifyTensorMap(const TensorMapRecipe &recipe) const {
    verifyIndex(recipe.tensor, artifact.tensors, "tensor");
    const TensorContract &tensor =
        artifact.tensors[static_cast<size_t>(recipe.tensor)];
    const std::string of = concat("the tensor map of '", tensor.name, "'");
    const size_t rank = tensor.extents.size();
    demand(rank >= 1 && rank <= 5, of, " has rank ", rank,
           "; TMA's limits are 1 and 5");
    demand(recipe.box.size() == rank, of, " has a box of rank ",
           recipe.box.size(), " on a tensor of rank ", rank);
    for (int64_t length : recipe.box)
      demand(length >= 1 && length <= 256, of, " has a box ", length,
             " long; TMA's limits are 1 and 256");
    demand(recipe.step.empty() ||
               (recipe.step.size() == rank && recipe.step.back() == 1),
           of, " has ", recipe.step.size(), " steps on a tensor of rank ", rank,
           ", the last of which is to be 1");
    for (size_t i = 0; i < recipe.step.size(); ++i)
      demand(recipe.step[i] >= 1 && recipe.step[i] <= 8 &&
                 recipe.step[i] * recipe.box[i] <= 256,
             of, " has steps of ", recipe.step[i], " in a box ", recipe.box[i],
             " long; TMA's limits are 1 and 8, over 256 elements");
    const int64_t innerBytes = recipe.box.back() * size_bytes(tensor.type);
    demand(innerBytes % 16 == 0, of, " has an inner box of ", innerBytes,
           " bytes; TMA needs a multiple of 16");
    const int swizzle = recipe.swizzleBytes;
    demand(swizzle == 0 || swizzle == 32 || swizzle == 64 || swizzle == 128, of,
           " is swizzled by ", swizzle, " bytes; TMA has 0, 32, 64 and 128");
    demand(swizzle == 0 || innerBytes <= swizzle, of, " has an inner box of ",
           innerBytes, " bytes, longer than its swizzle of ", swizzle);
  }

  void verifySpace(const TileSpace &space) const {
    demand(space.tile.size() <= 5, "its grid has ", space.tile.size(),
           " dimensions; the limit is 5");
    demand(space.extents.empty() ? space.persistent
                                 : space.tile.size() == space.extents.size(),
           "its grid has ", space.extents.size(), " extents and ",
           space.tile.size(), " tile lengths");
    for (const Extent &extent : space.extents)
      verifyExtent(extent, "its grid");
    for (int64_t length : space.tile)
      demand(length >= 1 && length <= std::numeric_limits<int32_t>::max(),
             "its grid has a tile ", length, " long");
  }

  void verifyGrid() const {
    const GridRule &grid = artifact.grid;
    for (const TileSpace &space : grid.spaces)
      verifySpace(space);
    demand(grid.cluster.size() <= 5, "its cluster has ", grid.cluster.size(),
           " dimensions; the limit is 5");
    for (int64_t length : grid.cluster)
      demand(length >= 1, "its grid has a cluster ", length, " long");
    demand(clusterSize(grid) <= 16, "its cluster has ", clusterSize(grid),
           " blocks; the limit is 16");
    demand(grid.ctasPerSm >= 1 && grid.ctasPerSm <= 32, "it has ",
           grid.ctasPerSm, " blocks to a multiprocessor; 1 to 32 fit");
  }

  void verifyBound(const Bound &bound) const {
    int64_t numbers = 0;
    for (const Term &term : bound.index) {
      const bool isNumber =
          term.kind == Term::Kind::constant || term.kind == Term::Kind::size;
      demand(term.kind != Term::Kind::size ||
                 (term.value >= 0 &&
                  static_cast<size_t>(term.value) < artifact.sizes.size()),
             "a bound is of size ", term.value, " of ", artifact.sizes.size());
      demand(isNumber || numbers >= 2,
             "a bound has an operation without two numbers");
      numbers += isNumber ? 1 : -1;
    }
    demand(numbers == 1, "a bound is of ", numbers, " numbers");
    demandText(bound.sentence, "the sentence of a bound", true);
    verifyPlace(bound.where);
  }

  void verifyRole(const RoleInfo &role) const {
    constexpr int threadsOfAWarp = 32, mostRegisters = 255;
    const int warps = (artifact.threads + threadsOfAWarp - 1) / threadsOfAWarp;
    demand(role.firstWarp >= 0 && role.warps >= 1 && role.warps <= warps &&
               role.firstWarp <= warps - role.warps,
           "role '", role.name, "' has ", role.warps, " warps from number ",
           role.firstWarp, " on; there are ", warps);
    demand(role.registers >= 0 && role.registers <= mostRegisters, "role '",
           role.name, "' has ", role.registers, " registers");
  }

  const Artifact &artifact;
};

} // namespace

void verifyArtifact(const Artifact &artifact) { Verifier(artifact).run(); }

} // namespace ashlar
