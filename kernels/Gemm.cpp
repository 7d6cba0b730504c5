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

namespace {

/// Registers of a math thread: what the loader's warpgroup leaves.
Registers mathRegisters(int64_t warpgroups) {
  return registers(warpgroups == 1 ? 240 : warpgroups == 2 ? 232 : 152);
}

void load(const TileRef &tile, const SharedTile &stage, bool shared) {
  if (shared)
    copy(tile, stage, multicast);
  else
    copy(tile, stage);
}

} // namespace

Kernel gemm(const GemmTypes &types, const GemmConfig &c) {
  return kernel("gemm", [&] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", types.a, {M, K});
    Tensor B = input("B", types.b, {N, K});
    Tensor D = output("D", types.d, {M, N});

    // The tile is bm rows of `rows` by bn of `columns`: of A and B, or swapped.
    Tensor &rows = c.swapped ? B : A, &columns = c.swapped ? A : B;
    ElementType rowType = c.swapped ? types.b : types.a;
    ElementType columnType = c.swapped ? types.a : types.b;
    Index extents[3] = {c.split, c.swapped ? N : M, c.swapped ? M : N};
    programmatic_launch();
    cluster({c.split, c.cluster_m, c.cluster_n});
    TileLoop tiles =
        persistent(extents, {1, c.bm, c.bn}, Raster::grouped(c.group));
    Pipeline ring = pipeline(c.stages, smem(rowType, {c.bm, c.bk}),
                             smem(columnType, {c.bn, c.bk}));
    // Strips of equal width, as near to `store_columns` as divides the part.
    int64_t stored = c.bn / c.split, width = std::min(c.store_columns, stored);
    while (stored % width)
      --width;
    std::vector<SharedTile> staging;
    for (int64_t i = 0; i < std::min(c.store_buffers, stored / width); ++i)
      staging.push_back(shared(types.d, c.swapped ? Shape{width, c.bm}
                                                  : Shape{c.bm, width}));

    // Each part of K is a whole number of stages; the last may be shorter.
    Index steps = ceil_div(K, c.bk), perPart = ceil_div(steps, c.split);
    auto stepsOf = [&](Index part) {
      return range(part * perPart, min((part + 1) * perPart, steps));
    };

    role("load", warps(1), registers(c.warpgroups == 3 ? 32 : 40), [&] {
      for (auto [part, m, n] : tiles)
        for (Index k : stepsOf(part)) {
          Stage s = ring.acquire();
          load(rows.tile({m, k}), s[0], c.cluster_n > 1);
          load(columns.tile({n, k}), s[1], c.cluster_m > 1);
          ring.commit(s);
        }
    });

    bool promote = types.accumulation == Accumulation::full &&
                   (types.a == e4m3 || types.a == e5m2);
    Warps team = c.ping_pong ? ping_pong(c.warpgroups)
                             : warpgroups(c.warpgroups);
    role("math", team, mathRegisters(c.warpgroups), [&] {
      for (auto [part, m, n] : tiles) {
        Fragment acc = zeros(f32, {c.bm, c.bn});
        for (Index k : stepsOf(part)) {
          Stage s = ring.wait();
          if (promote)
            acc = acc + mma(s[0], s[1].T(), zeros(f32, {c.bm, c.bn}));
          else
            acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        Fragment sum = c.split > 1 ? cluster_sum(acc, 0) : acc;
        for (int64_t i = 0; i * width < stored; ++i) {
          Fragment strip = convert(
              slice(sum, {0, i * width}, {c.bm, width}), types.d);
          SharedTile &buffer = staging[i % staging.size()];
          Index column = n * c.bn + part * stored + i * width;
          store(c.swapped ? buffer.T() : buffer, strip);
          if (c.swapped)
            copy(buffer, D.at({column, m * c.bm}));
          else
            copy(buffer, D.at({m * c.bm, column}));
        }
      }
    });
  });
}

} // namespace ashlar
