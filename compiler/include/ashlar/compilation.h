// What the compiler is asked for, and what it gives back.
#ifndef ASHLAR_COMPILATION_H
#define ASHLAR_COMPILATION_H

#include "ashlar/artifact.h"
#include "ashlar/error.h"

#include <string>
#include <vector>

namespace ashlar {

/// What to do on the way from a kernel to its artifact.
struct CompileOptions {
  /// Run the assembler. Without it the artifact holds PTX alone and
  /// `Compilation::artifact.resources` is empty.
  bool assemble = true;
  /// Verify the IR after every pass.
  bool verify_each = false;
  /// Keep the text of each level in `Compilation::levels`.
  bool keep_levels = false;
  /// Passes after which the IR is printed to the error stream, by name. One
  /// that does not exist is an `Error`.
  std::vector<std::string> print_after = {};
  /// Print `.loc` lines and comments that lead back to the author's source.
  bool source_lines = true;
  /// Keep the kernel's `expect` calls: a launch ends where one does not hold.
  /// So it does where a single value, an atomic operation or a counter lies
  /// outside of its tensor or shared tile, and prints where.
  bool check_expectations = false;
  /// The same for each index of `rows`, `gather` and `scatter`, and for a tile
  /// at coordinates that were read from memory of which nothing lies in its
  /// tensor: without it what is not there is passed by.
  bool check_indices = false;
};

/// A remark about a kernel that compiled: a spill, wgmma that the assembler
/// serialised.
struct Warning {
  SourceLine where;
  std::string message;
};

/// What costs time, and why: which way a copy goes that TMA does not take, what
/// a loop waits for wgmma for.
struct Note {
  SourceLine where;
  std::string message;
};

/// Wall time of one step of the compilation.
struct StepTime {
  std::string step;
  double milliseconds;
};

/// The text of the program at one level: tile, hopper, thread, llvm or ptx.
struct LevelText {
  std::string level;
  std::string text;
};

/// A compiled kernel and how it came about.
struct Compilation {
  Artifact artifact;
  std::vector<Warning> warnings;
  std::vector<Note> notes;
  std::vector<StepTime> times;
  std::vector<LevelText> levels;
};

} // namespace ashlar

#endif
