// PTX in what a program gives as a module's image.
#pragma once

#include <string>

namespace ashlar::sim {

/// The PTX text in the image, which is text with a zero at its end, or a fat
/// binary that holds PTX. Empty, with the reason in `problem`, where there is
/// none.
std::string findPtx(const void *image, std::string &problem);

} // namespace ashlar::sim
