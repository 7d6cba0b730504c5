// The kernels of GEMM that have been compiled.
#pragma once

#include "ashlar/gemm.h"
#include "ashlar/module.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ashlar::bench {

/// "bf16", "fp8full" or "bf16-f32": how the command line says types; behind
/// them the layout, but for TN.
std::string shortName(const GemmTypes &types);
/// All that are measured, in the layout TN.
std::vector<GemmTypes> measuredTypes();
/// Those of a short name. Throws `Error` for another text.
GemmTypes typesNamed(const std::string &text);

/// What a kernel is compiled for.
struct GemmVariant {
  GemmTypes types;
  GemmConfig config;
};

class GemmKernels {
public:
  explicit GemmKernels(Device &device) : device(device) {}

  /// Compiles those that have not been, on all cores.
  void compile(std::span<const GemmVariant> variants);

  /// The kernel of a configuration, compiled if it has not been. Throws the
  /// `Error` with which it was refused.
  Module &get(const GemmTypes &types, const GemmConfig &config);

private:
  /// A kernel on its way to the device.
  struct Entry {
    std::optional<Error> refused;
    std::optional<Artifact> artifact;
    std::unique_ptr<Module> module;
  };

  Device &device;
  std::map<std::string, Entry> entries;
};

} // namespace ashlar::bench
