// The predefined identifiers (PTX ISA, section 10: special registers).
#pragma once

#include <string_view>

namespace ashlar::sim::ptx {

/// Whether "%laneid" or "%tid" is a special register.
bool isSpecial(std::string_view name);

/// Whether a special register has the components .x .y .z .w: "%tid".
bool isSpecialVector(std::string_view name);

} // namespace ashlar::sim::ptx
