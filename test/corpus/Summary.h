// How many programs fail, in which way, and how far the others are from the
// optimum of their waits.
#ifndef ASHLAR_TEST_CORPUS_SUMMARY_H
#define ASHLAR_TEST_CORPUS_SUMMARY_H

#include "test/corpus/Check.h"

#include <map>
#include <string>
#include <vector>

namespace ashlar::corpus {

class Summary {
public:
  void note(const Outcome &outcome, uint64_t seed);
  bool hasFailures() const { return failing > 0; }
  void print(const std::string &family);

private:
  struct Below {
    int64_t products;
    uint64_t seed;
    std::string first; ///< the first wait that is too early
  };
  void printWaits();

  uint64_t programs = 0, failing = 0;
  std::map<std::string, std::vector<uint64_t>> seeds; ///< by kind of failure
  uint64_t optimal = 0, notCompared = 0;
  std::vector<Below> below;
};

} // namespace ashlar::corpus

#endif
