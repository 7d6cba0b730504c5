#include "runtime/HangReport.h"

#include "runtime/Text.h"

namespace ashlar {
namespace {

std::string describe(const RoleInfo &role) {
  std::string registers = role.registers > 0
                              ? concat(", ", role.registers, " registers")
                              : std::string();
  return concat("'", role.name, "' on warps ", role.firstWarp, " to ",
                role.firstWarp + role.warps - 1, registers);
}

std::string describe(const PipelineInfo &pipeline) {
  std::string line = pipeline.where.str();
  return concat(pipeline.stages, " stages of ", pipeline.stageBytes, " bytes",
                line.empty() ? "" : " (" + line + ")");
}

template <typename Item>
std::string list(const char *title, const std::vector<Item> &items) {
  std::string text;
  for (const Item &item : items)
    text += (text.empty() ? title : ", ") + describe(item);
  return text;
}

} // namespace

std::string hangReport(const Artifact &artifact, const Grid &grid,
                       std::chrono::milliseconds limit) {
  return concat("kernel '", artifact.name, "': the GPU did not finish in ",
                limit.count(), " ms; the grid is ", grid.blocks, " blocks of ",
                artifact.threads, " threads in clusters of ", grid.clusterSize,
                list("; roles: ", artifact.roles),
                list("; pipelines: ", artifact.pipelines),
                "; the process must end, the context is unusable");
}

} // namespace ashlar
