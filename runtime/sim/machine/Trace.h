// What happened in a launch over time, for https://ui.perfetto.dev and
// chrome://tracing: the JSON of the Trace Event Format. A CTA is a process; its
// warps and engines are its threads. The time is Cluster::clock, the
// instructions executed so far; one stands for a microsecond.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::sim {

class Cluster;
class Instruction;
class Warp;

/// May be called from every host thread. Each event carries the source line
/// and the text of the warp's current instruction.
class Trace {
public:
  /// Pairs that are shown with an event: {"bytes", "16384"}.
  using Arguments = std::vector<std::pair<std::string, std::string>>;

  enum class Engine : uint8_t {
    copies,     // TMA, bulk copies and cp.async: one for each CTA
    tensorCore, // wgmma: one for each warpgroup
  };

  /// Empties the file and opens it.
  explicit Trace(const std::string &path);
  ~Trace();

  /// Empty, or why the file can't be written.
  const std::string &problem() const { return failure; }

  /// A point in time on the warp's track: "arrive", "expect_tx 16384".
  void instant(const Warp &warp, const std::string &name,
               const Arguments &arguments = {});

  /// The warp blocks at its current instruction, or is still blocked there:
  /// the first call counts. "wait for phase 3 of full[1]".
  void beginWait(const Warp &warp, const std::string &name);
  /// The current instruction of the warp went on. No effect when it never
  /// waited, so that it may be called always.
  void endWait(const Warp &warp);

  /// An engine starts on what the warp's current instruction asks for: "TMA
  /// load of 128x64 bf16", "wgmma group 7". The number is for endOperation.
  uint64_t beginOperation(const Warp &issuer, Engine engine,
                          const std::string &name,
                          const Arguments &arguments = {});
  void endOperation(uint64_t operation, const Cluster &cluster);

  /// Around each launch, by who launches: what lies between them is written
  /// behind the earlier launches, or forgotten (`keep` false).
  void beginLaunch(const std::string &name);
  void endLaunch(bool keep);

private:
  struct Event {
    uint32_t cta = 0, track = 0;
    uint64_t begin = 0, end = 0;
    bool isInstant = false, isOpen = false;
    std::string name;
    Arguments arguments;
  };
  struct Waiting {
    uint32_t cta = 0, track = 0;
    uint64_t begin = 0;
    std::string name;
  };

  /// Nothing is recorded beyond this; the file says so.
  static constexpr size_t maxEvents = 2'000'000;
  static constexpr uint64_t none = ~uint64_t(0);

  Event eventOf(const Warp &warp, const std::string &name,
                const Arguments &arguments);
  uint64_t add(Event event); // its number, or `none`
  void spread();
  void write();

  std::mutex mutex;
  std::string failure;
  const std::string path;
  std::ofstream file;
  std::streampos trailer = 0; // where the next launch's events go
  bool isFirst = true;

  std::string launch;
  uint64_t origin = 0;       // when this launch began
  uint32_t firstProcess = 0; // number of its first CTA's process
  std::vector<Event> events;
  size_t dropped = 0;
  std::map<std::pair<const Warp *, const Instruction *>, Waiting> waits;
  std::map<uint32_t, std::string> ctas;                        // by number
  std::map<std::pair<uint32_t, uint32_t>, std::string> tracks; // (CTA, track)
};

} // namespace ashlar::sim
