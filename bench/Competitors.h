// What our GEMM is measured against.
#pragma once

#include "bench/Cublas.h"
#include "bench/CublasLt.h"
#include "bench/GemmOperands.h"
#include "bench/Timer.h"

#include <optional>
#include <string>
#include <vector>

namespace ashlar::bench {

/// cuBLASLt's first eight heuristics and, for types of 16 bits, what torch.mm
/// calls.
class Competitors {
public:
  Competitors(Device &device, const GemmTypes &types);

  /// Those that can compute the problem; the operands must outlive them.
  std::vector<Contender> of(const GemmOperands &operands);

private:
  Buffer scale;
  CublasLt cublasLt;
  std::optional<Cublas> cublas;
};

} // namespace ashlar::bench
