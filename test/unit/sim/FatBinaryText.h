// Fat binaries made by hand, as nvcc lays them out.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace ashlar::test {

enum class EntryKind : uint16_t { ptx = 1, cubin = 2 };

struct FatBinaryEntry {
  EntryKind kind = EntryKind::ptx;
  std::string content;
  uint64_t flags = 0x11;
  uint64_t decompressedBytes = 0; // of compressed content
};

template <class T> void putAt(std::string &bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

inline std::string entryBytes(const FatBinaryEntry &entry) {
  std::string header(64, '\0');
  const size_t padded = (entry.content.size() + 7) / 8 * 8;
  putAt(header, 0, entry.kind);
  putAt(header, 4, static_cast<uint32_t>(header.size()));
  putAt(header, 8, static_cast<uint64_t>(padded));
  if (entry.decompressedBytes)
    putAt(header, 16, static_cast<uint32_t>(entry.content.size()));
  putAt(header, 28, uint32_t(90));
  putAt(header, 40, entry.flags);
  putAt(header, 56, entry.decompressedBytes);
  return header + entry.content + std::string(padded - entry.content.size(), 0);
}

template <class... Entries> std::string fatBinary(const Entries &...entries) {
  const std::string content = (entryBytes(entries) + ... + std::string());
  std::string header(16, '\0');
  putAt(header, 0, uint32_t(0xba55ed50));
  putAt(header, 4, uint16_t(1));
  putAt(header, 6, static_cast<uint16_t>(header.size()));
  putAt(header, 8, static_cast<uint64_t>(content.size()));
  return header + content;
}

/// What stands in a program's segment .nvFatBinSegment.
struct FatBinaryWrapper {
  uint32_t magic = 0x466243b1, version = 1;
  const void *binary;
  void *unused = nullptr;
};

} // namespace ashlar::test
