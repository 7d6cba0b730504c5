#include "ashlar/ashlar.h"
#include "ashlar/attention_auto.h"
#include "ashlar/error.h"
#include "ashlar/module.h"

#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

using namespace ashlar;

constexpr int64_t b = 3, h = 8, hk = 2, g = h / hk, d = 64, page = 16;
constexpr int64_t pool = 24, most = 7; // pages of all, and of a sequence
constexpr int32_t lengths[b] = {100, 7, 61};

static uint16_t element(int64_t i) { // of bf16, from -1 to 1
  const auto x = static_cast<float>(std::sin(double(i * i % 7919)));
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(x) >> 16);
}

static double valueOf(uint16_t bf16) {
  return std::bit_cast<float>(uint32_t(bf16) << 16);
}

template <class T>
static Buffer bufferOf(Device &device, const std::vector<T> &elements) {
  const auto bytes = std::as_bytes(std::span(elements));
  Buffer buffer(device, int64_t(bytes.size()));
  buffer.copy_from_host(bytes);
  return buffer;
}

static Buffer zerosOf(Device &device, int64_t bytes) {
  Buffer buffer(device, bytes);
  buffer.fill(std::byte(0));
  return buffer;
}

/// One token of each sequence, by a cache in pages.
static void run() {
  AttentionForm form{.d = d, .dv = d, .page = page};
  const AttentionSizes sizes{b, h, hk, 1, most * page}; // the longest there are
  const AttentionChoice choice = attention_auto(form, sizes);
  form.group = choice.group;

  Device device = Device::open();
  CompileOptions options;
  options.assemble = false; // by the driver: the simulator's takes PTX alone
  Module module(device,
                compile(attention(form, choice.config), options).artifact);

  // The pages lie in memory as tokens, then heads, then the elements of a head.
  std::vector<uint16_t> q(b * h * d), k(pool * page * hk * d), v(k.size());
  for (size_t i = 0; i < q.size(); ++i)
    q[i] = element(int64_t(i));
  for (size_t i = 0; i < k.size(); ++i) {
    k[i] = element(int64_t(i) + 1);
    v[i] = element(int64_t(i) + 2);
  }
  // Those of a sequence lie anywhere; what is behind its last key may be wrong.
  std::vector<int32_t> table(b * most, -1);
  for (int64_t s = 0, next = 5; s < b; ++s)
    for (int64_t p = 0; p * page < lengths[s]; ++p, next = (next + 7) % pool)
      table[s * most + p] = int32_t(next);
  Buffer Q = bufferOf(device, q), K = bufferOf(device, k),
         V = bufferOf(device, v), O(device, Q.size_bytes()),
         Table = bufferOf(device, table),
         Lengths = bufferOf(device, std::vector(lengths, lengths + b));

  // Heads that share keys are rows of one tile where `group` is above 1.
  auto rows = [&](const Buffer &of) -> TensorArgument {
    if (form.group > 1)
      return {of.data(), bf16, {b, hk, 1, g, d}};
    return {of.data(), bf16, {b, h, 1, d}};
  };
  auto pages = [&](const Buffer &of) -> TensorArgument {
    return {
        of.data(), bf16, {pool, hk, page, d}, {page * hk * d, d, hk * d, 1}};
  };
  std::vector<NamedArgument> arguments = {
      {"Q", rows(Q)},
      {"K", pages(K)},
      {"V", pages(V)},
      {"O", rows(O)},
      {"Table", TensorArgument{Table.data(), s32, {b, most}}},
      {"Lengths", TensorArgument{Lengths.data(), s32, {b}}},
      {"scale", 1 / std::sqrt(float(d))}};

  // What is zero before the first launch is so again behind each.
  const int64_t splits = choice.splits;
  const auto [t, r, c] = part_sizes(form, choice.config, sizes);
  Buffer next = zerosOf(device, 4), done = zerosOf(device, 4 * t),
         parts = zerosOf(device, 4 * splits * t * r * c),
         logarithms = zerosOf(device, 4 * splits * t * r);
  if (choice.config.dynamic)
    arguments.push_back({"Next", TensorArgument{next.data(), s32, {1}}});
  if (splits) {
    arguments.push_back(
        {"Parts", TensorArgument{parts.data(), f32, {splits, t, r, c}}});
    arguments.push_back(
        {"PartL", TensorArgument{logarithms.data(), f32, {splits, t, r}}});
    arguments.push_back({"Done", TensorArgument{done.data(), s32, {t}}});
  }
  module.launch_and_wait(arguments, std::chrono::seconds(10));

  std::vector<uint16_t> o(q.size());
  O.copy_to_host(std::as_writable_bytes(std::span(o)));
  for (int64_t row = 0; row < b * h; ++row) {
    const int64_t s = row / h, head = row % h / g;
    std::vector<double> sums(d + 1); // of weights times V, and of weights
    for (int64_t key = 0; key < lengths[s]; ++key) {
      const int64_t token = table[s * most + key / page] * page + key % page,
                    at = (token * hk + head) * d;
      double score = 0;
      for (int64_t e = 0; e < d; ++e)
        score += valueOf(q[row * d + e]) * valueOf(k[at + e]);
      const double weight = std::exp(score / std::sqrt(double(d)));
      for (int64_t e = 0; e < d; ++e)
        sums[e] += weight * valueOf(v[at + e]);
      sums[d] += weight;
    }
    for (int64_t e = 0; e < d; ++e)
      if (!(std::abs(valueOf(o[row * d + e]) - sums[e] / sums[d]) < 0.01))
        throw Error("O is wrong");
  }
}

int main() {
  try {
    run();
  } catch (const Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
