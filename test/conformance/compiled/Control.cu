// Control flow in which the threads of a warp part: loops with break and
// continue, switches, recursion, virtual calls, calls through pointers, and
// functions that are not inlined and take and return structures.
#include <cstdint>

namespace {

struct Pair {
  int64_t first;
  int32_t second;
  int16_t third[3];
};

__device__ __noinline__ Pair mix(Pair a, Pair b, int32_t by) {
  Pair result = a;
  result.first += b.first * by;
  result.second ^= b.second + by;
  for (int i = 0; i < 3; ++i)
    result.third[i] = static_cast<int16_t>(a.third[2 - i] - b.third[i]);
  return result;
}

__device__ __noinline__ uint32_t ackermann(uint32_t m, uint32_t n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ int32_t sumOfDigits(int32_t value) {
  return value == 0 ? 0 : value % 10 + sumOfDigits(value / 10);
}

struct Shape {
  __device__ virtual int32_t area() const = 0;
  __device__ virtual int32_t scaled(int32_t by) const { return area() * by; }
};
struct Square : Shape {
  int32_t side;
  __device__ explicit Square(int32_t side) : side(side) {}
  __device__ int32_t area() const override { return side * side; }
};
struct Rectangle : Shape {
  int32_t width, height;
  __device__ Rectangle(int32_t width, int32_t height)
      : width(width), height(height) {}
  __device__ int32_t area() const override { return width * height; }
  __device__ int32_t scaled(int32_t by) const override {
    return Shape::scaled(by) + 1;
  }
};

__device__ __noinline__ int32_t total(const Shape *const *shapes, int count) {
  int32_t sum = 0;
  for (int i = 0; i < count; ++i)
    sum += shapes[i]->scaled(i + 1);
  return sum;
}

using Binary = int32_t (*)(int32_t, int32_t);
__device__ int32_t add(int32_t a, int32_t b) { return a + b; }
__device__ int32_t subtract(int32_t a, int32_t b) { return a - b; }
__device__ int32_t multiply(int32_t a, int32_t b) { return a * b; }
__device__ int32_t divide(int32_t a, int32_t b) { return b ? a / b : -1; }
__device__ Binary const table[4] = {add, subtract, multiply, divide};

__device__ uint32_t nested(uint32_t seed) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 20; ++i) {
    if ((i + seed) % 5 == 2)
      continue;
    for (uint32_t j = i;; j += 1 + seed % 3) {
      if (j * i > 60 + seed)
        break;
      if ((j ^ seed) & 4)
        continue;
      sum += i * 31 + j;
      if (sum % 97 == seed % 97)
        return sum;
    }
    while (sum > 5000)
      sum -= 1000 + seed;
  }
  return sum;
}

__device__ __noinline__ int32_t choose(int32_t which, int32_t value) {
  switch (which) {
  case 0:
    return value * 3;
  case 1:
    value = sumOfDigits(value);
    break;
  case 2:
    value ^= 0x55;
    [[fallthrough]];
  case 4:
    for (int i = 0; i < value % 7; ++i)
      value = value * 5 + i;
    break;
  case 5:
    return -value;
  case 3:
    return static_cast<int32_t>(ackermann(2, value % 4));
  default:
    value = value / (which - 5);
  }
  return value + 1;
}

// The compiler makes no table of branches of a switch; PTX has one.
__device__ __noinline__ int32_t branchByIndex(uint32_t which, int32_t value) {
  asm volatile("{\n"
               "table: .branchtargets square, negate, nothing, negate;\n\t"
               "brx.idx %1, table;\n"
               "square:\n\tmul.lo.s32 %0, %0, %0;\n"
               "negate:\n\tneg.s32 %0, %0;\n"
               "nothing:\n\t}"
               : "+r"(value)
               : "r"(which));
  return value;
}

} // namespace

extern "C" __global__ void kernel(const int32_t *in, int32_t *out) {
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  const int32_t value = in[index] & 0xffff;
  int32_t *result = out + index * 6;
  result[0] = static_cast<int32_t>(nested(value % 50));
  result[1] = choose(value % 9, value) + branchByIndex(value / 9 % 4, value);
  const Square square(value % 13);
  const Rectangle rectangle(value % 7, value % 11);
  const Shape *one = &square, *other = &rectangle;
  const Shape *shapes[3] = {value & 1 ? one : other, other,
                            value & 2 ? one : other};
  result[2] = total(shapes, 1 + value % 3);
  result[3] = table[value / 4 % 4](value, static_cast<int32_t>(index % 5));

  Pair a = {value, value * 2, {1, int16_t(value), 3}};
  Pair b = {-value, 77, {int16_t(index), 5, 6}};
  while (a.first < 100000 && b.second < 100) {
    a = mix(a, b, static_cast<int32_t>(index % 4) - 2);
    ++b.second;
  }
  result[4] = static_cast<int32_t>(a.first) ^ a.second;
  result[5] = a.third[0] * 65536 + a.third[1] * 256 + a.third[2];
}
