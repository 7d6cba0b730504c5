// The files that the fuzzers start from, and those that once broke something.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ashlar::sim {

/// The paths of the corpus's files in this folder, sorted. The extension .txt
/// is for those that are meant to be wrong.
inline std::vector<std::filesystem::path> corpus(const std::string &folder) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(
           std::filesystem::path(ASHLAR_FUZZ_CORPUS) / folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string contentOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace ashlar::sim
