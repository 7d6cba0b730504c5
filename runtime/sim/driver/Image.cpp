#include "runtime/sim/driver/Image.h"

#include <cstdint>
#include <cstring>

namespace ashlar::sim {
namespace {

// Fat binaries are not documented; what is read here was seen in files that
// nvcc 13.0 wrote.
constexpr uint32_t fatbinWrapper = 0x466243b1; // then a pointer to the binary
constexpr uint32_t fatbin = 0xba55ed50;
constexpr uint16_t ptxEntry = 1;
constexpr uint64_t compressedFlags = 0x2000 | 0x8000; // LZ4, zstd

template <class T> T readAt(const uint8_t *bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof(value));
  return value;
}

std::string_view findInFatbin(const uint8_t *bytes, std::string &problem) {
  const size_t headerBytes = readAt<uint16_t>(bytes, 6);
  const size_t contentBytes = readAt<uint64_t>(bytes, 8);
  constexpr size_t entryHeaderBytes = 64; // the least
  problem = "the fat binary has no PTX: compile for code=compute_90a too";
  for (size_t at = 0; at + entryHeaderBytes <= contentBytes;) {
    const uint8_t *entry = bytes + headerBytes + at;
    const size_t header = readAt<uint32_t>(entry, 4);
    const size_t size = readAt<uint64_t>(entry, 8);
    if (header < entryHeaderBytes || header > contentBytes - at ||
        size > contentBytes - at - header) {
      problem = "the fat binary is damaged";
      return {};
    }
    if (readAt<uint16_t>(entry, 0) == ptxEntry) {
      if (readAt<uint64_t>(entry, 40) & compressedFlags) {
        problem = "the PTX in the fat binary is compressed: compile with "
                  "nvcc -Xfatbin -no-compress (or --no-compress)";
      } else {
        const auto *text = reinterpret_cast<const char *>(entry + header);
        return {text, strnlen(text, size)};
      }
    }
    at += header + size;
  }
  return {};
}

} // namespace

std::string_view findPtx(const void *image, std::string &problem) {
  const auto *bytes = static_cast<const uint8_t *>(image);
  // A byte at a time: text may be shorter than a magic number.
  auto begins = [&](uint32_t magic) {
    for (unsigned i = 0; i < 4; ++i)
      if (bytes[i] != (magic >> 8 * i & 0xff))
        return false;
    return true;
  };
  if (begins(fatbinWrapper))
    return findPtx(readAt<const void *>(bytes, 8), problem);
  if (begins(fatbin))
    return findInFatbin(bytes, problem);
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
