#pragma once

#include "ashlar/artifact.h"

#include <filesystem>
#include <optional>
#include <string_view>

namespace ashlar {

/// Compiled kernels on disk, one file each. Processes may share a directory and
/// may be killed at any moment: an entry is whole or absent. What is in a cache
/// runs, so its directory is its user's alone: it is created so, and `find` and
/// `store` throw `Error` when another user can write there.
class Cache {
public:
  /// An empty path is a cache that holds nothing.
  explicit Cache(std::filesystem::path directory = default_directory());

  /// $ASHLAR_CACHE_DIR, else $XDG_CACHE_HOME/ashlar, else $HOME/.cache/ashlar,
  /// else an empty path. Throws `Error` when it would be a relative path.
  static std::filesystem::path default_directory();

  /// The artifact stored under `key`, the hexadecimal digest of all that
  /// determines it. A damaged entry, or one that was stored under another key,
  /// is removed and counts as absent. Throws
  /// `Error` when the key is not hexadecimal.
  std::optional<Artifact> find(std::string_view key);

  /// Stores the artifact; does nothing when the directory can't be written.
  /// Throws `Error` when the key is not hexadecimal.
  void store(std::string_view key, const Artifact &artifact);

private:
  std::filesystem::path directory;
};

} // namespace ashlar
