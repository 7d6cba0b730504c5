// Files of numpy's format, version 1 to 3 ("NPY format", numpy.lib.format).
#pragma once

#include "runtime/sim/tool/Element.h"

#include <optional>
#include <string>
#include <vector>

namespace ashlar::sim::tool {

struct NpyArray {
  Element element = Element::u8;
  std::vector<uint64_t> shape;
  std::vector<uint8_t> bytes;
};

bool isNpy(const std::vector<uint8_t> &file);

/// Reads an array in row-major order of integers or floats of 1 to 8 bytes,
/// little-endian. Empty, with the reason in `problem`, when it is none.
std::optional<NpyArray> readNpy(const std::vector<uint8_t> &file,
                                std::string &problem);

/// The file of an array. numpy has no types for bf16 and fp8: these become
/// unsigned integers of the same size.
std::vector<uint8_t> writeNpy(Element element,
                              const std::vector<uint64_t> &shape,
                              const std::vector<uint8_t> &bytes);

} // namespace ashlar::sim::tool
