// A driver table that does nothing and remembers everything.
#pragma once

#include "ashlar/module.h"
#include "runtime/Driver.h"

#include <array>
#include <string>
#include <vector>

namespace ashlar::test {

struct TensorMapCall {
  driver::TensorMapDataType type;
  void *address;
  std::vector<uint64_t> extents, strideBytes;
  std::vector<uint32_t> box, elementStrides;
  driver::TensorMapSwizzle swizzle;
  driver::TensorMapL2Promotion promotion;
};

struct FakeDriver {
  /// A fresh driver; there is one at a time, since the table has no state.
  FakeDriver();

  DriverTable table;

  // What was called, in order, and how often.
  bool recording = true;
  std::vector<std::string> calls;
  int count(std::string_view call) const;

  // The last launch, or the last that was asked about. `parameterBytes` says
  // how much of each parameter to keep.
  std::vector<size_t> parameterBytes;
  std::vector<std::vector<std::byte>> parameters;
  driver::LaunchConfig config = {};
  std::array<unsigned, 3> cluster = {};
  bool programmatic = false;
  int launches = 0;
  template <typename T> T parameter(size_t i) const {
    return *reinterpret_cast<const T *>(parameters.at(i).data());
  }

  std::vector<TensorMapCall> tensorMaps;
  std::vector<std::pair<driver::FunctionAttribute, int>> functionAttributes;
  const void *image = nullptr;

  // How the device is and how it behaves.
  int devices = 1;
  int capabilityMajor = 9, capabilityMinor = 0;
  int smCount = 132;
  int activeClusters = 66;
  int maxSharedBytes = 232448;
  std::string jitLog;
  driver::Result initResult = driver::Result::success;
  driver::Result loadResult = driver::Result::success;
  driver::Result getFunctionResult = driver::Result::success;
  driver::Result occupancyResult = driver::Result::success;
  driver::Result launchResult = driver::Result::success;
  driver::Result encodeResult = driver::Result::success;
  driver::Result allocateResult = driver::Result::success;
  driver::Result eventResult = driver::Result::success;
  int eventQueriesUntilDone = 0;

  void record(const char *call);
};

/// D[M, N] = A[M, K] * B[N, K] with a scalar, as the compiler would describe
/// it: declared in gemm.cpp on lines 11 (A), 12 (B), 13 (D), 14 (alpha), 10
/// (kernel).
Artifact gemmArtifact();

/// Its arguments for a problem that suits it, dense, at made-up addresses.
std::vector<NamedArgument> gemmArguments(int64_t m = 256, int64_t n = 384,
                                         int64_t k = 128);

TensorArgument &tensor(std::vector<NamedArgument> &arguments,
                       std::string_view name);

} // namespace ashlar::test
