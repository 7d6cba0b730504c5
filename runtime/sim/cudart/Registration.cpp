// What nvcc's programs call before main: __cudaRegister*.
#include "runtime/sim/cudart/Registration.h"

#include "runtime/sim/cudart/Export.h"

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>

namespace ashlar::sim::cudart {
namespace {

struct FatBinary {
  const void *image = nullptr;
  ModuleHandle module = nullptr;
  bool wasRefused = false;
};

/// A kernel or a variable.
struct Entity {
  FatBinary *binary = nullptr;
  std::string name; // in the PTX
};

struct Registry {
  std::mutex lock;
  std::map<FatBinary *, std::unique_ptr<FatBinary>> binaries;
  std::map<const void *, Entity> functions, variables; // by host address
};

/// Never destroyed: programs unregister when they end.
Registry &registry() {
  static auto &all = *new Registry;
  return all;
}

FatBinary *binaryOf(void **handle) {
  return reinterpret_cast<FatBinary *>(handle);
}

// A program may go on without looking at the error, so the reason is printed.
Result load(FatBinary &binary) {
  if (binary.module)
    return Result::success;
  const Result result =
      cuModuleLoadDataEx(&binary.module, binary.image, 0, nullptr, nullptr);
  if (result == Result::success)
    return result;
  binary.module = nullptr;
  if (!binary.wasRefused)
    std::fprintf(stderr, "simulator: %s\n",
                 describe(static_cast<Error>(result)).c_str());
  binary.wasRefused = true;
  return result;
}

} // namespace

Error findFunction(const void *hostFunction, FunctionHandle &function) {
  Registry &all = registry();
  std::lock_guard lock(all.lock);
  auto found = all.functions.find(hostFunction);
  if (found == all.functions.end()) {
    function =
        reinterpret_cast<FunctionHandle>(const_cast<void *>(hostFunction));
    const char *name = nullptr;
    return cuFuncGetName(&name, function) == Result::success
               ? Error::success
               : refuse(Error::invalidDeviceFunction,
                        "there is no kernel behind this host function: nvcc "
                        "did not compile it, or its library is not loaded");
  }
  const Entity &kernel = found->second;
  if (Result result = load(*kernel.binary); result != Result::success)
    return record(result);
  return record(cuModuleGetFunction(&function, kernel.binary->module,
                                    kernel.name.c_str()));
}

Error findVariable(const void *hostVariable, DeviceVariable &variable) {
  Registry &all = registry();
  std::lock_guard lock(all.lock);
  auto found = all.variables.find(hostVariable);
  if (found == all.variables.end())
    return refuse(Error::invalidSymbol,
                  "there is no device variable behind this address: a symbol "
                  "is the variable itself, not a pointer to it or its name");
  const Entity &entity = found->second;
  if (Result result = load(*entity.binary); result != Result::success)
    return record(result);
  return record(cuModuleGetGlobal_v2(&variable.address, &variable.sizeBytes,
                                     entity.binary->module,
                                     entity.name.c_str()));
}

void forgetModules() {
  std::lock_guard lock(registry().lock);
  for (auto &[address, binary] : registry().binaries)
    binary->module = nullptr;
}

} // namespace ashlar::sim::cudart

using namespace ashlar::sim::cudart;

ASHLAR_CUDART void **__cudaRegisterFatBinary(void *wrapper) {
  Registry &all = registry();
  std::lock_guard lock(all.lock);
  auto binary = std::make_unique<FatBinary>();
  binary->image = wrapper;
  FatBinary *handle = binary.get();
  all.binaries[handle] = std::move(binary);
  return reinterpret_cast<void **>(handle);
}

ASHLAR_CUDART void __cudaRegisterFatBinaryEnd(void **) {}

ASHLAR_CUDART void __cudaUnregisterFatBinary(void **handle) {
  Registry &all = registry();
  std::lock_guard lock(all.lock);
  FatBinary *binary = binaryOf(handle);
  if (!all.binaries.count(binary))
    return;
  auto isOfBinary = [&](const auto &entry) {
    return entry.second.binary == binary;
  };
  std::erase_if(all.functions, isOfBinary);
  std::erase_if(all.variables, isOfBinary);
  if (binary->module)
    cuModuleUnload(binary->module);
  all.binaries.erase(binary);
}

ASHLAR_CUDART void __cudaRegisterFunction(void **handle, const char *host,
                                          char *, const char *name, int, void *,
                                          void *, void *, void *, int *) {
  std::lock_guard lock(registry().lock);
  registry().functions[host] = {binaryOf(handle), name};
}

ASHLAR_CUDART void __cudaRegisterVar(void **handle, char *host, char *,
                                     const char *name, int, size_t, int, int) {
  std::lock_guard lock(registry().lock);
  registry().variables[host] = {binaryOf(handle), name};
}

ASHLAR_CUDART void __cudaRegisterManagedVar(void **, void **, char *,
                                            const char *name, int, size_t, int,
                                            int) {
  std::fprintf(stderr,
               "simulator: '%s' is a __managed__ variable, which the simulator "
               "does not have: use __device__ and cudaMemcpyToSymbol\n",
               name);
}

ASHLAR_CUDART char __cudaInitModule(void **) { return 1; }

// Launches through the handle tell what is wrong with the kernel, if anything.
ASHLAR_CUDART Error __cudaGetKernel(const void **kernel,
                                    const void *hostFunction) {
  *kernel = hostFunction;
  return Error::success;
}
