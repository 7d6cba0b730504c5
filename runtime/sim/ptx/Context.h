// What the parts of the parser share while they parse a module.
#pragma once

#include "runtime/sim/ptx/Constant.h"
#include "runtime/sim/ptx/Names.h"

namespace ashlar::sim::ptx {

/// Limits that keep a short text from taking the memory of the machine.
namespace limit {
inline constexpr uint64_t functionRegisters = uint64_t{1} << 20;
inline constexpr uint64_t familyMembers = uint64_t{1} << 22; // of a module
inline constexpr uint64_t variableBytes = uint64_t{1} << 40;
inline constexpr uint64_t imageBytes = uint64_t{1} << 30; // of a module
inline constexpr uint64_t alignment = uint64_t{1} << 30;
inline constexpr uint64_t fileNumber = uint64_t{1} << 16;
} // namespace limit

struct Context {
  Cursor cursor;
  Names names;
  Module module;
  uint64_t familyMembers = 0; // names made by `x<N>` so far
  uint64_t imageBytes = 0;    // of all initialisers so far

  Context(std::string_view text, const std::string &name)
      : cursor(text, name) {}

  /// Fails if the innermost scope has the name already.
  void requireNew(const Token &name, std::string_view what) const;

  /// Counts names made by `x<N>` against the limit.
  void countFamily(uint64_t members, Position position);

  /// Gives the module the notes met so far; those from `start` to `end` stand
  /// in the function.
  void takeNotes(int function, size_t start, size_t end);
};

} // namespace ashlar::sim::ptx
