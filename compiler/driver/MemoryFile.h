// What passes between this process and a tool that takes files.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace ashlar::compiler {

/// A file in memory without a name on a disk: nothing is left of it when the
/// process ends, however it ends. Programs that this one starts open it by its
/// path.
class MemoryFile {
public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  std::string path() const;
  /// Throws `Error` when there is no memory for the text.
  void write(llvm::StringRef text);
  std::string read() const;

private:
  int descriptor;
};

} // namespace ashlar::compiler
