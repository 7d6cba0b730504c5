// How many SMs a simulated run has.
#pragma once

#include "ashlar/artifact.h"
#include "ashlar/problem.h"
#include "runtime/sim/machine/Launch.h"

#include <cstdint>
#include <span>

namespace ashlar::harness {

/// So few that CTAs of persistent loops have two tiles each, where there are
/// three clusters of tiles or more, and four where there are eight or
/// more. All of them where a loop is not persistent,
/// or goes over single elements: over CTAs, perhaps, that wait for each other.
uint32_t simulatedSms(const Artifact &artifact,
                      std::span<const NamedSize> sizes);

/// Simulates a GPU of so many SMs as long as it lives.
class SimulatedSms {
public:
  explicit SimulatedSms(uint32_t sms);
  SimulatedSms(const SimulatedSms &) = delete;
  SimulatedSms &operator=(const SimulatedSms &) = delete;
  ~SimulatedSms();

private:
  uint32_t before;
};

} // namespace ashlar::harness
