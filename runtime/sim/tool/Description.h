// What a JSON file says of a launch; docs/simulator.md has the format.
#pragma once

#include "runtime/sim/machine/copies/TensorMap.h"
#include "runtime/sim/ptx/Module.h"
#include "runtime/sim/tool/Element.h"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace ashlar::sim::tool {

/// What is wrong with the input: a sentence, after the place in the file.
class InputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a buffer must hold after the launch.
struct Expectation {
  Element element = Element::u8; // the buffer's, or a type of floats
  std::vector<uint8_t> bytes;
  /// |result - expected| <= absolute + relative * |expected|.
  double absolute = 0, relative = 0;
};

struct PointerArgument {
  size_t buffer = 0;
  uint64_t offsetBytes = 0;
};

struct TensorMapArgument {
  size_t buffer = 0;
  uint64_t offsetBytes = 0;
  TensorMap map; // without the address
};

/// One parameter of the kernel: bytes as they are, or what depends on where a
/// buffer lies.
struct Argument {
  std::string where; // "arguments[2]"
  std::string what;  // "a u32"
  std::variant<std::vector<uint8_t>, PointerArgument, TensorMapArgument> value;
  size_t sizeBytes() const;
};

/// What lies at an offset of a buffer that is made of arguments.
struct Item {
  uint64_t offsetBytes = 0;
  Argument value;
};

struct Buffer {
  std::string name;
  Element element = Element::u8;
  std::vector<uint64_t> shape;
  std::vector<uint64_t> strides; // in elements; empty: one after the other
  /// The elements alone before the launch, but for the items.
  std::vector<uint8_t> bytes;
  std::vector<Item> items;
  bool isInitialised = true; // else `bytes` only has the size
  std::optional<Expectation> expected;
  std::string save; // a file for its content afterwards, or ""
  uint64_t deviceBytes = 0;
};

struct Description {
  std::string kernel; // "" for the only one
  ptx::Dimensions grid, block, cluster;
  bool clusterGiven = false; // else the kernel's own
  uint32_t sharedBytes = 0;
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments;
};

/// Reads the file and those that it names. Throws InputError.
Description readDescription(const std::string &path);

/// The same of the file's text, with at most `maxBytes` in all buffers.
Description parseDescription(const std::vector<uint8_t> &text,
                             const std::string &path, uint64_t maxBytes);

/// The file's bytes. Throws InputError.
std::vector<uint8_t> readFile(const std::string &path);

} // namespace ashlar::sim::tool
