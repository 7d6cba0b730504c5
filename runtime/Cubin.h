// Machine code, looked at before anything else uses it: the CUDA driver takes a
// cubin by its address alone, and believes what is in it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ashlar {

/// Why the bytes are no whole ELF file for compute capability 9.0 with the code
/// of the kernel ("has no code of kernel 'gemm'"), or "".
std::string whyNoCubin(std::span<const std::byte> bytes,
                       const std::string &kernel);

} // namespace ashlar
