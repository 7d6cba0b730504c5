#include "runtime/sim/driver/Image.h"

#include "runtime/sim/driver/FatBinary.h"

#include <cstring>

namespace ashlar::sim {
namespace {

std::string findPtxInWrapper(const uint8_t *bytes, std::string &problem) {
  uint32_t version = 0;
  std::memcpy(&version, bytes + 4, sizeof(version));
  std::memcpy(&bytes, bytes + 8, sizeof(bytes));
  if (!bytes || !isFatBinary(bytes)) {
    problem = "the wrapper of a fat binary leads to none";
    return {};
  }
  std::string text = findPtxInFatBinary(bytes, problem);
  constexpr uint32_t linked = 2;
  if (text.empty() && version == linked)
    problem = "the kernels were linked by nvcc (-rdc=true), which leaves "
              "machine code only, and the simulator executes PTX: compile "
              "without -rdc=true";
  return text;
}

} // namespace

std::string findPtx(const void *image, std::string &problem) {
  const auto *bytes = static_cast<const uint8_t *>(image);
  // What nvcc's programs register: this number, a version, and a pointer.
  constexpr char wrapper[] = "\xb1\x43\x62\x46";
  if (std::strncmp(reinterpret_cast<const char *>(bytes), wrapper, 4) == 0)
    return findPtxInWrapper(bytes, problem);
  if (isFatBinary(bytes))
    return findPtxInFatBinary(bytes, problem);
  if (bytes[0] == 0x7f) {
    problem = "the image is machine code (a cubin); the simulator executes PTX "
              "text: load PTX, which an artifact has where it is compiled with "
              "CompileOptions::assemble = false";
    return {};
  }
  const auto *text = reinterpret_cast<const char *>(bytes);
  if (!*text)
    problem = "the image is empty";
  return text;
}

} // namespace ashlar::sim
