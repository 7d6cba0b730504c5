// Files to which a long run adds a row at a time.
#pragma once

#include "ashlar/error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ashlar::bench {

/// Throws `Error` when a row did not reach the file that an option names.
inline void demandWritten(std::FILE *file, const char *option) {
  if (std::fflush(file) != 0 || std::ferror(file))
    throw Error(std::string("the file of ") + option +
                " can't be written: " + std::strerror(errno));
}

} // namespace ashlar::bench
