// The simulator as a library: PTX text in, memory and launches, findings out.
// runtime/sim/driver puts the CUDA driver's entry points on top of it.
#pragma once

#include "runtime/sim/machine/Launch.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::sim {

/// Parses and decodes PTX text. `name` stands for it in messages. Throws
/// ptx::ParseError or DecodeError; their what() names line and column. The
/// module's variables are allocated in `memory`.
std::shared_ptr<const Program>
load(std::string_view text, const std::string &name, GlobalMemory &memory);

/// A launch that can't be: what() says why (the kernel does not exist, block
/// or cluster does not fit, shared memory beyond the limit, ...).
class InvalidLaunch : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Executes a kernel. `parameters` is its parameter block (see
/// Function::parameterBlockOffsets). Throws InvalidLaunch.
std::vector<Report> launch(const Program &program, const std::string &kernel,
                           const LaunchShape &shape,
                           std::span<const uint8_t> parameters,
                           GlobalMemory &memory,
                           const LaunchOptions &options = {});

} // namespace ashlar::sim
