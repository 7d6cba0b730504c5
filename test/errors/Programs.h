// The programs of this folder: one for each mistake of a kernel's author.
#pragma once

#include "ashlar/kernel.h"

#include <span>

namespace ashlar::test {

struct Program {
  const char *name;
  Kernel (*define)();
};

std::span<const Program> programs();

} // namespace ashlar::test
