#include "runtime/sim/driver/Image.h"

#include "runtime/sim/driver/FatBinary.h"

#include <cstring>

namespace ashlar::sim {

std::string findPtx(const void *image, std::string &problem) {
  const auto *bytes = static_cast<const uint8_t *>(image);
  // What nvcc's programs register: this number, then a pointer.
  constexpr char wrapper[] = "\xb1\x43\x62\x46";
  if (std::strncmp(reinterpret_cast<const char *>(bytes), wrapper, 4) == 0) {
    std::memcpy(&bytes, bytes + 8, sizeof(bytes));
    if (!bytes || !isFatBinary(bytes)) {
      problem = "the wrapper of a fat binary leads to none";
      return {};
    }
  }
  if (isFatBinary(bytes))
    return findPtxInFatBinary(bytes, problem);
  if (bytes[0] == 0x7f) {
    problem = "the image is machine code (a cubin); the simulator executes PTX "
              "text: load the PTX instead";
    return {};
  }
  const auto *text = reinterpret_cast<const char *>(bytes);
  if (!*text)
    problem = "the image is empty";
  return text;
}

} // namespace ashlar::sim
