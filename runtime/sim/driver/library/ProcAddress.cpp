// cuGetProcAddress: functions by the names of the documentation, in the version
// that fits what a program was compiled for.
#include "runtime/sim/driver/State.h"
#include "runtime/sim/driver/library/Export.h"

#include <dlfcn.h>
#include <string>

using namespace ashlar::sim;
using namespace ashlar::sim::library;

namespace {

/// Where a version suffix came later than all that programs are compiled for
/// today, or the newest name is not the old one with a suffix.
struct Version {
  const char *name;
  int since; // 1000 * major + 10 * minor
  const char *symbol;
};
constexpr Version versions[] = {
    {"cuGetProcAddress", 12000, "cuGetProcAddress_v2"},
    {"cuCtxCreate", 12050, "cuCtxCreate_v4"},
    {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
    {"cuCtxCreate", 0, "cuCtxCreate_v2"},
    {"cuStreamGetCtx", 0, "cuStreamGetCtx"},
    {"cuCtxGetDevice", 13000, "cuCtxGetDevice_v2"},
    {"cuCtxSynchronize", 13000, "cuCtxSynchronize_v2"},
    {"cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"},
};

void *librarySymbol(const std::string &name) {
  static void *library = [] {
    Dl_info own = {};
    dladdr(reinterpret_cast<void *>(&librarySymbol), &own);
    return own.dli_fname ? dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                         : nullptr;
  }();
  return library ? dlsym(library, name.c_str()) : nullptr;
}

void *find(const std::string &name, int version) {
  bool listed = false;
  for (const Version &each : versions)
    if (name == each.name) {
      listed = true;
      if (version >= each.since)
        return librarySymbol(each.symbol);
    }
  if (!listed)
    if (void *newest = librarySymbol(name + "_v2"))
      return newest;
  return librarySymbol(name);
}

} // namespace

ASHLAR_CUDA Result cuGetProcAddress_v2(const char *symbol, void **function,
                                       int version, uint64_t flags,
                                       int *status) {
  if (!symbol || !function)
    return Result::invalidValue;
  // CUdriverProcAddressQueryResult
  constexpr int found = 0, notFound = 1;
  *function = find(symbol, version);
  if (status)
    *status = *function ? found : notFound;
  return *function || status
             ? Result::success
             : refuse(Result::notFound, std::string("there is no ") + symbol);
}
ASHLAR_CUDA_ALIAS(cuGetProcAddress_v2_ptsz, cuGetProcAddress_v2);

ASHLAR_CUDA Result cuGetProcAddress(const char *symbol, void **function,
                                    int version, uint64_t flags) {
  int status = 0;
  Result result =
      cuGetProcAddress_v2(symbol, function, version, flags, &status);
  return result == Result::success && status ? Result::notFound : result;
}
