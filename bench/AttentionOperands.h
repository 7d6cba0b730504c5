// The tensors of a problem of attention on a device, and launches of a choice.
#pragma once

#include "ashlar/attention_auto.h"
#include "ashlar/module.h"
#include "bench/AttentionProblem.h"
#include "bench/Timer.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace ashlar::bench {

/// Random normal data, laid out as a model has it: tokens first, then heads;
/// pages lie anywhere. Of keys and values a block repeats.
class AttentionOperands {
public:
  AttentionOperands(Device &device, const AttentionProblem &problem);

  /// Takes Q, K and V from files of these names, in which they lie as here.
  void readFrom(const std::filesystem::path &folder);
  /// Writes O there.
  void writeResult(const std::filesystem::path &folder) const;

  /// What a launch is given, but for the workspaces of parts.
  std::vector<NamedArgument> arguments(int64_t group) const;

  /// O is no number before the next launch.
  void forgetResult();
  /// ‖O - truth‖ / ‖truth‖ over some rows.
  double error() const;
  /// What it is at most where a result is right: weights and results are
  /// rounded to bf16, or weights to e4m3.
  double tolerance() const;

  const AttentionProblem problem;

private:
  std::vector<std::byte> result() const;
  bool isOf8Bits() const { return problem.type == e4m3; }
  ElementType resultType() const { return isOf8Bits() ? bf16 : problem.type; }
  int64_t pagesOfSequence() const;
  /// Keys that lie in one piece, how many such pieces there are, and, of 8
  /// bits, how far the rows of V are apart.
  int64_t keysOfPiece() const;
  int64_t pieces() const;
  int64_t rowOfValues() const;
  int64_t keyElements() const;
  int64_t valueElements() const;
  TensorArgument rowsOf(const Buffer &buffer, ElementType type, int64_t width,
                        int64_t group) const;
  TensorArgument keysOf(const Buffer &buffer, int64_t width) const;
  TensorArgument transposedValues() const;
  double key(int64_t b, int64_t hk, int64_t key, int64_t e) const;
  double value(int64_t b, int64_t hk, int64_t key, int64_t e) const;
  std::vector<double> rowOf(int64_t row) const;

  std::vector<std::byte> q, k, v;
  std::vector<int32_t> table;
  Buffer onQ, onK, onV, onO, onTable, onLengths;
};

/// A choice's kernel with all that a launch of it needs; the operands outlive
/// it. Throws `Error` where the device refuses it.
class AttentionLaunch {
public:
  AttentionLaunch(Device &device, const AttentionOperands &operands,
                  const AttentionChoice &choice, const Artifact &artifact);

  void operator()(Stream &stream);

private:
  Module module;
  PartSizes parts;
  Buffer onParts, onPartL, onDone, onNext;
  std::vector<NamedArgument> arguments;
};

/// The model of a GPU of so many SMs.
GpuModel modelOf(int64_t smCount);

/// The kernel of a choice. Without an assembler the driver compiles the PTX.
Artifact compileChoice(const AttentionProblem &problem,
                       const AttentionChoice &choice);

/// "192x128 s6 w3", and what else there is of it: " g8" for the group, " p4"
/// for the parts, " q2" tiles of Q, " c2" CTAs to an SM, " a2" where warpgroups
/// are apart, " m2" CTAs that share keys, " eager".
std::string str(const AttentionChoice &choice);

} // namespace ashlar::bench
