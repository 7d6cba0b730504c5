// The end of a program that failed.
#pragma once

namespace ashlar::harness {

/// To be called in a `catch (...)`: prints the exception as a sentence on the
/// error stream and returns the exit status. After a `TimeoutError` it ends the
/// process: the device does not come back, and nothing may wait for it.
int reportFailure();

} // namespace ashlar::harness
