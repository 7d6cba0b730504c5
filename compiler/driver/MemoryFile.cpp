#include "compiler/driver/MemoryFile.h"

#include "ashlar/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ashlar::compiler {
namespace {

[[noreturn]] void fail() {
  throw Error(std::string("a file in memory, to run a tool of CUDA on, can't "
                          "be made: ") +
              std::strerror(errno));
}

} // namespace

MemoryFile::MemoryFile() {
  const int first = ::memfd_create("ashlar", MFD_CLOEXEC);
  // Not one of the standard streams, which a started program gets anew, and
  // open in that program.
  descriptor = first < 0 ? -1 : ::fcntl(first, F_DUPFD, STDERR_FILENO + 1);
  const int reason = errno;
  ::close(first);
  errno = reason;
  if (descriptor < 0)
    fail();
}

MemoryFile::~MemoryFile() { ::close(descriptor); }

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

void MemoryFile::write(llvm::StringRef text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      fail();
    text = text.drop_front(static_cast<size_t>(written));
  }
}

std::string MemoryFile::read() const {
  std::string text;
  char part[1 << 16];
  while (true) {
    const ssize_t got = ::pread(descriptor, part, sizeof(part),
                                static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      fail();
    if (got == 0)
      return text;
    text.append(part, static_cast<size_t>(got));
  }
}

} // namespace ashlar::compiler
