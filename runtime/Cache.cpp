#include "ashlar/cache.h"

#include "runtime/Files.h"
#include "runtime/Text.h"

#include <chrono>
#include <cstdlib>

namespace ashlar {
namespace fs = std::filesystem;
namespace {

fs::path environmentPath(const char *variable) {
  const char *value = std::getenv(variable);
  return value ? fs::path(value) : fs::path();
}

fs::path entryPath(const fs::path &directory, std::string_view key) {
  if (key.empty() || key.size() > 128 ||
      key.find_first_not_of("0123456789abcdefABCDEF") != key.npos)
    throw Error(
        concat("'", key,
               "' can't be a cache key: a key is 1 to 128 hexadecimal digits"));
  return directory / (std::string(key) + ".ashlar");
}

/// Removes what writers that were killed left behind. An hour is far more than
/// a living writer needs.
void removeUnfinished(const fs::path &directory) {
  std::error_code ignored;
  const auto longAgo = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (fs::directory_iterator entry(directory, ignored), end;
       !ignored && entry != end; entry.increment(ignored)) {
    std::error_code gone;
    if (entry->path().string().ends_with(unfinishedSuffix) &&
        fs::last_write_time(entry->path(), gone) < longAgo && !gone)
      fs::remove(entry->path(), gone);
  }
}

} // namespace

Cache::Cache(fs::path directory) : directory(std::move(directory)) {}

fs::path Cache::default_directory() {
  if (fs::path own = environmentPath("ASHLAR_CACHE_DIR"); !own.empty())
    return own;
  // The XDG base directory specification: a relative path is to be ignored.
  if (fs::path shared = environmentPath("XDG_CACHE_HOME"); shared.is_absolute())
    return shared / "ashlar";
  if (fs::path home = environmentPath("HOME"); !home.empty())
    return home / ".cache" / "ashlar";
  return {};
}

std::optional<Artifact> Cache::find(std::string_view key) {
  fs::path path = entryPath(directory, key);
  std::vector<std::byte> bytes;
  if (directory.empty() || !readFile(path, bytes).empty())
    return std::nullopt;
  try {
    return deserialize(bytes);
  } catch (const Error &) {
    std::error_code ignored;
    fs::remove(path, ignored);
    return std::nullopt;
  }
}

void Cache::store(std::string_view key, const Artifact &artifact) {
  fs::path path = entryPath(directory, key);
  if (directory.empty())
    return;
  std::error_code ignored;
  fs::create_directories(directory, ignored);
  removeUnfinished(directory);
  // A cache that can't be written costs a compilation, not an error.
  (void)writeFileAtomically(path, serialize(artifact));
}

} // namespace ashlar
