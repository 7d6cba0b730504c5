#include "runtime/sim/driver/FatBinary.h"

#include "runtime/sim/driver/Decompress.h"

#include <charconv>
#include <cstring>
#include <string_view>

namespace ashlar::sim {
namespace {

// Fat binaries are not documented; what is read here was seen in files that
// nvcc 12 and 13 wrote.
constexpr uint32_t magicNumber = 0xba55ed50;
constexpr uint16_t ptxEntry = 1;
constexpr uint64_t lz4Flag = 0x2000, zstdFlag = 0x8000;
constexpr size_t entryHeaderBytes = 64; // the least

template <class T> T readAt(const uint8_t *bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof(value));
  return value;
}

/// One text or machine code, for one target.
struct Entry {
  uint16_t kind;
  uint64_t flags, decompressedBytes;
  std::span<const uint8_t> content;
};

std::optional<std::string> textOf(const Entry &entry, std::string &problem) {
  const Compression kind = entry.flags & zstdFlag  ? Compression::zstd
                           : entry.flags & lz4Flag ? Compression::lz4
                                                   : Compression::none;
  std::optional<std::string> text =
      decompress(kind, entry.content, entry.decompressedBytes, problem);
  if (text)
    text->resize(strnlen(text->data(), text->size()));
  return text;
}

std::string_view targetOf(std::string_view text) {
  constexpr std::string_view directive = ".target ";
  size_t begin = text.find(directive);
  if (begin == text.npos)
    return {};
  begin += directive.size();
  return text.substr(begin, text.find_first_of(", \t\r\n", begin) - begin);
}

/// How well a target's text fits: 0 when it can't be executed.
int fitness(std::string_view target) {
  constexpr int best = 1000, newest = 90;
  constexpr std::string_view prefix = "sm_";
  if (target == "sm_90a")
    return best;
  int version = 0;
  if (!target.starts_with(prefix))
    return 0;
  const char *end = target.data() + target.size();
  auto [rest, error] =
      std::from_chars(target.data() + prefix.size(), end, version);
  return error == std::errc() && rest == end && version <= newest ? version : 0;
}

/// The entry at `at`, which then is that of the next one.
std::optional<Entry> takeEntry(std::span<const uint8_t> entries, size_t &at) {
  const uint8_t *begin = entries.data() + at;
  const size_t header = readAt<uint32_t>(begin, 4);
  const size_t padded = readAt<uint64_t>(begin, 8);
  const size_t room = entries.size() - at;
  if (header < entryHeaderBytes || header > room || padded > room - header)
    return std::nullopt;
  // Compressed content is padded behind its own size.
  const uint64_t flags = readAt<uint64_t>(begin, 40);
  const size_t compressed = readAt<uint32_t>(begin, 16);
  const size_t size = flags & (lz4Flag | zstdFlag) ? compressed : padded;
  if (size > padded)
    return std::nullopt;
  at += header + padded;
  return Entry{readAt<uint16_t>(begin, 0), flags, readAt<uint64_t>(begin, 56),
               std::span(begin + header, size)};
}

} // namespace

bool isFatBinary(const uint8_t *bytes) {
  // A byte at a time: text may be shorter than the number.
  for (unsigned i = 0; i < sizeof(magicNumber); ++i)
    if (bytes[i] != (magicNumber >> 8 * i & 0xff))
      return false;
  return true;
}

std::string findPtxInFatBinary(const uint8_t *bytes, std::string &problem) {
  const std::span entries(bytes + readAt<uint16_t>(bytes, 6),
                          readAt<uint64_t>(bytes, 8));
  std::string best, otherTarget;
  int bestFitness = 0;
  for (size_t at = 0;
       at < entries.size() && entries.size() - at >= entryHeaderBytes;) {
    const std::optional<Entry> entry = takeEntry(entries, at);
    if (!entry) {
      problem = "the fat binary is damaged";
      return {};
    }
    if (entry->kind != ptxEntry)
      continue;
    std::optional<std::string> text = textOf(*entry, problem);
    if (!text)
      return {};
    const std::string_view target = targetOf(*text);
    if (const int fits = fitness(target); fits > bestFitness) {
      bestFitness = fits;
      best = std::move(*text);
    } else if (!fits) {
      otherTarget = target;
    }
  }
  if (best.empty() && !otherTarget.empty())
    problem = "the PTX in the fat binary is for " + otherTarget +
              "; the simulator executes sm_90a: compile with "
              "nvcc -gencode arch=compute_90a,code=compute_90a";
  else if (best.empty())
    problem = "the fat binary has machine code only, and the simulator "
              "executes PTX: compile with "
              "nvcc -gencode arch=compute_90a,code=compute_90a";
  return best;
}

} // namespace ashlar::sim
