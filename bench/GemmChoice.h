// Which configurations of GEMM are measured.
#pragma once

#include "ashlar/gemm_auto.h"

#include <string>
#include <vector>

namespace ashlar::bench {

/// Whether the configuration, as text, contains one of the words.
bool isAvoided(const GemmConfig &config, const std::vector<std::string> &words);

/// The table's configuration or else the model's, without those to avoid.
/// Throws `Error` when all are.
GemmConfig choose(const GemmSizes &sizes, const GemmTypes &types,
                  const GemmTable &table,
                  const std::vector<std::string> &avoided);

/// Some `count` candidates for a tuner, the model's choice first: half are the
/// model's fastest, the others the fastest of every kind of tile.
std::vector<GemmConfig>
tuningCandidates(const GemmSizes &sizes, const GemmTypes &types, size_t count,
                 const std::vector<std::string> &avoided);

/// Configurations that differ from one in a single choice and can be built.
std::vector<GemmConfig> neighbours(const GemmSizes &sizes,
                                   const GemmTypes &types,
                                   const GemmConfig &config,
                                   const std::vector<std::string> &avoided);

} // namespace ashlar::bench
