#include "runtime/Files.h"

#include "runtime/Text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ashlar {
namespace {

/// An open file descriptor, closed with the object.
class File {
public:
  // A FIFO is opened at once, and then seen to be no file.
  File(const std::filesystem::path &path, int flags)
      : descriptor(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666)) {
  }
  File(const File &) = delete;
  ~File() { close(); }

  bool close() {
    int open = std::exchange(descriptor, -1);
    return open < 0 || ::close(open) == 0;
  }
  explicit operator bool() const { return descriptor >= 0; }
  operator int() const { return descriptor; }

private:
  int descriptor;
};

std::string systemError() { return std::strerror(errno); }

bool writeAll(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

bool lock(int file, int flags) {
  while (::flock(file, LOCK_EX | flags) != 0)
    if (errno != EINTR)
      return false;
  return true;
}

/// Whether the open file still has that name.
bool isAt(int file, const std::filesystem::path &path) {
  struct stat open = {}, named = {};
  return ::fstat(file, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

bool isOwnFile(const std::filesystem::path &path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_uid == ::geteuid();
}

/// A writer holds a lock on its unfinished file, which the system takes from it
/// when it ends, in whatever container or host it ran: what can be locked has
/// no writer.
void removeUnfinished(const std::filesystem::path &directory) {
  namespace fs = std::filesystem;
  std::error_code failed;
  for (fs::directory_iterator entry(directory, failed), end;
       !failed && entry != end; entry.increment(failed)) {
    const fs::path &path = entry->path();
    if (!path.native().ends_with(unfinishedSuffix) || !isOwnFile(path))
      continue;
    File file(path, O_RDWR | O_NOFOLLOW);
    if (file && lock(file, LOCK_NB) && isAt(file, path))
      ::unlink(path.c_str());
  }
}

/// A name that nobody has made a file or a link of in advance.
std::filesystem::path unfinishedPath(const std::filesystem::path &path) {
  std::random_device random;
  return concat(path.string(), ".", std::hex, random(), random(),
                unfinishedSuffix);
}

/// Why what is at a path is not to be replaced, or "".
std::string whyNotReplaced(const std::filesystem::path &path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0)
    return errno == ENOENT ? "" : systemError();
  if (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode))
    return "";
  if (S_ISLNK(status.st_mode))
    return "it is a link: name the file that it leads to";
  return "it is not a file: name one, or what is not there yet";
}

} // namespace

std::string readFile(const std::filesystem::path &path,
                     std::vector<std::byte> &bytes, size_t mostBytes) {
  File file(path, O_RDONLY);
  if (!file)
    return systemError();
  struct stat status = {};
  if (::fstat(file, &status) != 0)
    return systemError();
  if (!S_ISREG(status.st_mode))
    return "it is not a file";
  if (static_cast<uintmax_t>(status.st_size) > mostBytes)
    return concat("it has ", status.st_size, " bytes; the limit is ",
                  mostBytes);
  bytes.resize(static_cast<size_t>(status.st_size));
  size_t have = 0;
  while (have < bytes.size()) {
    ssize_t got = ::read(file, bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError();
    if (got == 0)
      break;
    have += static_cast<size_t>(got);
  }
  bytes.resize(have);
  return "";
}

std::string writeFileAtomically(const std::filesystem::path &path,
                                std::span<const std::byte> bytes) {
  if (std::string whyNot = whyNotReplaced(path); !whyNot.empty())
    return whyNot;
  std::error_code absent;
  if (std::filesystem::is_character_file(path, absent)) {
    File device(path, O_WRONLY | O_NOFOLLOW | O_NOCTTY);
    return device && writeAll(device, bytes) && device.close() ? ""
                                                               : systemError();
  }
  const std::filesystem::path directory =
      path.has_parent_path() ? path.parent_path() : ".";
  removeUnfinished(directory);
  std::filesystem::path unfinished;
  std::optional<File> file;
  // Another process may take the file for a dead writer's until it is locked.
  // Where there are no locks nobody does.
  do {
    unfinished = unfinishedPath(path);
    file.emplace(unfinished, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (!*file)
      return systemError();
  } while (lock(*file, 0) && !isAt(*file, unfinished));
  if (!writeAll(*file, bytes) || ::fsync(*file) != 0 || !file->close() ||
      ::rename(unfinished.c_str(), path.c_str()) != 0) {
    std::string whyNot = systemError();
    ::unlink(unfinished.c_str());
    return whyNot;
  }
  return "";
}

std::string finishStandardOutput() {
  const bool failedBefore = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0)
    return systemError();
  return failedBefore ? "some of it was not written" : "";
}

} // namespace ashlar
