// A library that is opened when the program runs, so that building it needs
// none of NVIDIA's.
#pragma once

#include <string>
#include <vector>

namespace ashlar::bench {

class SharedLibrary {
public:
  /// `name` is such as "cublasLt". Throws `Error` when it is nowhere.
  explicit SharedLibrary(const std::string &name);

  /// Sets `function`; throws `Error` when the library has none of that name.
  template <typename Function>
  void find(Function *&function, const char *name) const {
    function = reinterpret_cast<Function *>(address(name));
  }

private:
  void *address(const char *name) const;

  std::string name;
  void *file = nullptr;
};

} // namespace ashlar::bench
