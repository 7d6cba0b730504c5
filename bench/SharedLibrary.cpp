#include "bench/SharedLibrary.h"

#include "ashlar/error.h"

#include <dlfcn.h>

namespace ashlar::bench {

SharedLibrary::SharedLibrary(const std::string &name) : name("lib" + name) {
  const std::string plain = this->name + ".so";
  for (const std::string &path :
       {plain + ".13", plain + ".12", plain, "/usr/local/cuda/lib64/" + plain})
    if ((file = dlopen(path.c_str(), RTLD_NOW)))
      return;
  throw Error("there is no " + plain + " to compare with (" + dlerror() +
              "): install the CUDA toolkit, or set LD_LIBRARY_PATH");
}

void *SharedLibrary::address(const char *symbol) const {
  void *found = dlsym(file, symbol);
  if (!found)
    throw Error(name + " has no " + symbol + ": install CUDA 12 or 13");
  return found;
}

} // namespace ashlar::bench
