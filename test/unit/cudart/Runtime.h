// The CUDA runtime's entry points, declared here so that no CUDA header is
// needed: programs of nvcc call them so.
#pragma once

#include <cstddef>

namespace ashlar::test {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

/// cudaLaunchAttribute and cudaLaunchConfig_t.
struct LaunchAttribute {
  int id = 0, padding = 0;
  Dim3 cluster; // of a value of 64 bytes
  char rest[52] = {};
};
struct LaunchConfig {
  Dim3 grid, block;
  size_t sharedBytes = 0;
  void *stream = nullptr;
  LaunchAttribute *attributes = nullptr;
  unsigned attributeCount = 0;
};

enum CopyKind { hostToHost, hostToDevice, deviceToHost, deviceToDevice };

extern "C" {
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device,
                            const char *name, int threads, void *, void *,
                            void *, void *, int *);
void __cudaRegisterVar(void **handle, char *host, char *device,
                       const char *name, int external, size_t size,
                       int constant, int global);
unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t sharedBytes,
                                     void *stream);
int __cudaPopCallConfiguration(Dim3 *grid, Dim3 *block, size_t *sharedBytes,
                               void *stream);
int cudaLaunchKernel(const void *function, Dim3 grid, Dim3 block,
                     void **parameters, size_t sharedBytes, void *stream);
int cudaLaunchKernelExC(const LaunchConfig *config, const void *function,
                        void **parameters);
int cudaFuncSetAttribute(const void *function, int attribute, int value);
int cudaFuncGetAttributes(void *attributes, const void *function);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                  const void *function,
                                                  int threads, size_t bytes);
int cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                   const LaunchConfig *config);

int cudaMalloc(void **pointer, size_t size);
int cudaFree(void *pointer);
int cudaMallocHost(void **pointer, size_t size);
int cudaFreeHost(void *pointer);
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t size, int kind,
                    void *stream);
int cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch,
                 size_t width, size_t height, int kind);
int cudaMemset(void *to, int value, size_t size);
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size,
                       size_t offset, int kind);
int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size,
                         size_t offset, int kind);
int cudaGetSymbolAddress(void **pointer, const void *symbol);
int cudaGetSymbolSize(size_t *size, const void *symbol);
int cudaPointerGetAttributes(void *attributes, const void *pointer);
int cudaMallocManaged(void **pointer, size_t size, unsigned flags);

int cudaStreamCreate(void **stream);
int cudaStreamDestroy(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaEventCreate(void **event);
int cudaEventDestroy(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventSynchronize(void *event);
int cudaEventElapsedTime(float *milliseconds, void *start, void *end);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, void *stream);

int cudaGetDeviceCount(int *count);
int cudaSetDevice(int device);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaDeviceSynchronize();
int cudaDeviceReset();
int cudaRuntimeGetVersion(int *version);
int cudaGetDriverEntryPoint(const char *symbol, void **function,
                            unsigned long long flags, int *status);
int cudaGetLastError();
int cudaPeekAtLastError();
const char *cudaGetErrorName(int error);
const char *cudaGetErrorString(int error);
}

} // namespace ashlar::test
