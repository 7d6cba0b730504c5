#include "ashlar/cache.h"

#include "runtime/Files.h"
#include "runtime/Text.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <sys/stat.h>
#include <unistd.h>

namespace ashlar {
namespace fs = std::filesystem;
namespace {

/// Kernels have some 100 KB.
constexpr size_t mostEntryBytes = size_t(64) << 20;

fs::path environmentPath(const char *variable) {
  const char *value = std::getenv(variable);
  return value ? fs::path(value) : fs::path();
}

void checkKey(std::string_view key) {
  if (key.empty() || key.size() > 128 ||
      key.find_first_not_of("0123456789abcdefABCDEF") != key.npos)
    throw Error(
        concat("'", key,
               "' can't be a cache key: a key is 1 to 128 hexadecimal digits"));
}

fs::path entryPath(const fs::path &directory, std::string_view key) {
  return directory / (std::string(key) + ".ashlar");
}

fs::path absolute(const char *variable, const fs::path &path) {
  if (!path.is_absolute())
    throw Error(concat(variable, " is '", path.string(),
                       "', which is another folder wherever a program starts, "
                       "and the kernels in it somebody else's: make it an "
                       "absolute path"));
  return path;
}

template <typename... Parts>
[[noreturn]] void refuse(const fs::path &directory, const Parts &...parts) {
  throw Error(concat("the cache '", directory.string(), "' ", parts...,
                     ", and what is in a cache runs: name a folder of your own "
                     "with ASHLAR_CACHE_DIR"));
}

bool isTrusted(uid_t owner) { return owner == 0 || owner == ::geteuid(); }

/// The directory without links, or an empty path when there is none. Throws
/// when another user can put a kernel there.
fs::path ownDirectory(const fs::path &directory) {
  std::error_code missing;
  fs::path real = fs::canonical(directory, missing);
  struct stat status = {};
  if (missing || ::stat(real.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    return {};
  if (!isTrusted(status.st_uid))
    refuse(real, "belongs to user ", status.st_uid);
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    refuse(real, "can be written by others than its owner (chmod go-w '",
           real.string(), "' ends that)");
  for (fs::path above = real; above != above.root_path();) {
    above = above.parent_path();
    if (::stat(above.c_str(), &status) == 0 && status.st_mode & S_IWOTH &&
        !(status.st_mode & S_ISVTX))
      refuse(real, "lies in '", above.string(),
             "', where everyone can put another in its place");
  }
  return real;
}

/// Creates the directory and those above it, for their user alone.
void createDirectories(const fs::path &directory) {
  fs::path part;
  for (const fs::path &name : directory) {
    part /= name;
    ::mkdir(part.c_str(), S_IRWXU);
  }
}

/// An entry begins with its key, in a line of its own.
std::string firstLine(std::string_view key) { return concat(key, '\n'); }

/// Nothing where the entry is damaged, or another key's.
std::optional<Artifact> parse(std::span<const std::byte> entry,
                              std::string_view key) {
  const std::string head = firstLine(key);
  if (entry.size() < head.size() ||
      !std::ranges::equal(entry.first(head.size()),
                          std::as_bytes(std::span(head))))
    return std::nullopt;
  try {
    return deserialize(entry.subspan(head.size()));
  } catch (const Error &) {
    return std::nullopt;
  }
}

/// Others may have put one there before the directory was its user's alone.
bool isOwnFile(const fs::path &path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         isTrusted(status.st_uid);
}

} // namespace

Cache::Cache(fs::path directory) : directory(std::move(directory)) {}

fs::path Cache::default_directory() {
  if (fs::path own = environmentPath("ASHLAR_CACHE_DIR"); !own.empty())
    return absolute("ASHLAR_CACHE_DIR", own);
  // The XDG base directory specification: a relative path is to be ignored.
  if (fs::path shared = environmentPath("XDG_CACHE_HOME"); shared.is_absolute())
    return shared / "ashlar";
  if (fs::path home = environmentPath("HOME"); !home.empty())
    return absolute("HOME", home) / ".cache" / "ashlar";
  return {};
}

std::optional<Artifact> Cache::find(std::string_view key) {
  checkKey(key);
  const fs::path folder = ownDirectory(directory);
  if (folder.empty())
    return std::nullopt;
  const fs::path path = entryPath(folder, key);
  std::vector<std::byte> bytes;
  if (!readFile(path, bytes, mostEntryBytes).empty())
    return std::nullopt;
  std::optional<Artifact> artifact;
  if (isOwnFile(path))
    artifact = parse(bytes, key);
  if (!artifact) {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  return artifact;
}

void Cache::store(std::string_view key, const Artifact &artifact) {
  checkKey(key);
  if (directory.empty())
    return;
  createDirectories(directory);
  const fs::path folder = ownDirectory(directory);
  if (folder.empty())
    return;
  const std::string head = firstLine(key);
  const std::span<const std::byte> line = std::as_bytes(std::span(head));
  std::vector<std::byte> bytes = serialize(artifact);
  bytes.insert(bytes.begin(), line.begin(), line.end());
  // A cache that can't be written costs a compilation, not an error.
  (void)writeFileAtomically(entryPath(folder, key), bytes);
}

} // namespace ashlar
