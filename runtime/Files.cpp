#include "runtime/Files.h"

#include "runtime/Text.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ashlar {
namespace {

/// An open file descriptor, closed with the object.
class File {
public:
  File(const std::filesystem::path &path, int flags)
      : descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
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

// The process and a counter tell writers apart; a file that a killed process of
// the same number left behind is written over.
std::filesystem::path unfinishedPath(const std::filesystem::path &path) {
  static std::atomic<unsigned> counter = 0;
  return concat(path.string(), ".", ::getpid(), ".", counter++,
                unfinishedSuffix);
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
  std::filesystem::path unfinished = unfinishedPath(path);
  File file(unfinished, O_WRONLY | O_CREAT | O_TRUNC);
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
