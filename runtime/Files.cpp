#include "runtime/Files.h"

#include "runtime/Text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
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
  if (S_ISREG(status.st_mode))
    return "";
  if (S_ISLNK(status.st_mode))
    return "it is a link: name the file that it leads to";
  return "it is not a file: name one, or what is not there yet";
}

} // namespace

std::string readFile(const std::filesystem::path &path,
                     std::vector<std::byte> &bytes) {
  File file(path, O_RDONLY);
  if (!file)
    return systemError();
  struct stat status = {};
  if (::fstat(file, &status) != 0)
    return systemError();
  if (!S_ISREG(status.st_mode))
    return "it is not a file";
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
  std::filesystem::path unfinished = unfinishedPath(path);
  File file(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (!file)
    return systemError();
  if (!writeAll(file, bytes) || ::fsync(file) != 0 || !file.close() ||
      ::rename(unfinished.c_str(), path.c_str()) != 0) {
    std::string whyNot = systemError();
    ::unlink(unfinished.c_str());
    return whyNot;
  }
  return "";
}

} // namespace ashlar
