// Kernels in which each thread takes words of its own from an input, works, and
// leaves words of its own in an output.
#pragma once

#include "test/conformance/Case.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ashlar::conformance {

class ThreadKernel {
public:
  ThreadKernel(unsigned block, unsigned grid = 1, unsigned cluster = 1)
      : block(block), grid(grid), cluster(cluster) {}

  unsigned threads() const { return block * grid; }

  /// A line of PTX. In it are defined: %t, %cta, %rank and %lane (b32), the
  /// thread in its CTA, the CTA, its rank in the cluster and the thread's lane;
  /// %index, the thread in the grid; %block, the threads of a CTA.
  void line(const std::string &text) { body += "  " + text + "\n"; }
  /// A line in front of the kernel, or between its head and its body.
  void declare(const std::string &text) { declarations += text + "\n"; }
  void direct(const std::string &text) { directives += text + "\n"; }

  /// A new register.
  std::string word();      // b32
  std::string wide();      // b64
  std::string predicate(); // pred
  /// A register with the next word of input, `value(thread)`.
  std::string input(const std::function<uint32_t(unsigned)> &value);
  /// The same word in all threads: a constant the compiler can't see.
  std::string uniform(uint32_t value) {
    return input([value](unsigned) { return value; });
  }
  std::string predicateOf(const std::string &word); // is not 0
  void output(const std::string &word);
  void outputPredicate(const std::string &predicate);
  void outputWide(const std::string &wide);

  Case finish(const std::string &family, const std::string &name) const;

private:
  unsigned block, grid, cluster;
  unsigned words = 0, wides = 0, predicates = 0, inputs = 0, outputs = 0;
  std::string body, declarations, directives;
  std::vector<uint8_t> bytes;
};

/// Words by a fixed generator, the edge values of integers and floats among
/// them.
std::function<uint32_t(unsigned)> anyWords(uint32_t seed);
/// Words below `count`.
std::function<uint32_t(unsigned)> smallWords(uint32_t seed, uint32_t count);

} // namespace ashlar::conformance
