#include "runtime/sim/instructions/LayOutShared.h"

#include "runtime/sim/instructions/ProgramBuilder.h"
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

using ptx::StateSpace;

class Placement {
public:
  Placement(const ptx::Module &module, SharedLayout &layout)
      : module(module), layout(layout) {}

  void place(VariableId id, const ptx::Variable &variable) {
    if (variable.space != StateSpace::shared || isDynamicShared(variable) ||
        layout.addresses.contains(id))
      return;
    const uint64_t address = alignUp(end, variable.alignment);
    if (variable.sizeBytes() > maxSharedBytes ||
        address + variable.sizeBytes() > reservedSharedBytes + maxSharedBytes)
      throw DecodeError(
          module.name + ":" + std::to_string(variable.position.line) + ":" +
          std::to_string(variable.position.column) + ": '" + variable.name +
          "' takes static shared memory beyond the " +
          std::to_string(maxSharedBytes) + " bytes that a CTA has");
    end = address + variable.sizeBytes();
    layout.addresses[id] = static_cast<uint32_t>(address);
  }

  /// Those of a function, or of the module (-1), that are in `used`; null: all.
  void placeOf(int function, const std::set<VariableId> *used) {
    const auto &variables =
        function < 0
            ? module.variables
            : module.functions[static_cast<size_t>(function)].variables;
    for (uint32_t i = 0; i < variables.size(); ++i)
      if (!used || used->contains({function, i}))
        place({function, i}, variables[i]);
  }

  uint64_t end = reservedSharedBytes;

private:
  const ptx::Module &module;
  SharedLayout &layout;
};

/// The hardware gives 16 bytes at least; a declaration that asks for 1024 gets
/// it, as the reserved part of the window has 1024 bytes. One that the kernel
/// does not use counts as well.
uint64_t dynamicAlignment(const ptx::Module &module) {
  uint64_t alignment = 16;
  auto raise = [&](const std::vector<ptx::Variable> &variables) {
    for (const ptx::Variable &variable : variables)
      if (isDynamicShared(variable))
        alignment = std::max(alignment, variable.alignment);
  };
  raise(module.variables);
  for (const ptx::Function &function : module.functions)
    raise(function.variables);
  return alignment;
}

} // namespace

SharedLayout layOutShared(const ptx::Module &module, uint32_t kernel,
                          const Reach &reach) {
  SharedLayout layout;
  Placement placement(module, layout);
  const auto own = static_cast<int>(kernel);
  placement.placeOf(own, &reach.variables);
  placement.placeOf(-1, &reach.variables);
  for (const std::set<VariableId> *used :
       {&reach.variables, static_cast<const std::set<VariableId> *>(nullptr)})
    for (uint32_t function : reach.functions)
      placement.placeOf(static_cast<int>(function), used);
  layout.dynamicBegin =
      static_cast<uint32_t>(alignUp(placement.end, dynamicAlignment(module)));
  return layout;
}

} // namespace ashlar::sim
