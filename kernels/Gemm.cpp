#include "ashlar/gemm.h"

#include "ashlar/ashlar.h"

#include <charconv>
#include <ostream>

namespace ashlar {

std::string GemmConfig::str() const {
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string text = number(bm) + "x" + number(bn) + "x" + number(bk);
  text += " s" + number(stages) + " w" + number(warpgroups);
  text += " c" + number(cluster_m) + "x" + number(cluster_n);
  if (split > 1)
    text += " k" + number(split);
  text += " g" + number(group);
  text += " e" + number(store_columns) + "x" + number(store_buffers);
  if (ping_pong)
    text += " pingpong";
  if (swapped)
    text += " swapped";
  return text;
}

GemmConfig GemmConfig::parse(std::string_view text) {
  GemmConfig config;
  auto refuse = [&](std::string_view word) {
    throw Error("'" + std::string(word) + "' in '" + std::string(text) +
                "' is no part of a GEMM configuration: expected something like "
                "'" +
                GemmConfig().str() + "'");
  };
  auto numbers = [&](std::string_view word, std::string_view digits,
                     std::initializer_list<int64_t *> into) {
    const char *at = digits.data(), *end = at + digits.size();
    for (size_t i = 0; i < into.size(); ++i) {
      if (i && (at == end || *at++ != 'x'))
        refuse(word);
      auto [next, error] = std::from_chars(at, end, **(into.begin() + i));
      if (error != std::errc() || **(into.begin() + i) < 1)
        refuse(word);
      at = next;
    }
    if (at != end)
      refuse(word);
  };
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word.empty())
      continue;
    std::string_view digits = word.substr(1);
    if (word == "pingpong")
      config.ping_pong = true;
    else if (word == "swapped")
      config.swapped = true;
    else if (word[0] == 's')
      numbers(word, digits, {&config.stages});
    else if (word[0] == 'w')
      numbers(word, digits, {&config.warpgroups});
    else if (word[0] == 'c')
      numbers(word, digits, {&config.cluster_m, &config.cluster_n});
    else if (word[0] == 'k')
      numbers(word, digits, {&config.split});
    else if (word[0] == 'g')
      numbers(word, digits, {&config.group});
    else if (word[0] == 'e')
      numbers(word, digits, {&config.store_columns, &config.store_buffers});
    else
      numbers(word, word, {&config.bm, &config.bn, &config.bk});
  }
  return config;
}

std::ostream &operator<<(std::ostream &out, const GemmConfig &config) {
  return out << config.str();
}

Kernel gemm(const GemmTypes &types, const GemmConfig &c) {
  return kernel("gemm", [&] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", types.a, {M, K});
    Tensor B = input("B", types.b, {N, K});
    Tensor D = output("D", types.d, {M, N});

    cluster({c.cluster_m, c.cluster_n});
    TileLoop tiles = persistent({M, N}, {c.bm, c.bn}, Raster::grouped(c.group));
    Pipeline ring = pipeline(c.stages, smem(types.a, {c.bm, c.bk}),
                             smem(types.b, {c.bn, c.bk}));

    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, c.bk))) {
          Stage s = ring.acquire();
          if (c.cluster_n > 1)
            copy(A.tile({m, k}), s[0], multicast);
          else
            copy(A.tile({m, k}), s[0]);
          if (c.cluster_m > 1)
            copy(B.tile({n, k}), s[1], multicast);
          else
            copy(B.tile({n, k}), s[1]);
          ring.commit(s);
        }
    });

    role("math", warpgroups(c.warpgroups),
         registers(c.warpgroups == 1 ? 240 : 232), [&] {
           for (auto [m, n] : tiles) {
             Fragment acc = zeros(f32, {c.bm, c.bn});
             for (Index k : range(ceil_div(K, c.bk))) {
               Stage s = ring.wait();
               acc = mma(s[0], s[1].T(), acc);
               ring.release(s);
             }
             store(D.tile({m, n}), convert(acc, types.d));
           }
         });
  });
}

} // namespace ashlar
