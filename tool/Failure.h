// The end of a program.
#pragma once

namespace ashlar::harness {

/// To be called in a `catch (...)`: prints the exception as a sentence on the
/// error stream and returns the exit status. After a `TimeoutError` it ends the
/// process: the device does not come back, and nothing may wait for it.
int reportFailure();

/// The exit status of a program that printed its results: 1, with a sentence on
/// the error stream, when not all of them were written.
int finished(int status);

} // namespace ashlar::harness
