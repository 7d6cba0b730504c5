/* A program of the CUDA driver API as others write it, without CUDA's headers:
 * adds two vectors on whatever libcuda.so.1 it finds. The exit status says
 * whether the sums are right. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long DevicePointer;
typedef struct {
  int id, padding;
  unsigned clusterX, clusterY, clusterZ;
  char rest[52];
} LaunchAttribute;
typedef struct {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
} LaunchConfig;

static const char ptx[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c,\n"
    "                    .param .u32 n)\n"
    "{\n"
    "  .reg .pred %p;\n  .reg .b32 %r<6>;\n  .reg .f32 %f<4>;\n"
    "  .reg .b64 %rd<8>;\n"
    "  ld.param.u64 %rd1, [a];\n  ld.param.u64 %rd2, [b];\n"
    "  ld.param.u64 %rd3, [c];\n  ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n"
    "  mov.u32 %r4, %tid.x;\n  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.u32 %p, %r5, %r1;\n  @%p bra done;\n"
    "  mul.wide.u32 %rd4, %r5, 4;\n"
    "  add.s64 %rd5, %rd1, %rd4;\n  add.s64 %rd6, %rd2, %rd4;\n"
    "  add.s64 %rd7, %rd3, %rd4;\n"
    "  ld.global.f32 %f1, [%rd5];\n  ld.global.f32 %f2, [%rd6];\n"
    "  add.f32 %f3, %f1, %f2;\n  st.global.f32 [%rd7], %f3;\n"
    "done:\n  ret;\n}\n";

enum { count = 1000, threads = 128 };
static float a[count], b[count], c[count];

static int (*getProcAddress)(const char *, void **, int,
                             unsigned long long, int *);
static int (*getErrorString)(int, const char **);

static void *find(const char *name) {
  void *function = NULL;
  int status = 0;
  if (getProcAddress(name, &function, 12000, 0, &status) || !function)
    printf("there is no %s\n", name);
  return function;
}

static int failed(int result, const char *what) {
  const char *text = NULL;
  if (!result)
    return 0;
  getErrorString(result, &text);
  printf("%s: %d, %s\n", what, result, text ? text : "?");
  return 1;
}

static int sumsAreRight(void) {
  for (int i = 0; i < count; ++i)
    if (c[i] != a[i] + b[i]) {
      printf("sum %d is %g, not %g\n", i, c[i], a[i] + b[i]);
      return 0;
    }
  return 1;
}

int main(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    printf("%s\n", dlerror());
    return 1;
  }
  getProcAddress = dlsym(library, "cuGetProcAddress_v2");
  getErrorString = dlsym(library, "cuGetErrorString");
  if (!getProcAddress || !getErrorString)
    return 1;
  int (*init)(unsigned) = find("cuInit");
  int (*deviceGet)(int *, int) = find("cuDeviceGet");
  int (*deviceGetName)(char *, int, int) = find("cuDeviceGetName");
  int (*retain)(void **, int) = find("cuDevicePrimaryCtxRetain");
  int (*setCurrent)(void *) = find("cuCtxSetCurrent");
  int (*load)(void **, const void *) = find("cuModuleLoadData");
  int (*getFunction)(void **, void *, const char *) =
      find("cuModuleGetFunction");
  int (*allocate)(DevicePointer *, size_t) = find("cuMemAlloc");
  int (*release)(DevicePointer) = find("cuMemFree");
  int (*copyIn)(DevicePointer, const void *, size_t) = find("cuMemcpyHtoD");
  int (*copyOut)(void *, DevicePointer, size_t) = find("cuMemcpyDtoH");
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, unsigned, void *, void **, void **) =
      find("cuLaunchKernel");
  int (*launchEx)(const LaunchConfig *, void *, void **, void **) =
      find("cuLaunchKernelEx");
  int (*synchronize)(void) = dlsym(library, "cuCtxSynchronize");

  int device = -1;
  char name[64];
  void *context = NULL, *module = NULL, *function = NULL;
  DevicePointer deviceA, deviceB, deviceC;
  if (failed(init(0), "cuInit") || failed(deviceGet(&device, 0), "device") ||
      failed(deviceGetName(name, sizeof name, device), "name") ||
      failed(retain(&context, device), "context") ||
      failed(setCurrent(context), "current") ||
      failed(load(&module, ptx), "module") ||
      failed(getFunction(&function, module, "add"), "function") ||
      failed(allocate(&deviceA, sizeof a), "allocate") ||
      failed(allocate(&deviceB, sizeof b), "allocate") ||
      failed(allocate(&deviceC, sizeof c), "allocate"))
    return 1;
  for (int i = 0; i < count; ++i) {
    a[i] = (float)i;
    b[i] = 0.5f * (float)i;
  }
  unsigned n = count;
  void *parameters[] = {&deviceA, &deviceB, &deviceC, &n};
  if (failed(copyIn(deviceA, a, sizeof a), "copy") ||
      failed(copyIn(deviceB, b, sizeof b), "copy") ||
      failed(launch(function, (count + threads - 1) / threads, 1, 1, threads, 1,
                    1, 0, NULL, parameters, NULL),
             "cuLaunchKernel") ||
      failed(synchronize(), "cuCtxSynchronize") ||
      failed(copyOut(c, deviceC, sizeof c), "copy") || !sumsAreRight())
    return 1;

  /* The same in clusters of two, allowed to start before the launch before it
     ends, with the parameters packed by the caller. */
  struct {
    DevicePointer a, b, c;
    unsigned n;
  } packed = {deviceA, deviceB, deviceC, n};
  size_t packedBytes = sizeof packed;
  void *extra[] = {(void *)1, &packed, (void *)2, &packedBytes, NULL};
  LaunchAttribute attributes[] = {{4, 0, 2, 1, 1, {0}}, {6, 0, 1, 0, 0, {0}}};
  LaunchConfig config = {8, 1, 1, threads, 1, 1, 0, NULL, attributes, 2};
  memset(c, 0, sizeof c);
  if (failed(copyIn(deviceC, c, sizeof c), "copy") ||
      failed(launchEx(&config, function, NULL, extra), "cuLaunchKernelEx") ||
      failed(copyOut(c, deviceC, sizeof c), "copy") || !sumsAreRight())
    return 1;

  /* A grid that the cluster does not divide must be refused. */
  config.gridX = 7;
  if (launchEx(&config, function, NULL, extra) == 0) {
    printf("a grid of 7 blocks in clusters of 2 was accepted\n");
    return 1;
  }
  if (failed(release(deviceA), "free") || failed(release(deviceB), "free") ||
      failed(release(deviceC), "free"))
    return 1;
  printf("right, on %s\n", name);
  return 0;
}
