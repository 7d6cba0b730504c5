#include "runtime/sim/Simulator.h"

#include "runtime/sim/instructions/Decoder.h"
#include "runtime/sim/machine/Cluster.h"

#include <string>

namespace ashlar::sim {

namespace {

std::string text(const ptx::Dimensions &d) {
  return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" +
         std::to_string(d.z);
}

uint64_t count(const ptx::Dimensions &d) { return uint64_t(d.x) * d.y * d.z; }

bool same(const ptx::Dimensions &a, const ptx::Dimensions &b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

void checkBlock(const ptx::Function &kernel, const ptx::Dimensions &block) {
  if (count(block) == 0 || count(block) > maxThreads || block.z > 64)
    throw InvalidLaunch("a block of " + text(block) +
                        " threads: it needs 1 to " +
                        std::to_string(maxThreads) + ", at most 64 along z");
  if (kernel.requiredThreads && !same(*kernel.requiredThreads, block))
    throw InvalidLaunch("a block of " + text(block) +
                        " threads; the kernel's "
                        ".reqntid asks for " +
                        text(*kernel.requiredThreads));
  if (kernel.maximumThreads && count(block) > count(*kernel.maximumThreads))
    throw InvalidLaunch("a block of " + text(block) +
                        " threads; the kernel's "
                        ".maxntid allows " +
                        text(*kernel.maximumThreads));
}

void checkGrid(const ptx::Function &kernel, const LaunchShape &shape) {
  const ptx::Dimensions &grid = shape.grid, &cluster = shape.cluster;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffff ||
      grid.y > 65535 || grid.z > 65535)
    throw InvalidLaunch("a grid of " + text(grid) +
                        " blocks: 1 to 2147483647 along x, 1 to 65535 along y "
                        "and z");
  constexpr uint64_t maxCluster = 16;
  if (count(cluster) == 0 || count(cluster) > maxCluster)
    throw InvalidLaunch("a cluster of " + text(cluster) +
                        " blocks: it needs 1 to 16");
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    throw InvalidLaunch("a grid of " + text(grid) +
                        " blocks is no multiple of the cluster of " +
                        text(cluster));
  if (kernel.requiredCluster && !same(*kernel.requiredCluster, cluster))
    throw InvalidLaunch("a cluster of " + text(cluster) +
                        " blocks; the "
                        "kernel's .reqnctapercluster asks for " +
                        text(*kernel.requiredCluster));
  if (kernel.maximumClusterRank && count(cluster) > *kernel.maximumClusterRank)
    throw InvalidLaunch("a cluster of " + text(cluster) +
                        " blocks; the "
                        "kernel's .maxclusterrank allows " +
                        std::to_string(*kernel.maximumClusterRank));
}

} // namespace

std::shared_ptr<const Program>
load(std::string_view text, const std::string &name, GlobalMemory &memory) {
  return decode(std::make_shared<const ptx::Module>(ptx::parse(text, name)),
                memory);
}

std::vector<Report> launch(const Program &program, const std::string &kernel,
                           const LaunchShape &shape,
                           std::span<const uint8_t> parameters,
                           GlobalMemory &memory, const LaunchOptions &options) {
  const int index = program.functionNamed(kernel);
  if (index < 0 ||
      !program.functions[static_cast<size_t>(index)]->text->isEntry)
    throw InvalidLaunch("the module has no kernel '" + kernel + "'");
  const Function &function = *program.functions[static_cast<size_t>(index)];
  LaunchShape complete = shape;
  if (function.text->requiredCluster && count(shape.cluster) == 1)
    complete.cluster = *function.text->requiredCluster;
  checkBlock(*function.text, complete.block);
  checkGrid(*function.text, complete);
  const uint64_t sharedBytes = uint64_t(function.shared.dynamicBegin) -
                               reservedSharedBytes + shape.dynamicSharedBytes;
  if (sharedBytes > maxSharedBytes)
    throw InvalidLaunch(std::to_string(sharedBytes) +
                        " bytes of shared memory; a block has " +
                        std::to_string(maxSharedBytes));
  if (parameters.size() < function.parameterBytes)
    throw InvalidLaunch("the parameters of '" + kernel + "' take " +
                        std::to_string(function.parameterBytes) + " bytes; " +
                        std::to_string(parameters.size()) + " are given");
  Launch running(program, static_cast<uint32_t>(index), complete,
                 {parameters.begin(), parameters.end()}, memory, options);
  return running.run();
}

} // namespace ashlar::sim
