// What a configuration of GEMM takes of a multiprocessor.
#pragma once

#include "ashlar/gemm_cost.h"

namespace ashlar {

/// Bytes of one stage: a tile of each operand.
int64_t stageBytes(const GemmTypes &types, const GemmConfig &config);

/// Columns of the tile that one CTA stores, and those that it stores at a time:
/// the most up to `store_columns` that divide them.
int64_t storedColumns(const GemmConfig &config);
int64_t stripColumns(const GemmConfig &config);

/// Bytes through which results are stored.
int64_t stagingBytes(const GemmTypes &types, const GemmConfig &config);

/// Bytes for the other parts' sums of the share of a tile that a CTA adds up.
int64_t splitBytes(const GemmConfig &config);

/// All shared memory of a block.
int64_t sharedBytes(const GemmTypes &types, const GemmConfig &config,
                    const GpuModel &gpu);

/// Registers of a thread that hold sums; fp8 that is summed in full has them
/// twice.
int64_t accumulatorRegisters(const GemmTypes &types, const GemmConfig &config);

/// The most `accumulatorRegisters` that leave enough for addresses.
int64_t accumulatorLimit(const GemmConfig &config);

/// Why a configuration with stream_k is none, as a sentence; empty where it is
/// one.
std::string notStreamK(const GemmConfig &config);

/// Whether sums leave the tensor cores during the main loop.
bool isPromoted(const GemmTypes &types);

} // namespace ashlar
