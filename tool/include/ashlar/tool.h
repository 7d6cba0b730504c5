#pragma once

#include "ashlar/kernel.h"
#include "ashlar/problem.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar {

/// How one output is computed, an element at a time, in double.
struct Reference {
  std::string tensor;
  std::function<double(const Problem &, std::span<const int64_t> coordinate)>
      element;
};

/// The C++ numbers that a kernel is built with, by their names. Throws `Error`
/// for a name that `ToolOptions::constants` does not have.
class Constants {
public:
  explicit Constants(std::vector<NamedSize> values)
      : values(std::move(values)) {}
  int64_t operator[](std::string_view name) const;

private:
  std::vector<NamedSize> values;
};

/// What `tool` can't read off the kernel.
struct ToolOptions {
  /// The problem that is run when the command line names no sizes; a size that
  /// is in neither is 1024.
  std::vector<NamedSize> sizes = {};
  /// The constants of a kernel that is built from them, and their values when
  /// the command line names no others.
  std::vector<NamedSize> constants = {};
  /// As `sizes`, for the simulator, which is some ten thousand times slower
  /// than a GPU; a size that is not in it is a few tiles, the last not full.
  std::vector<NamedSize> simulated_sizes = {};
  /// As for sizes; a scalar that is in neither is 1.
  std::vector<NamedScalar> scalars = {};
  /// Tensors that are zeros when the kernel is first launched: its counters.
  std::vector<std::string> zeros = {};
  /// What other tensors hold: tables of indices, say.
  std::vector<Input> inputs = {};
  /// An output without a reference is checked for elements never written.
  std::vector<Reference> references = {};
  /// The largest |result - reference| / (|reference| + the root mean square of
  /// the references). Without it, what the output's type rounds off.
  std::optional<double> tolerance = {};
  /// Floating-point operations of one launch; `--bench` then prints TFLOP/s.
  std::function<double(const Problem &)> operations = {};
};

/// The main function of a kernel program: compiles the kernel and does what the
/// command line asks for (`--help` lists it); without arguments it prints a
/// summary, runs the kernel, on a GPU or else in the simulator, and checks the
/// result. Returns the exit status; every failure is a sentence on the error
/// stream.
int tool(int argc, char **argv, const Kernel &kernel,
         const ToolOptions &options = {});

/// The same for a kernel that is built from constants, which `--constant` sets:
/// `most=8192`.
int tool(int argc, char **argv,
         const std::function<Kernel(const Constants &)> &build,
         const ToolOptions &options);

} // namespace ashlar
