#include "tool/Traffic.h"

#include "runtime/sim/driver/SimulatorDriver.h"

#include <algorithm>
#include <cstdio>

namespace ashlar::harness {

namespace {

/// Three digits, as a table wants them: "0.0312", "4", "12.5".
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

class PerElement {
public:
  explicit PerElement(int64_t elements)
      : elements(static_cast<double>(elements)) {}

  std::string of(uint64_t count) const {
    return number(static_cast<double>(count) / elements);
  }
  std::string bytes(const char *verb, const sim::Accesses &accesses) const {
    if (!accesses.bytes)
      return "";
    std::string text = std::string(", ") + verb + " " + of(accesses.bytes) +
                       " bytes (" + percent(accesses.wideBytes, accesses.bytes);
    text += " in accesses of 16 bytes";
    if (accesses.sectorBytes)
      text += ", sectors of " + of(accesses.sectorBytes) + " bytes";
    if (accesses.leastPasses)
      text += ", conflicts " + percent(accesses.passes - accesses.leastPasses,
                                       accesses.leastPasses);
    return text + ")";
  }
  std::string copied(const char *where, uint64_t count) const {
    return count ? std::string(", copied ") + where + " " + of(count) + " bytes"
                 : "";
  }

private:
  static std::string percent(uint64_t part, uint64_t whole) {
    return number(100 * static_cast<double>(part) /
                  static_cast<double>(whole)) +
           " %";
  }
  double elements;
};

/// A line, unless nothing is to be told.
std::string line(const char *label, const std::string &parts) {
  if (parts.empty())
    return "";
  char text[24];
  std::snprintf(text, sizeof text, "  %-15s", label);
  return text + parts.substr(2) + "\n";
}

} // namespace

void countTraffic() { sim::settings().countsTraffic = true; }

std::string describeTraffic(const Problem &problem) {
  const sim::Traffic traffic = sim::takeTraffic();
  const auto largest =
      std::ranges::max_element(problem.tensors, {}, &HostTensor::elements);
  if (largest == problem.tensors.end() || !largest->elements())
    return "";
  const PerElement per(largest->elements());
  return line("per element", ", of '" + largest->name() +
                                 "': " + per.of(traffic.instructions * 32) +
                                 " instructions of a thread") +
         line("global memory",
              per.bytes("loaded", traffic.globalLoads) +
                  per.bytes("stored", traffic.globalStores) +
                  per.copied("in", traffic.copiedIn) +
                  per.copied("out", traffic.copiedOut) +
                  (traffic.atomics
                       ? ", " + per.of(traffic.atomics) + " atomic changes"
                       : "")) +
         line("shared memory", per.bytes("loaded", traffic.sharedLoads) +
                                   per.bytes("stored", traffic.sharedStores));
}

} // namespace ashlar::harness
