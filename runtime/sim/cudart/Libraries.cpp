// cudaLibrary*: modules that a program loads itself. A library is a module, a
// kernel a function.
#include "runtime/sim/cudart/Export.h"

using namespace ashlar::sim::cudart;

ASHLAR_CUDART Error cudaLibraryLoadData(ModuleHandle *library, const void *code,
                                        JitOption *options, void **values,
                                        unsigned count, void *, void **,
                                        unsigned) {
  return call([=] {
    return cuModuleLoadDataEx(library, code, count, options, values);
  });
}
ASHLAR_CUDART Error cudaLibraryLoadFromFile(ModuleHandle *library,
                                            const char *path, JitOption *,
                                            void **, unsigned, void *, void **,
                                            unsigned) {
  return call([=] { return cuModuleLoad(library, path); });
}
ASHLAR_CUDART Error cudaLibraryUnload(ModuleHandle library) {
  return call([=] { return cuModuleUnload(library); });
}
ASHLAR_CUDART Error cudaLibraryGetKernel(FunctionHandle *kernel,
                                         ModuleHandle library,
                                         const char *name) {
  return call([=] { return cuModuleGetFunction(kernel, library, name); });
}
ASHLAR_CUDART Error cudaLibraryGetGlobal(void **pointer, size_t *bytes,
                                         ModuleHandle library,
                                         const char *name) {
  return call([=] {
    DevicePointer address = 0;
    const Result result = cuModuleGetGlobal_v2(&address, bytes, library, name);
    if (pointer && result == Result::success)
      *pointer = hostPointer(address);
    return result;
  });
}
ASHLAR_CUDART Error cudaLibraryGetKernelCount(unsigned *count,
                                              ModuleHandle library) {
  return call([=] { return cuModuleGetFunctionCount(count, library); });
}
ASHLAR_CUDART Error cudaLibraryEnumerateKernels(FunctionHandle *kernels,
                                                unsigned count,
                                                ModuleHandle library) {
  return call(
      [=] { return cuModuleEnumerateFunctions(kernels, count, library); });
}
