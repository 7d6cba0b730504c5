// Stages of pipelines that a cluster leaves behind.
#pragma once

namespace ashlar::sim {

class Warp;

/// Called by the last warp of a cluster when it has exited. Reports a stage, of
/// each ring that the notes tell of, that was filled and not released since by
/// all who wait for it: with more rounds they would wait for each other.
void reportLeftStages(Warp &last);

} // namespace ashlar::sim
