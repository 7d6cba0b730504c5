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

using Elements = std::vector<uint16_t>; // of bf16: the upper halves of floats

static uint16_t element(int64_t i) { // from -1 to 1
  const auto x = static_cast<float>(std::sin(double(i * i % 7919)));
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(x) >> 16);
}

static Buffer bufferOf(Device &device, const Elements &elements) {
  const auto bytes = std::as_bytes(std::span(elements));
  Buffer buffer(device, int64_t(bytes.size()));
  buffer.copy_from_host(bytes);
  return buffer;
}

static void run() {
  constexpr int64_t b = 2, h = 4, hk = 2, tokens = 100, d = 64;
  AttentionForm form{.d = d, .dv = d, .after = 0}; // causal
  const AttentionSizes sizes{b, h, hk, tokens, tokens};
  const AttentionChoice choice = attention_auto(form, sizes);
  form.group = choice.group;

  Device device = Device::open();
  CompileOptions options;
  options.assemble = false; // by the driver: the simulator's takes PTX alone
  Module module(device,
                compile(attention(form, choice.config), options).artifact);

  // As a model has them: tokens, then heads, then the elements of a head.
  Elements q(b * tokens * h * d), k(b * tokens * hk * d), v(k.size());
  for (int64_t i = 0; i < int64_t(q.size()); ++i)
    q[i] = element(i);
  for (int64_t i = 0; i < int64_t(k.size()); ++i) {
    k[i] = element(i + 1);
    v[i] = element(i + 2);
  }
  Buffer Q = bufferOf(device, q), K = bufferOf(device, k),
         V = bufferOf(device, v), O(device, Q.size_bytes());

  // The same memory, as the kernel counts it.
  auto rows = [&](const Buffer &of) -> TensorArgument {
    constexpr int64_t g = h / hk;
    if (form.group > 1)
      return {of.data(),
              bf16,
              {b, hk, tokens, g, d},
              {tokens * h * d, g * d, h * d, d, 1}};
    return {of.data(), bf16, {b, h, tokens, d}, {tokens * h * d, d, h * d, 1}};
  };
  auto keys = [&](const Buffer &of) -> TensorArgument {
    return {
        of.data(), bf16, {b, hk, tokens, d}, {tokens * hk * d, d, hk * d, 1}};
  };
  std::vector<NamedArgument> arguments = {{"Q", rows(Q)},
                                          {"K", keys(K)},
                                          {"V", keys(V)},
                                          {"O", rows(O)},
                                          {"scale", 1 / std::sqrt(float(d))}};

  // Where tiles are taken as CTAs get free.
  Buffer next(device, 4);
  next.fill(std::byte(0)); // before the first launch
  if (choice.config.dynamic)
    arguments.push_back({"Next", TensorArgument{next.data(), s32, {1}}});

  // Where keys are shared out to several CTAs.
  const int64_t s = choice.splits;
  const auto [t, r, c] = part_sizes(form, choice.config, sizes);
  Buffer parts(device, 4 * s * t * r * c), logarithms(device, 4 * s * t * r),
      done(device, 4 * t);
  for (Buffer *each : {&parts, &logarithms, &done})
    each->fill(std::byte(0)); // before the first launch
  if (s) {
    arguments.push_back(
        {"Parts", TensorArgument{parts.data(), f32, {s, t, r, c}}});
    arguments.push_back(
        {"PartL", TensorArgument{logarithms.data(), f32, {s, t, r}}});
    arguments.push_back({"Done", TensorArgument{done.data(), s32, {t}}});
  }
  module.launch_and_wait(arguments, std::chrono::seconds(10));

  Elements o(q.size());
  O.copy_to_host(std::as_writable_bytes(std::span(o)));
  // The first token sees itself alone: O is its V.
  for (int64_t head = 0; head < h; ++head)
    for (int64_t e = 0; e < d; ++e)
      if (o[head * d + e] != v[head / (h / hk) * d + e])
        throw Error("O is wrong");
}

int main() {
  try {
    run();
  } catch (const Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
