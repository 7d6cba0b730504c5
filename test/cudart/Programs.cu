// A program of the CUDA runtime as nvcc compiles it: kernels launched with
// <<<>>> and in clusters, variables, events, an error.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace groups = cooperative_groups;

__constant__ float factor;
__device__ int sums;

__global__ void add(const float *a, const float *b, float *c, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    c[i] = factor * (a[i] + b[i]);
    atomicAdd(&sums, 1);
  }
}

__global__ void sumOfRanks(int *out) {
  extern __shared__ int own[];
  auto cluster = groups::this_cluster();
  if (threadIdx.x == 0)
    own[0] = static_cast<int>(cluster.block_rank());
  cluster.sync();
  int sum = 0;
  for (unsigned i = 0; i < cluster.num_blocks(); ++i)
    sum += *cluster.map_shared_rank(own, i);
  cluster.sync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

static bool ok = true;
static void check(bool right, const char *what) {
  if (!right)
    std::printf("wrong: %s (%s)\n", what,
                cudaGetErrorString(cudaPeekAtLastError()));
  ok &= right;
}

static void addVectors() {
  constexpr int count = 1000;
  constexpr size_t bytes = count * sizeof(float);
  std::vector<float> host(count, 1.5f);
  float *a = nullptr, *b = nullptr, *c = nullptr;
  const float three = 3;
  check(!cudaMalloc(&a, bytes) && !cudaMalloc(&b, bytes) &&
            !cudaMalloc(&c, bytes),
        "cudaMalloc");
  cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, host.data(), bytes, cudaMemcpyDefault);
  check(!cudaMemcpyToSymbol(factor, &three, sizeof(three)), "a symbol");
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  add<<<(count + 127) / 128, 128>>>(a, b, c, count);
  cudaEventRecord(end);
  check(!cudaGetLastError() && !cudaDeviceSynchronize(), "a launch");
  float milliseconds = -1;
  cudaEventElapsedTime(&milliseconds, begin, end);
  check(milliseconds >= 0, "a time");
  cudaMemcpy(host.data(), c, bytes, cudaMemcpyDeviceToHost);
  check(host[0] == 9 && host[count - 1] == 9, "the sums");
  int called = 0;
  cudaMemcpyFromSymbol(&called, sums, sizeof(called));
  check(called == count, "a count");
}

static void launchClusters() {
  constexpr int blocks = 8;
  int *out = nullptr, host[blocks];
  cudaMalloc(&out, sizeof(host));
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 4;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = 32;
  config.dynamicSmemBytes = 100000;
  config.attrs = &cluster;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, sumOfRanks, out) != cudaSuccess,
        "a launch with too much shared memory");
  check(cudaGetLastError() != cudaSuccess, "its error");
  check(!cudaFuncSetAttribute(
            sumOfRanks, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000),
        "an attribute");
  check(!cudaLaunchKernelEx(&config, sumOfRanks, out), "a launch of clusters");
  check(!cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost), "a copy");
  check(host[0] == 6 && host[blocks - 1] == 6, "the sums of ranks");
}

int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  check(properties.major == 9 && properties.multiProcessorCount == 132 &&
            properties.sharedMemPerBlockOptin == 232448 &&
            properties.clusterLaunch,
        "the properties");
  int blocks = 0, grid = 0, block = 0;
  check(!cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0) &&
            blocks == 16,
        "the occupancy");
  check(!cudaOccupancyMaxPotentialBlockSize(&grid, &block, add) &&
            block == 1024,
        "the best block");
  addVectors();
  launchClusters();
  std::printf("%s, on %s\n", ok ? "right" : "wrong", properties.name);
  return !ok;
}
