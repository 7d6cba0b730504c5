// Names in sentences, as long as they can be read.
#pragma once

#include <string>
#include <string_view>

namespace ashlar::sim {

/// The most that remains of a name.
inline constexpr size_t longestName = 80;

/// The text with each identifier of more than `longestName` characters made
/// shorter: one that is mangled as in C++ loses its parameters, and of its
/// template arguments the innermost first, "gemm<Tile<...>, 3>"; what is still
/// too long, its middle, "matmul_kernel_...d18d19".
std::string withShortNames(std::string_view text);

} // namespace ashlar::sim
