// What test/fuzz/LoadPtx.cpp does with a text.
#pragma once

#include "runtime/sim/Simulator.h"
#include "runtime/sim/instructions/Decoder.h"

#include <cstdint>
#include <cstring>
#include <new>

namespace ashlar::sim {

inline constexpr uint64_t bufferBytes = 64 << 10;

/// Zeros, but the address of a buffer for each parameter of 8 bytes.
inline std::vector<uint8_t> parametersOf(const Function &kernel,
                                         GlobalMemory &memory) {
  std::vector<uint8_t> bytes(kernel.parameterBytes);
  const auto &parameters = kernel.text->parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].sizeBytes() != sizeof(uint64_t))
      continue;
    const auto buffer = memory.allocate(bufferBytes);
    buffer->setInitialised(0, bufferBytes);
    std::memcpy(&bytes[kernel.parameterBlockOffsets[i]], &buffer->address,
                sizeof(buffer->address));
  }
  return bytes;
}

inline void launchFirstKernel(const Program &program, GlobalMemory &memory,
                              uint64_t seed) {
  for (const auto &function : program.functions) {
    const ptx::Function &text = *function->text;
    if (!text.isEntry)
      continue;
    const ptx::Dimensions cluster =
        text.requiredCluster.value_or(ptx::Dimensions{1, 1, 1});
    const LaunchShape shape{
        cluster, text.requiredThreads.value_or(ptx::Dimensions{64, 1, 1}),
        cluster, 1024};
    LaunchOptions options;
    options.seed = seed;
    options.hostThreads = 1;
    options.print = [](const std::string &) {};
    options.maxInstructions = 20000;
    const auto parameters = parametersOf(*function, memory);
    for (const Report &report :
         launch(program, text.name, shape, parameters, memory, options))
      report.text();
    return;
  }
}

/// Parses and decodes the text, and launches its first kernel with a small
/// block. The errors that are documented are caught, others are thrown.
inline void loadAndLaunch(std::string_view text, uint64_t seed) {
  GlobalMemory memory;
  try {
    const auto program = load(text, "corpus", memory);
    launchFirstKernel(*program, memory, seed);
  } catch (const ptx::ParseError &) {
  } catch (const DecodeError &) {
  } catch (const InvalidLaunch &) {
  } catch (const std::bad_alloc &) { // of device memory
  }
}

} // namespace ashlar::sim
