// Runs conformance cases on a driver and compares what they give.
#pragma once

#include "runtime/Driver.h"
#include "test/conformance/Case.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ashlar::conformance {

/// Every case of every family.
std::vector<Case> allCases();

/// What a case gave on a device.
struct Outcome {
  bool ran = false;
  std::string whyNot; // when it did not run
  /// The buffers that are outputs, in their order.
  std::vector<std::vector<uint8_t>> outputs;
};

/// Runs one case. `limit` bounds the kernel's time. `broken` is set when the
/// device may be of no more use in this process.
Outcome runCase(const DriverTable &driver, const Case &instance,
                std::chrono::milliseconds limit, bool &broken);

/// Runs the cases in a child process, one after the other, and in a new one
/// behind each that hangs, crashes or breaks the device. `openDriver` is called
/// in the child; null with the reason in its argument when there is none.
/// `onOutcome` gets the index of a case.
void runCases(
    const std::vector<Case> &cases,
    const std::function<const DriverTable *(std::string &)> &openDriver,
    std::chrono::milliseconds limit,
    const std::function<void(size_t, Outcome)> &onOutcome);

/// Empty when the outputs agree as the case's buffers ask, else where they
/// first differ: "buffer 3, element 17 of f32: 0x3f800000 expected, ...".
std::string compare(const Case &instance, const Outcome &expected,
                    const Outcome &actual);

/// A hash of the outputs that are compared exactly; any NaN counts as the same
/// where the case says so. 0 when none is.
uint64_t hashExactOutputs(const Case &instance, const Outcome &outcome);

} // namespace ashlar::conformance
