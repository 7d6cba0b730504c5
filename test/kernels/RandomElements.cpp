#include "test/kernels/RandomElements.h"

#include <algorithm>
#include <cmath>

namespace ashlar::test {
namespace {

using F = const Fragment &;
using N = double;

const std::vector<ElementType> all = {f32, bf16, f16, s32, s16, s8},
                               floats = {f32, bf16, f16},
                               integers = {s32, s16, s8}, single = {f32},
                               /// Of up to 200, and of up to 10,000.
    longer = {f32, bf16, f16, s32, s16}, longest = {f32, s32, s16};

int32_t whole(double value) { return static_cast<int32_t>(value); }

const std::vector<ElementOperation> operations = {
    {"a + b", 2, longer, [](F a, F b, F) { return a + b; },
     [](N a, N b, N) { return a + b; }},
    {"a - b", 2, longer, [](F a, F b, F) { return a - b; },
     [](N a, N b, N) { return a - b; }},
    {"a * b", 2, longest, [](F a, F b, F) { return a * b; },
     [](N a, N b, N) { return a * b; }},
    {"trunc(a / (|b| + 1))", 2, single,
     [](F a, F b, F) { return trunc(a / (abs(b) + 1)); },
     [](N a, N b, N) { return std::trunc(a / (std::fabs(b) + 1)); }},
    {"a / (|b| + 1)", 2, integers, [](F a, F b, F) { return a / (abs(b) + 1); },
     [](N a, N b, N) { return std::trunc(a / (std::fabs(b) + 1)); }},
    {"a % (|b| + 1)", 2, integers, [](F a, F b, F) { return a % (abs(b) + 1); },
     [](N a, N b, N) { return std::fmod(a, std::fabs(b) + 1); }},
    {"-a", 1, all, [](F a, F, F) { return -a; }, [](N a, N, N) { return -a; }},
    {"abs", 1, all, [](F a, F, F) { return abs(a); },
     [](N a, N, N) { return std::fabs(a); }},
    {"relu", 1, all, [](F a, F, F) { return relu(a); },
     [](N a, N, N) { return std::max(a, 0.); }},
    {"max", 2, all, [](F a, F b, F) { return max(a, b); },
     [](N a, N b, N) { return std::max(a, b); }},
    {"min", 2, all, [](F a, F b, F) { return min(a, b); },
     [](N a, N b, N) { return std::min(a, b); }},
    {"clamp(a, b, max(b, c))", 3, all,
     [](F a, F b, F c) { return clamp(a, b, max(b, c)); },
     [](N a, N b, N c) { return std::clamp(a, b, std::max(b, c)); }},
    {"clamp(a, -7, 9)", 1, all, [](F a, F, F) { return clamp(a, -7, 9); },
     [](N a, N, N) { return std::clamp(a, -7., 9.); }},
    {"a < b && !(a == c) ? b : c", 3, all,
     [](F a, F b, F c) { return select(a < b && !(a == c), b, c); },
     [](N a, N b, N c) { return a < b && a != c ? b : c; }},
    {"a >= b || b != c ? c : a", 3, all,
     [](F a, F b, F c) { return select(a >= b || b != c, c, a); },
     [](N a, N b, N c) { return a >= b || b != c ? c : a; }},
    {"a > 3 ? 5 : b", 2, all, [](F a, F b, F) { return select(a > 3, 5, b); },
     [](N a, N b, N) { return a > 3 ? 5 : b; }},
    {"isnan(a / b) ? c : a", 3, floats,
     [](F a, F b, F c) { return select(isnan(a / b), c, a); },
     [](N a, N b, N c) { return std::isnan(a / b) ? c : a; }},
    {"fma", 3, single, [](F a, F b, F c) { return fma(a, b, c); },
     [](N a, N b, N c) { return a * b + c; }},
    {"mul_rn", 2, single, [](F a, F b, F) { return mul_rn(a, b); },
     [](N a, N b, N) { return a * b; }},
    {"(a & 29 | b) ^ ~c", 3, integers,
     [](F a, F b, F c) { return ((a & 29) | b) ^ ~c; },
     [](N a, N b, N c) { return N(((whole(a) & 29) | whole(b)) ^ ~whole(c)); }},
    {"a << 1",
     1,
     {s32, s16},
     [](F a, F, F) { return a << 1; },
     [](N a, N, N) { return 2 * a; }},
    {"a >> (b & 3)", 2, integers, [](F a, F b, F) { return a >> (b & 3); },
     [](N a, N b, N) { return N(whole(a) >> (whole(b) & 3)); }},
    {"floor(a / 4)", 1, floats, [](F a, F, F) { return floor(a * 0.25); },
     [](N a, N, N) { return std::floor(a / 4); }},
    {"ceil(a / 2)", 1, floats, [](F a, F, F) { return ceil(a * 0.5); },
     [](N a, N, N) { return std::ceil(a / 2); }},
    {"rint(a / 2)", 1, floats, [](F a, F, F) { return rint(a * 0.5); },
     [](N a, N, N) { return std::nearbyint(a / 2); }},
    {"a without its sign bit", 1, single,
     [](F a, F, F) { return bitcast(bitcast(a, s32) & 0x7fffffff, f32); },
     [](N a, N, N) { return std::fabs(a); }},
    {"ptx of s32",
     2,
     {s32},
     [](F a, F b, F) { return ptx("max.s32 $0, $1, $2;", s32, {a, b}); },
     [](N a, N b, N) { return std::max(a, b); }},
    {"ptx of f32", 2, single,
     [](F a, F b, F) { return ptx("min.f32 $0, $1, $2;", f32, {a, b}); },
     [](N a, N b, N) { return std::min(a, b); }},
    // No value of these functions is near the middle of two integers.
    {"pow", 2, single, [](F a, F b, F) { return rint(pow(a, min(abs(b), 2))); },
     [](N a, N b, N) { return std::pow(a, std::min(std::fabs(b), 2.)); }},
    {"fast::pow", 2, single,
     [](F a, F b, F) { return rint(fast::pow(abs(a) + 1, min(abs(b), 2))); },
     [](N a, N b, N) {
       return std::pow(std::fabs(a) + 1, std::min(std::fabs(b), 2.));
     }},
    {"sqrt", 1, single, [](F a, F, F) { return rint(sqrt(abs(a))); },
     [](N a, N, N) { return std::nearbyint(std::sqrt(std::fabs(a))); }},
    {"rsqrt", 1, single,
     [](F a, F, F) { return rint(9.3 * rsqrt(abs(a) + 1)); },
     [](N a, N, N) {
       return std::nearbyint(9.3 / std::sqrt(std::fabs(a) + 1));
     }},
    {"log2", 1, single, [](F a, F, F) { return rint(log2(abs(a) + 1)); },
     [](N a, N, N) { return std::nearbyint(std::log2(std::fabs(a) + 1)); }},
    {"log", 1, single, [](F a, F, F) { return rint(7 * log(abs(a) + 1)); },
     [](N a, N, N) { return std::nearbyint(7 * std::log(std::fabs(a) + 1)); }},
    {"exp", 1, single, [](F a, F, F) { return rint(exp(min(a, 4))); },
     [](N a, N, N) { return std::nearbyint(std::exp(std::min(a, 4.))); }},
    {"fast::exp2", 1, single,
     [](F a, F, F) { return rint(fast::exp2(clamp(a, 0, 5))); },
     [](N a, N, N) {
       return std::nearbyint(std::exp2(std::clamp(a, 0., 5.)));
     }},
    {"sin + cos", 1, single,
     [](F a, F, F) { return rint(40 * sin(a)) + rint(40 * cos(a)); },
     [](N a, N, N) {
       return std::nearbyint(40 * std::sin(a)) +
              std::nearbyint(40 * std::cos(a));
     }},
    {"tanh + erf", 1, single,
     [](F a, F, F) { return rint(30 * tanh(a)) + rint(30 * erf(a)); },
     [](N a, N, N) {
       return std::nearbyint(30 * std::tanh(a)) +
              std::nearbyint(30 * std::erf(a));
     }},
    {"silu", 1, single, [](F a, F, F) { return rint(silu(a)); },
     [](N a, N, N) { return std::nearbyint(a / (1 + std::exp(-a))); }},
};

} // namespace

const std::vector<ElementOperation> &elementOperations() { return operations; }

} // namespace ashlar::test
