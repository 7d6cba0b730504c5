// Configurations of GEMM that were measured to be the fastest.
#pragma once

#include "ashlar/gemm.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace ashlar {

/// A problem and the fastest configuration that was found for it.
struct TunedGemm {
  GemmTypes types;
  GemmSizes sizes;
  GemmConfig config;
  /// Of one launch among many on the same buffers, and of one after L2 was
  /// overwritten.
  double hot_microseconds = 0, cold_microseconds = 0;
};

/// What a tuner found. As text: one problem to a line, `#` begins a comment.
class GemmTable {
public:
  /// Throws `Error`, with the line, where the file can't be read.
  static GemmTable load(const std::filesystem::path &path);
  /// Replaces the file in one step; throws `Error` when that fails.
  void save(const std::filesystem::path &path) const;

  /// The entry of exactly this problem; none where it has strides.
  std::optional<TunedGemm> find(const GemmSizes &sizes,
                                const GemmTypes &types) const;
  /// Adds an entry, in the place of one of the same problem. Throws `Error` for
  /// a batch or strides, which the text has no place for, and for extents and
  /// times that there can't be.
  void set(const TunedGemm &entry);

  const std::vector<TunedGemm> &entries() const { return tuned; }

private:
  std::vector<TunedGemm> tuned;
};

} // namespace ashlar
