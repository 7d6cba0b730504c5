// Operations that go on behind the back of the thread that issued them.
#pragma once

#include "runtime/sim/machine/memory/Memory.h"

#include <memory>
#include <random>
#include <string>

namespace ashlar::sim {

class Cluster;

/// A copy, a reduction or a matrix product between its issue and its
/// completion. The cluster's schedule decides when it goes on; what it is
/// ordered after was fixed when it was issued (its own copy of the issuing
/// thread's Causality).
class AsynchronousOperation {
public:
  virtual ~AsynchronousOperation() = default;
  /// Does a part of it (a few rows of a tile, in any order); true when all is
  /// done and its completion has been signalled.
  virtual bool proceed(Cluster &cluster, std::mt19937_64 &random) = 0;
  /// "TMA load of 16384 bytes issued at gemm.cpp:35 by warp 8", for reports.
  virtual std::string describe() const = 0;
  /// Does all that is left.
  void finish(Cluster &cluster, std::mt19937_64 &random) {
    while (!done)
      done = proceed(cluster, random);
  }
  bool done = false;
};

} // namespace ashlar::sim
