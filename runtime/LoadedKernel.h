// A kernel's code on a device: loaded, found by name, given its shared memory.
#pragma once

#include "ashlar/artifact.h"
#include "runtime/Context.h"

#include <memory>

namespace ashlar {

class LoadedKernel {
public:
  /// Throws `Error` when the kernel does not suit the device or the driver
  /// refuses its code.
  LoadedKernel(std::shared_ptr<Context> context, const Artifact &artifact);
  LoadedKernel(const LoadedKernel &) = delete;
  ~LoadedKernel();

  driver::FunctionHandle function() const { return entry; }

  /// The clusters that a persistent grid may have, at least 1: all of them run
  /// at once, one block on an SM.
  int64_t residentClusters() const { return resident; }

private:
  void load(const Artifact &artifact);
  void prepare(const Artifact &artifact);
  void checkParameters(const Artifact &artifact) const;
  void countResidentClusters(const Artifact &artifact);
  void unload() noexcept;

  std::shared_ptr<Context> context;
  driver::ModuleHandle module = nullptr;
  driver::FunctionHandle entry = nullptr;
  int64_t resident = 1;
};

} // namespace ashlar
