#pragma once

#include "ashlar/element_type.h"
#include "ashlar/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ashlar {

/// The length of a dimension: one of `Artifact::sizes`, known at launch, or a
/// constant when `size` is negative.
struct Extent {
  int size = -1;
  int64_t constant = 0;

  bool operator==(const Extent &) const = default;
};

/// What the kernel demands of a tensor. The innermost stride must be 1; the
/// base address and every other stride are multiples of `alignmentBytes`, which
/// is a power of two.
struct TensorContract {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<Extent> extents; ///< outermost first
  bool read = false;
  bool written = false;
  int64_t alignmentBytes = 16;
  SourceLine where = {};
  /// An element is read for several tiles, so that no output can lie on it.
  bool reread = false;

  bool operator==(const TensorContract &) const = default;
};

/// What the kernel demands of a scalar: f32, s32, bf16 or f16.
struct ScalarContract {
  std::string name;
  ElementType type = ElementType::f32;
  SourceLine where = {};

  bool operator==(const ScalarContract &) const = default;
};

/// How TMA walks a tensor: which one, which box of elements one copy moves (one
/// number per tensor dimension, outermost first), the swizzle the box has in
/// shared memory: 0 (none), 32, 64 or 128 bytes, and how far each element is
/// from the one before it (1 to 8 for each dimension; 1 everywhere where there
/// is none).
struct TensorMapRecipe {
  int tensor = 0;
  std::vector<int64_t> box;
  int swizzleBytes = 0;
  std::vector<int64_t> step = {};

  int64_t stepOf(size_t dimension) const {
    return step.empty() ? 1 : step[dimension];
  }

  bool operator==(const TensorMapRecipe &) const = default;
};

/// One parameter of the kernel's ABI.
///   size       int32, the value of `Artifact::sizes[index]`
///   scalar     the value of `Artifact::scalars[index]`: f32, s32 (4 bytes),
///              bf16, f16 (2 bytes)
///   pointer    64 bits, the base address of `Artifact::tensors[index]`
///   stride     int64 in elements, of dimension `dimension` of tensor `index`
///   tensorMap  128 bytes aligned to 64, made from `tensorMap`
struct Parameter {
  enum class Kind : uint8_t { size, scalar, pointer, stride, tensorMap };

  Kind kind = Kind::size;
  int index = 0;
  int dimension = 0;
  TensorMapRecipe tensorMap = {};

  bool operator==(const Parameter &) const = default;
};

/// What a tile loop goes over. Dimension d has ceil(extents[d] / tile[d])
/// tiles. Without extents only the kernel knows them, and the loop is
/// persistent.
struct TileSpace {
  std::vector<Extent> extents;
  std::vector<int64_t> tile;
  bool persistent = false;

  bool operator==(const TileSpace &) const = default;
};

/// How many blocks a launch has. A loop has ceil(tiles / cluster[d]) clusters
/// in dimension d; a missing `cluster[d]` is 1. It wants the product of them,
/// or, if persistent, at most as many clusters as the device holds at once with
/// `ctasPerSm` blocks on an SM, and all of these where only the kernel knows
/// the extents. The grid is one-dimensional, and has clusterSize blocks for
/// each cluster that the loop wants that wants the most. No loop: one cluster.
/// No tile in any: no launch at all.
struct GridRule {
  std::vector<TileSpace> spaces;
  std::vector<int64_t> cluster;
  /// So many share a multiprocessor.
  int64_t ctasPerSm = 1;

  bool operator==(const GridRule &) const = default;
};

/// A number or an operation of an expression in postfix order. Operations take
/// two numbers; division and remainder are those of C++, `ceilDivide` rounds
/// towards more.
struct Term {
  enum class Kind : uint8_t {
    constant, ///< `value`
    size,     ///< the value of `Artifact::sizes[value]`
    add,
    subtract,
    multiply,
    divide,
    remainder,
    ceilDivide,
    minimum,
    maximum,
  };

  Kind kind = Kind::constant;
  int64_t value = 0;

  bool operator==(const Term &) const = default;
};

/// What the kernel demands of its sizes: that this index is at most `most`.
/// With a sentence, which then holds, the index is none that means something.
struct Bound {
  std::vector<Term> index;
  int64_t most = 0;
  SourceLine where = {};
  std::string sentence = {};

  bool operator==(const Bound &) const = default;
};

/// What the assembler reported, per thread.
struct Resources {
  int registers = 0;
  int spillStoreBytes = 0;
  int spillLoadBytes = 0;
  int stackBytes = 0;

  bool operator==(const Resources &) const = default;
};

/// One role of the program, for summaries and reports.
struct RoleInfo {
  std::string name;
  int firstWarp = 0;
  int warps = 0;
  int registers = 0; ///< per thread; 0 when the program does not say

  bool operator==(const RoleInfo &) const = default;
};

/// One pipeline of the program, for summaries and reports.
struct PipelineInfo {
  int stages = 0;
  int64_t stageBytes = 0;
  SourceLine where = {};

  bool operator==(const PipelineInfo &) const = default;
};

/// A compiled kernel and all a machine with nothing but a driver needs to
/// launch it. `name` is also the entry point in `ptx` and `cubin`.
struct Artifact {
  std::string name;
  std::string target; ///< such as "sm_90a"
  std::string ptx;
  std::vector<std::byte>
      cubin; ///< may be empty: then the driver compiles `ptx`
  std::vector<std::string> sizes;
  std::vector<TensorContract> tensors;
  std::vector<ScalarContract> scalars;
  std::vector<Parameter> parameters; ///< in the order of the kernel's ABI
  GridRule grid;
  std::vector<Bound> bounds;
  int threads = 0;         ///< per block
  int64_t sharedBytes = 0; ///< dynamic shared memory per block
  /// The kernel waits by itself (griddepcontrol.wait) for the launches before
  /// it, so it may start while the last of them drains.
  bool programmaticLaunch = false;
  Resources resources;
  std::vector<RoleInfo> roles;
  std::vector<PipelineInfo> pipelines;
  SourceLine where;

  bool operator==(const Artifact &) const = default;
};

/// The artifact as the bytes of one file.
std::vector<std::byte> serialize(const Artifact &artifact);

/// The artifact those bytes hold. They may come from anyone: throws `Error`
/// when they are truncated, damaged, of another version of the format, or
/// describe no kernel that can be launched.
Artifact deserialize(std::span<const std::byte> bytes);

/// Writes the artifact to one file; throws `Error` when that fails.
void save(const Artifact &artifact, const std::filesystem::path &path);

/// Reads what `save` wrote; throws `Error` when the file can't be read or does
/// not hold an artifact.
Artifact load(const std::filesystem::path &path);

} // namespace ashlar
