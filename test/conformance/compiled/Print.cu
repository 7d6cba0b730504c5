// printf from a kernel: the text is not compared, but what printf returns is.
#include <cstdint>
#include <cstdio>

extern "C" __global__ void kernel(const int32_t *in, int32_t *returned) {
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  const int32_t value = in[index];
  const char *parity = value & 1 ? "odd" : "even";
  int32_t *out = returned + index * 8;
  for (unsigned i = 0; i < 8; ++i)
    out[i] = -7;
  if (index % 16 == 3) {
    out[0] = printf("nothing to insert, 100%%\n");
    out[1] = printf("%d is %s\n", value, parity);
    out[2] = printf("[%5d] [%-5d] [%05d] [%+d] [%x] [%#X] [%o] [%u]\n", value,
                    value, value, value, value, value, value, value);
    out[3] = printf("%c%c%c %lld %llu %p\n", 'a', 'b' + index % 3, '!',
                    int64_t(value) << 33, uint64_t(value), (const void *)0);
    out[4] = printf("%f %10.3f %-10.2e|%g %a\n", double(value), value / 7.0,
                    value * 1e20, value * 0.5f, 1.5);
    out[5] = printf("%hd %ld %lu %8.5s|%-9s|% i\n", int16_t(value), long(value),
                    sizeof(value), "a longer text", parity, value);
  } else if (value < 0) {
    out[6] =
        printf("thread %u of block %u: %i\n", threadIdx.x, blockIdx.x, value);
    out[7] = printf("");
  }
}
