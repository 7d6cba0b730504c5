// What the simulator finds wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace ashlar::sim {

class Ignored;
class Instruction;

enum class Finding : uint8_t {
  deadlock,
  race,
  missingProxyFence,
  accumulatorTouched, // a register in use by wgmma was read or written
  outOfBounds,
  misaligned,
  uninitialised,
  invalidDescriptor,
  invalidTensorMap,
  mbarrierMisuse,
  divergent,     // an .aligned instruction without all lanes of the warp
  barrierMisuse, // wrong counts of bar/barrier
  registerLimit, // setmaxnreg
  unfinished,    // missing commit, wait or arrival at exit
  exitedPeer,    // shared memory of a CTA that has exited
  trap,
  assertion, // __assertfail
  dividesByZero,
  missingWait, // for an asynchronous operation of the thread's own
  wrongPhase,  // a wait passed that should not have
  stale,       // a stage is read that was not filled again
  timeLimit,   // the launch took too long
  other,
};

/// "race", "deadlock", "missing proxy fence".
const char *name(Finding finding);

/// One side of a finding: who did what, and where it stands.
struct Site {
  std::string who;         // "role 'load', warp 8, CTA (0,0,0)"
  std::string did;         // "writes it by TMA", "waits for phase 1 of ..."
  std::string source;      // "gemm.cpp:31", or empty where PTX has no .loc
  std::string instruction; // "kernel.ptx:2041: wgmma.mma_async..."
  bool operator==(const Site &) const = default;
};

struct Report {
  Finding finding = Finding::other;
  std::string sentence; // what is wrong and what to change
  std::vector<Site> sites;
  uint64_t seed = 0;
  uint64_t count = 1; // how often it was found, with other registers or bytes
  bool isEnd = false; // of the launch: nothing sensible was left to execute
  /// What the launch computes does not depend on it: the driver goes on.
  bool isHarmless = false;
  std::string kernel = {}; // the one that ran

  /// The sentence, then one line for each site, then how to replay it; long
  /// names are shortened, which the members have whole.
  std::string text() const;
  /// Whether both are the same mistake: of the same kind, at the same lines.
  bool isSameAs(const Report &other) const;
};

/// Counts the report with the same one among these; adds it if there is none.
void merge(std::vector<Report> &reports, Report report);

/// Ends the launch at once: what is wrong leaves nothing sensible to execute.
class LaunchStopped : public std::exception {};

/// Collects the findings of a launch, from all its clusters. One of the same
/// kind at the same lines is kept once, with a count; `ignored` ones are not,
/// but where they end the launch.
class Reporter {
public:
  explicit Reporter(uint64_t seed, size_t limit = 20,
                    const Ignored *ignored = nullptr)
      : seed(seed), limit(limit), ignored(ignored) {}

  /// Keeps the report; the launch goes on. Throws LaunchStopped when there are
  /// `limit` of them.
  void add(Report report);
  /// Keeps the report and throws LaunchStopped.
  [[noreturn]] void stop(Report report);

  /// True the first time for these instructions: what happens in a loop is
  /// not made a report of again and again.
  bool isNew(Finding finding, const Instruction *first,
             const Instruction *second = nullptr);

  std::vector<Report> take();
  bool any() const;

  /// Keeps it before those that follow from it: that its first site reads what
  /// is not there yet.
  void addCause(Report report);

private:
  void keep(Report report);
  void stopAtLimit();

  mutable std::mutex mutex;
  uint64_t seed;
  size_t limit;
  const Ignored *ignored;
  std::vector<Report> reports;
  std::set<std::tuple<Finding, const Instruction *, const Instruction *>> told;
};

} // namespace ashlar::sim
