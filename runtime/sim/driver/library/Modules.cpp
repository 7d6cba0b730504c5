// cuModule*, cuLibrary*, cuFunc*, cuKernel*. A library is a module, a kernel a
// function.
#include "runtime/sim/driver/State.h"
#include "runtime/sim/driver/library/Export.h"

using namespace ashlar::sim;
using namespace ashlar::sim::library;

using LibraryHandle = ModuleHandle;
using KernelHandle = FunctionHandle;

ASHLAR_CUDA Result cuModuleLoad(ModuleHandle *module, const char *path) {
  return calls::moduleLoadFile(module, path);
}
ASHLAR_CUDA Result cuModuleLoadDataEx(ModuleHandle *module, const void *image,
                                      unsigned count, JitOption *options,
                                      void **values) {
  return calls::moduleLoadDataEx(module, image, count, options, values);
}
ASHLAR_CUDA Result cuModuleLoadData(ModuleHandle *module, const void *image) {
  return calls::moduleLoadDataEx(module, image, 0, nullptr, nullptr);
}
ASHLAR_CUDA Result cuModuleLoadFatBinary(ModuleHandle *module,
                                         const void *image) {
  return calls::moduleLoadDataEx(module, image, 0, nullptr, nullptr);
}
ASHLAR_CUDA Result cuModuleUnload(ModuleHandle module) {
  return calls::moduleUnload(module);
}
ASHLAR_CUDA Result cuModuleGetLoadingMode(int *mode) {
  if (!mode)
    return Result::invalidValue;
  *mode = 1; // eager
  return Result::success;
}
ASHLAR_CUDA Result cuModuleGetFunction(FunctionHandle *function,
                                       ModuleHandle module, const char *name) {
  return calls::moduleGetFunction(function, module, name);
}
ASHLAR_CUDA Result cuModuleGetGlobal_v2(DevicePointer *address, size_t *bytes,
                                        ModuleHandle module, const char *name) {
  return calls::moduleGetGlobal(address, bytes, module, name);
}
ASHLAR_CUDA Result cuModuleGetFunctionCount(unsigned *count,
                                            ModuleHandle module) {
  std::lock_guard lock(state().lock);
  LoadedModule *loaded = state().modules.find(module);
  if (!loaded)
    return Result::invalidHandle;
  if (!count)
    return Result::invalidValue;
  *count = static_cast<unsigned>(loaded->kernels.size());
  return Result::success;
}
ASHLAR_CUDA Result cuModuleEnumerateFunctions(FunctionHandle *functions,
                                              unsigned count,
                                              ModuleHandle module) {
  std::lock_guard lock(state().lock);
  LoadedModule *loaded = state().modules.find(module);
  if (!loaded)
    return Result::invalidHandle;
  if (!functions)
    return Result::invalidValue;
  for (auto &[name, kernel] : loaded->kernels) {
    if (count-- == 0)
      break;
    *functions++ = reinterpret_cast<FunctionHandle>(&kernel);
  }
  return Result::success;
}

// --- libraries
// -----------------------------------------------------------------

