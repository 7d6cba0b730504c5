// What the machine asks of an instruction besides executing it.
#pragma once

#include <cstdint>

namespace ashlar::sim {

/// Which part of the machine makes an instruction's accesses to memory.
enum class Engine : uint8_t {
  thread,     // ordinary loads and stores
  threadCopy, // cp.async
  bulkCopy,   // cp.async.bulk, cp.reduce.async.bulk
  tensorCopy, // the same with .tensor: TMA
  tensorCore, // wgmma
};

/// What holds for all forms of an opcode stands in its row of the table
/// (instructions/Opcodes.h); its decoder completes it from the modifiers.
struct Traits {
  Engine engine = Engine::thread;
  /// All lanes of the warp that have not exited must execute it together.
  bool aligned = false;
  /// It is a point where the schedule may choose another warp.
  bool synchronises = false;
  /// It arrives at a barrier, or expects bytes on it: the trace has a point in
  /// time for it.
  bool arrives = false;
  /// It reads and writes its registers after it was issued. WgmmaGroups checks
  /// them; they are not in Instruction::registers.
  bool holdsRegisters = false;
  /// What was written to registers before it is seen by the wgmma behind it.
  bool fencesRegisters = false;
  /// It changes nothing but that a value has another register.
  bool copiesRegister = false;
  /// It changes memory in a way that others may wait for: an atomic operation
  /// on integers, or a strong store.
  bool signals = false;
  /// It is a load of what an atom.cas behind it verifies.
  bool guesses = false;
  /// It reads bits only to put them back beside others.
  bool replacesBits = false;
  /// It loads aligned words in which a tensor has elements, and drops what else
  /// they have: what a compiler tells by `//@ around` in the line before.
  bool readsAround = false;

  bool operator==(const Traits &) const = default;
};

} // namespace ashlar::sim
