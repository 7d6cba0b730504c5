// Runs a PTX kernel in the simulator, for tests.
#pragma once

#include "runtime/sim/Simulator.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ashlar::sim {

/// `body` as the body of a kernel `kernel` with the given parameters, with the
/// header that PTX needs.
inline std::string kernelText(const std::string &parameters,
                              const std::string &body,
                              const std::string &declarations = "") {
  return ".version 8.8\n.target sm_90a\n.address_size 64\n" + declarations +
         "\n.visible .entry kernel(" + parameters + ")\n{\n" + body + "\n}\n";
}

/// A device with buffers, and one kernel after the other on it.
class PtxRunner {
public:
  LaunchShape shape{{1, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0};
  LaunchOptions options;

  /// A buffer with the values; its address is passed as the next parameter.
  template <class T> MemoryBlock &buffer(const std::vector<T> &values) {
    auto block = memory.allocate(values.size() * sizeof(T));
    std::memcpy(block->data(), values.data(), values.size() * sizeof(T));
    block->setInitialised(0, values.size() * sizeof(T));
    pass(block->address);
    return *block;
  }
  /// A buffer that nobody has written.
  MemoryBlock &uninitialisedBuffer(uint64_t sizeBytes) {
    auto block = memory.allocate(sizeBytes);
    pass(block->address);
    return *block;
  }
  template <class T> void pass(T value) {
    while (parameters.size() % sizeof(T))
      parameters.push_back(0);
    const auto *bytes = reinterpret_cast<const uint8_t *>(&value);
    parameters.insert(parameters.end(), bytes, bytes + sizeof(T));
  }
  std::vector<Report> run(const std::string &ptx,
                          const std::string &kernel = "kernel") {
    auto program = load(ptx, "test.ptx", memory);
    return launch(*program, kernel, shape, parameters, memory, options);
  }
  template <class T> static std::vector<T> values(MemoryBlock &block) {
    std::vector<T> result(block.sizeBytes / sizeof(T));
    std::memcpy(result.data(), block.data(), result.size() * sizeof(T));
    return result;
  }

  GlobalMemory memory;
  std::vector<uint8_t> parameters;
};

/// The texts of the reports, for messages.
inline std::string text(const std::vector<Report> &reports) {
  std::string result;
  for (const Report &report : reports)
    result += report.text() + "\n";
  return result;
}

} // namespace ashlar::sim