ASHLAR_CUDA Result cuLibraryLoadData(LibraryHandle *library, const void *code,
                                     JitOption *options, void **values,
                                     unsigned count, void *, void **,
                                     unsigned) {
  return calls::moduleLoadDataEx(library, code, count, options, values);
}
ASHLAR_CUDA Result cuLibraryLoadFromFile(LibraryHandle *library,
                                         const char *path, JitOption *, void **,
                                         unsigned, void *, void **, unsigned) {
  return calls::moduleLoadFile(library, path);
}
ASHLAR_CUDA Result cuLibraryUnload(LibraryHandle library) {
  return calls::moduleUnload(library);
}
ASHLAR_CUDA Result cuLibraryGetKernel(KernelHandle *kernel,
                                      LibraryHandle library, const char *name) {
  return calls::moduleGetFunction(kernel, library, name);
}
ASHLAR_CUDA Result cuLibraryGetKernelCount(unsigned *count,
                                           LibraryHandle library) {
  return cuModuleGetFunctionCount(count, library);
}
ASHLAR_CUDA Result cuLibraryEnumerateKernels(KernelHandle *kernels,
                                             unsigned count,
                                             LibraryHandle library) {
  return cuModuleEnumerateFunctions(kernels, count, library);
}
ASHLAR_CUDA Result cuLibraryGetModule(ModuleHandle *module,
                                      LibraryHandle library) {
  if (!module)
    return Result::invalidValue;
  *module = library;
  return Result::success;
}
ASHLAR_CUDA Result cuLibraryGetGlobal(DevicePointer *address, size_t *bytes,
                                      LibraryHandle library, const char *name) {
  return calls::moduleGetGlobal(address, bytes, library, name);
}
ASHLAR_CUDA Result cuKernelGetFunction(FunctionHandle *function,
                                       KernelHandle kernel) {
  if (!function)
    return Result::invalidValue;
  *function = kernel;
  return state().kernel(kernel) ? Result::success : Result::invalidHandle;
}
ASHLAR_CUDA Result cuKernelGetLibrary(LibraryHandle *library,
                                      KernelHandle kernel) {
  return calls::functionGetModule(library, kernel);
}
ASHLAR_CUDA Result cuKernelGetAttribute(int *value, FunctionAttribute attribute,
                                        KernelHandle kernel, DeviceOrdinal) {
  return calls::functionGetAttribute(value, attribute, kernel);
}
ASHLAR_CUDA Result cuKernelSetAttribute(FunctionAttribute attribute, int value,
                                        KernelHandle kernel, DeviceOrdinal) {
  return calls::functionSetAttribute(kernel, attribute, value);
}
ASHLAR_CUDA Result cuKernelSetCacheConfig(KernelHandle, int, DeviceOrdinal) {
  return Result::success;
}
ASHLAR_CUDA Result cuKernelGetName(const char **name, KernelHandle kernel) {
  return calls::functionGetName(name, kernel);
}
ASHLAR_CUDA Result cuKernelGetParamInfo(KernelHandle kernel, size_t index,
                                        size_t *offset, size_t *bytes) {
  return calls::functionGetParameter(kernel, index, offset, bytes);
}

// --- functions
// -----------------------------------------------------------------

ASHLAR_CUDA Result cuFuncGetAttribute(int *value, FunctionAttribute attribute,
                                      FunctionHandle function) {
  return calls::functionGetAttribute(value, attribute, function);
}
ASHLAR_CUDA Result cuFuncSetAttribute(FunctionHandle function,
                                      FunctionAttribute attribute, int value) {
  return calls::functionSetAttribute(function, attribute, value);
}
ASHLAR_CUDA Result cuFuncSetCacheConfig(FunctionHandle, int) {
  return Result::success;
}
ASHLAR_CUDA Result cuFuncSetSharedMemConfig(FunctionHandle, int) {
  return Result::success;
}
ASHLAR_CUDA Result cuFuncGetModule(ModuleHandle *module,
                                   FunctionHandle function) {
  return calls::functionGetModule(module, function);
}
ASHLAR_CUDA Result cuFuncGetName(const char **name, FunctionHandle function) {
  return calls::functionGetName(name, function);
}
ASHLAR_CUDA Result cuFuncGetParamInfo(FunctionHandle function, size_t index,
                                      size_t *offset, size_t *bytes) {
  return calls::functionGetParameter(function, index, offset, bytes);
}
ASHLAR_CUDA Result cuFuncIsLoaded(int *loaded, FunctionHandle function) {
  if (!loaded)
    return Result::invalidValue;
  *loaded = 1;
  return state().kernel(function) ? Result::success : Result::invalidHandle;
}
ASHLAR_CUDA Result cuFuncLoad(FunctionHandle function) {
  return state().kernel(function) ? Result::success : Result::invalidHandle;
}
