// "M=128" and "alpha=0.5", as the command line has them.
#pragma once

#include "ashlar/problem.h"

namespace ashlar::harness {

/// Both throw `Error` when the text is not of this form.
NamedSize parseSize(const std::string &text);
NamedScalar parseScalar(const std::string &text);

} // namespace ashlar::harness
