#include "bench/GemmShapes.h"

#include "ashlar/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <random>

namespace ashlar::bench {

namespace {

/// The product of a layer's activations with its weights: N features out of K.
struct Projection {
  const char *name;
  int64_t n, k;
};

// From the models' published configurations; q, k and v, like gate and up, are
// one product each.
constexpr Projection projections[] = {
    {"Llama-3 8B qkv", 6144, 4096},
    {"Llama-3 8B o", 4096, 4096},
    {"Llama-3 8B gate-up", 28672, 4096},
    {"Llama-3 8B down", 4096, 14336},
    {"Llama-3 70B qkv", 10240, 8192},
    {"Llama-3 70B o", 8192, 8192},
    {"Llama-3 70B gate-up", 57344, 8192},
    {"Llama-3 70B down", 8192, 28672},
    {"Mistral 7B qkv", 6144, 4096},
    {"Mistral 7B gate-up", 28672, 4096},
    {"Mistral 7B down", 4096, 14336},
    {"Qwen2.5 7B qkv", 4608, 3584},
    {"Qwen2.5 7B o", 3584, 3584},
    {"Qwen2.5 7B gate-up", 37888, 3584},
    {"Qwen2.5 7B down", 3584, 18944},
    {"Qwen2.5 32B qkv", 7168, 5120},
    {"Qwen2.5 32B o", 5120, 5120},
    {"Qwen2.5 32B gate-up", 55296, 5120},
    {"Qwen2.5 32B down", 5120, 27648},
    {"Qwen2.5 72B qkv", 10240, 8192},
    {"Qwen2.5 72B gate-up", 59136, 8192},
    {"Qwen2.5 72B down", 8192, 29568},
    {"Gemma-2 9B qkv", 8192, 3584},
    {"Gemma-2 9B o", 3584, 4096},
    {"Gemma-2 9B gate-up", 28672, 3584},
    {"Gemma-2 9B down", 3584, 14336},
    {"Gemma-2 27B qkv", 8192, 4608},
    {"Gemma-2 27B o", 4608, 4096},
    {"Gemma-2 27B gate-up", 73728, 4608},
    {"Gemma-2 27B down", 4608, 36864},
    {"DeepSeek-V3 q down", 1536, 7168},
    {"DeepSeek-V3 q up", 24576, 1536},
    {"DeepSeek-V3 kv down", 576, 7168},
    {"DeepSeek-V3 kv up", 32768, 512},
    {"DeepSeek-V3 o", 7168, 16384},
    {"DeepSeek-V3 gate-up", 36864, 7168},
    {"DeepSeek-V3 down", 7168, 18432},
    {"DeepSeek-V3 shared gate-up", 4096, 7168},
    {"DeepSeek-V3 shared down", 7168, 2048},
    {"GPT-3 175B qkv", 36864, 12288},
    {"GPT-3 175B o", 12288, 12288},
    {"GPT-3 175B up", 49152, 12288},
    {"GPT-3 175B down", 12288, 49152},
};

constexpr int64_t tokens[] = {1,   2,   4,   8,    16,   32,   64,
                              128, 256, 512, 1024, 2048, 4096, 8192};

/// More work than this takes long and shows nothing that 8192³ does not.
constexpr double mostOperations = 4e12;

bool same(const GemmSizes &x, const GemmSizes &y) {
  return x.m == y.m && x.n == y.n && x.k == y.k;
}

} // namespace

std::string str(const GemmSizes &sizes) {
  return std::to_string(sizes.m) + "x" + std::to_string(sizes.n) + "x" +
         std::to_string(sizes.k);
}

double operations(const GemmSizes &sizes) {
  return 2.0 * static_cast<double>(sizes.m) * static_cast<double>(sizes.n) *
         static_cast<double>(sizes.k);
}

std::vector<GemmShape> namedShapes() {
  return {{{512, 512, 512}, ""},     {{1024, 1024, 1024}, ""},
          {{2048, 2048, 2048}, ""},  {{4096, 4096, 4096}, ""},
          {{8192, 8192, 8192}, ""},  {{4096, 14336, 4096}, ""},
          {{4096, 4096, 14336}, ""}, {{4096, 6144, 4096}, ""},
          {{128, 8192, 8192}, ""},   {{64, 7168, 16384}, ""},
          {{16, 4096, 4096}, ""},    {{1, 8192, 8192}, ""}};
}

std::vector<GemmShape> drawShapes(uint64_t seed, int count) {
  // The standard library's distributions differ between implementations.
  std::mt19937_64 random(seed);
  auto draw = [&](const auto &choices) {
    return choices[random() % std::size(choices)];
  };
  std::vector<GemmShape> shapes;
  while (static_cast<int>(shapes.size()) < count) {
    const Projection projection = draw(projections);
    const GemmSizes sizes{draw(tokens), projection.n, projection.k};
    const bool known = std::ranges::any_of(shapes, [&](const GemmShape &shape) {
      return same(shape.sizes, sizes);
    });
    if (!known && operations(sizes) <= mostOperations)
      shapes.push_back({sizes, projection.name});
  }
  return shapes;
}

namespace {

/// Extents that are made of numbers from 100 to 12,000, each magnitude as
/// likely as another.
template <typename Extent>
std::vector<GemmShape> drawMagnitudes(uint64_t seed, int count,
                                      const char *origin, Extent extentOf) {
  constexpr double least = 100, most = 12000;
  std::mt19937_64 random(seed);
  auto draw = [&] {
    while (true) {
      const double part = static_cast<double>(random() >> 11) * 0x1p-53;
      const std::optional<int64_t> extent =
          extentOf(static_cast<int64_t>(least * std::pow(most / least, part)));
      if (extent && *extent >= least)
        return *extent;
    }
  };
  std::vector<GemmShape> shapes;
  while (static_cast<int>(shapes.size()) < count) {
    const int64_t m = draw(), n = draw(), k = draw();
    if (operations({m, n, k}) <= mostOperations)
      shapes.push_back({{m, n, k}, origin});
  }
  return shapes;
}

} // namespace

std::vector<GemmShape> drawRaggedShapes(uint64_t seed, int count) {
  return drawMagnitudes(seed, count, "ragged",
                        [](int64_t number) -> std::optional<int64_t> {
                          const int64_t extent = number / 8 * 8;
                          if (extent % 64 == 0)
                            return std::nullopt;
                          return extent;
                        });
}

std::vector<GemmShape> drawOddShapes(uint64_t seed, int count) {
  return drawMagnitudes(
      seed, count, "odd",
      [](int64_t number) -> std::optional<int64_t> { return number | 1; });
}

std::vector<GemmShape> drawEvenedShapes(uint64_t seed, int count) {
  std::vector<GemmShape> shapes = drawOddShapes(seed, count);
  for (GemmShape &shape : shapes) {
    shape.origin = "evened";
    for (int64_t *extent : {&shape.sizes.m, &shape.sizes.n, &shape.sizes.k})
      *extent = (*extent + 7) / 8 * 8;
  }
  return shapes;
}

GemmShape parseShape(const std::string &text) {
  GemmSizes sizes{};
  const char *at = text.data(), *end = at + text.size();
  for (int64_t *extent : {&sizes.m, &sizes.n, &sizes.k}) {
    const bool separated = extent == &sizes.m || (at != end && *at++ == 'x');
    auto [next, error] = std::from_chars(at, end, *extent);
    if (!separated || error != std::errc() || *extent < 1)
      throw Error("'" + text +
                  "' is no shape: write 'named', 'random', 'ragged', 'odd', " +
                  "'evened' or M, N and K, each at least 1, as in "
                  "4096x6144x4096");
    at = next;
  }
  if (at != end)
    throw Error("'" + text + "' has more than M, N and K: write them as in " +
                "4096x6144x4096");
  return {sizes, ""};
}

} // namespace ashlar::bench
