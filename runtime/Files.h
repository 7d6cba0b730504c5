// Whole files, in and out. The functions return why they failed, or "".
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ashlar {

/// What the names of `writeFileAtomically`'s unfinished files end in.
inline constexpr const char *unfinishedSuffix = ".ashlar-unfinished";

std::string readFile(const std::filesystem::path &path,
                     std::vector<std::byte> &bytes, size_t mostBytes);

/// Writes a new file in the same directory, under a name that can't be guessed,
/// brings it to the disk, and renames it: at every moment `path` is as it was
/// before or has all of `bytes`. Only a file is replaced: a FIFO, a folder and
/// a link are refused, and a character device such as /dev/null stays and takes
/// the bytes. First removes what writers of this user that were killed have
/// left in the directory.
std::string writeFileAtomically(const std::filesystem::path &path,
                                std::span<const std::byte> bytes);

/// Why not all that was printed reached the standard output, or "". To be asked
/// when all is printed.
std::string finishStandardOutput();

} // namespace ashlar
