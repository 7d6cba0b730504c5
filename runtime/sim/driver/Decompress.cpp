#include "runtime/sim/driver/Decompress.h"

#include <dlfcn.h>
#include <limits>

namespace ashlar::sim {
namespace {

// The libraries are opened when there is something to decompress, so that the
// simulator can be built and run without them.
template <class Function>
Function *find(const char *library, const char *function) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return handle ? reinterpret_cast<Function *>(dlsym(handle, function))
                : nullptr;
}

using Lz4Decompress = int(const char *, char *, int, int);
using ZstdDecompress = size_t(void *, size_t, const void *, size_t);

// How many bytes came out, of as many as there is room for; anything else when
// the bytes are damaged.
size_t decompressLz4(Lz4Decompress *function, std::span<const uint8_t> bytes,
                     std::string &text) {
  constexpr size_t most = std::numeric_limits<int>::max();
  if (bytes.size() > most || text.size() > most)
    return SIZE_MAX;
  return static_cast<size_t>(
      function(reinterpret_cast<const char *>(bytes.data()), text.data(),
               static_cast<int>(bytes.size()), static_cast<int>(text.size())));
}

} // namespace

std::optional<std::string> decompress(Compression kind,
                                      std::span<const uint8_t> bytes,
                                      size_t sizeBytes, std::string &problem) {
  if (kind == Compression::none)
    return std::string(bytes.begin(), bytes.end());
  // Text of PTX shrinks to a tenth; beyond this the size is not to be believed.
  constexpr size_t mostGrowth = 4096;
  if (sizeBytes / mostGrowth > bytes.size()) {
    problem = "the fat binary is damaged";
    return std::nullopt;
  }
  static const auto lz4 =
      find<Lz4Decompress>("liblz4.so.1", "LZ4_decompress_safe");
  static const auto zstd =
      find<ZstdDecompress>("libzstd.so.1", "ZSTD_decompress");
  if (kind == Compression::lz4 ? !lz4 : !zstd) {
    problem = std::string("the PTX in the fat binary is compressed, and ") +
              (kind == Compression::lz4 ? "liblz4.so.1" : "libzstd.so.1") +
              " is not there to read it: install it, or compile with "
              "nvcc -Xfatbin --no-compress";
    return std::nullopt;
  }
  std::string text(sizeBytes, '\0');
  const size_t written =
      kind == Compression::lz4
          ? decompressLz4(lz4, bytes, text)
          : zstd(text.data(), text.size(), bytes.data(), bytes.size());
  if (written != sizeBytes) {
    problem = "the compressed PTX in the fat binary is damaged";
    return std::nullopt;
  }
  return text;
}

} // namespace ashlar::sim
