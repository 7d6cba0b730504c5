// Whole files, in and out. Both functions return why they failed, or "".
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ashlar {

/// What the names of `writeFileAtomically`'s unfinished files end in.
inline constexpr const char *unfinishedSuffix = ".unfinished";

std::string readFile(const std::filesystem::path &path,
                     std::vector<std::byte> &bytes);

/// Writes a new file in the same directory, under a name that can't be guessed,
/// brings it to the disk, and renames it: at every moment `path` is as it was
/// before or has all of `bytes`. Only a file is replaced: no device, FIFO or
/// link.
std::string writeFileAtomically(const std::filesystem::path &path,
                                std::span<const std::byte> bytes);

} // namespace ashlar
