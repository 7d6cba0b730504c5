// Stages of pipelines that a cluster leaves behind.
#pragma once

namespace ashlar::sim {

class Warp;

/// Called by the last warp of a cluster when it has exited. Reports a stage, of
/// each ring that the notes tell of, that some of those who wait for it have
/// released and others not. One that nobody has may be left on purpose.
void reportLeftStages(Warp &last);

} // namespace ashlar::sim
