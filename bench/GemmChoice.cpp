#include "bench/GemmChoice.h"

#include "ashlar/error.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ashlar::bench {

namespace {

/// How many of one kind of tile the model's fastest may be.
constexpr int mostOfAKind = 3;

using Kind = std::tuple<int64_t, int64_t, bool, bool, bool>;

Kind kindOf(const GemmConfig &c) {
  return {c.bm, c.bn, c.ping_pong, c.swapped, c.split > 1};
}

std::vector<GemmConfig> allowed(const GemmSizes &sizes, const GemmTypes &types,
                                const std::vector<std::string> &avoided) {
  std::vector<GemmConfig> configs = gemm_candidates(sizes, types);
  std::erase_if(configs, [&](const GemmConfig &config) {
    return isAvoided(config, avoided);
  });
  return configs;
}

} // namespace

bool isAvoided(const GemmConfig &config,
               const std::vector<std::string> &words) {
  const std::string text = config.str();
  return std::ranges::any_of(words, [&](const std::string &word) {
    return text.find(word) != std::string::npos;
  });
}

GemmConfig choose(const GemmSizes &sizes, const GemmTypes &types,
                  const GemmTable &table,
                  const std::vector<std::string> &avoided) {
  const GemmConfig best = gemm_auto(sizes, types, {}, table);
  if (!isAvoided(best, avoided))
    return best;
  const std::vector<GemmConfig> configs = allowed(sizes, types, avoided);
  if (configs.empty())
    throw Error("--avoid leaves no configuration: avoid fewer words");
  return configs.front();
}

std::vector<GemmConfig>
tuningCandidates(const GemmSizes &sizes, const GemmTypes &types, size_t count,
                 const std::vector<std::string> &avoided) {
  std::vector<GemmConfig> left = allowed(sizes, types, avoided), taken;
  // Of two that differ in this alone the model's faster.
  std::set<std::string> seen;
  std::erase_if(left, [&](GemmConfig config) {
    config.edge_parts = false;
    return !seen.insert(config.str()).second;
  });
  std::multiset<Kind> kinds;
  auto take = [&](size_t most, auto isWanted) {
    std::vector<GemmConfig> rest;
    for (const GemmConfig &config : left)
      if (taken.size() < most && isWanted(config)) {
        taken.push_back(config);
        kinds.insert(kindOf(config));
      } else {
        rest.push_back(config);
      }
    left = rest;
  };
  take(count / 2, [&](const GemmConfig &config) {
    return kinds.count(kindOf(config)) < mostOfAKind;
  });
  take(count, [&](const GemmConfig &config) {
    return kinds.count(kindOf(config)) == 0;
  });
  take(count, [](const GemmConfig &) { return true; });
  return taken;
}

std::vector<GemmConfig> neighbours(const GemmSizes &sizes,
                                   const GemmTypes &types,
                                   const GemmConfig &config,
                                   const std::vector<std::string> &avoided) {
  std::vector<GemmConfig> configs;
  auto with = [&](auto change) {
    GemmConfig c = config;
    change(c);
    if (c != config && why_not(sizes, types, c).empty() &&
        !isAvoided(c, avoided))
      configs.push_back(c);
  };
  for (int64_t group : {1, 4, 8, 16, 32})
    with([&](GemmConfig &c) { c.group = group; });
  with([](GemmConfig &c) { c.alternating = !c.alternating; });
  for (int64_t groups : {1, 2, 4})
    with([&](GemmConfig &c) {
      c.load_groups = groups;
      c.stages -= c.stages % groups;
    });
  for (int64_t fewer : {1, 2})
    with([&](GemmConfig &c) { c.stages -= fewer * c.load_groups; });
  with([](GemmConfig &c) { c.bk *= 2, c.stages /= 2; });
  with([](GemmConfig &c) { c.bk /= 2, c.stages *= 2; });
  with([](GemmConfig &c) { c.early_launch = !c.early_launch; });
  with([](GemmConfig &c) { c.edge_parts = !c.edge_parts; });
  for (int64_t buffers : {0, 1, 2})
    with([&](GemmConfig &c) { c.store_buffers = buffers; });
  with([](GemmConfig &c) { c.store_columns /= 2; });
  with([](GemmConfig &c) { std::swap(c.cluster_m, c.cluster_n); });
  with([](GemmConfig &c) { c.ping_pong = !c.ping_pong; });
  for (int64_t kept : {0, 1, 2, 4, 16})
    with([&](GemmConfig &c) {
      (c.kept_b < 16 || sizes.n > sizes.m ? c.kept_b : c.kept_a) = kept;
    });
  with([](GemmConfig &c) {
    c.stream_k = true, c.ping_pong = false;
    c.cluster_m = c.cluster_n = c.split = 1;
  });
  return configs;
}

} // namespace ashlar::bench
