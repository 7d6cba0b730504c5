// How many stages of a ring a role may keep longer than its program says.
#ifndef ASHLAR_PASSES_TILETOHOPPER_SPARESTAGES_H
#define ASHLAR_PASSES_TILETOHOPPER_SPARESTAGES_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// The number of stages that each role which drains the pipeline may keep
/// beyond its releases while it waits for another one of this pipeline, with no
/// deadlock that the program does not have; 0 where that is not known.
///
/// A stage counts as held from when it is taken until it and all before it are
/// given back. While a consumer that holds C waits for stage w, and a producer
/// that holds P with the one that it wants waits for stage a to be empty, a is
/// at least w - C - kept + stages. All but the last P are filled, stage w among
/// them, if C + P + kept <= stages: so the two never wait for each other. This
/// takes one role that fills the pipeline; of one that also drains it, all that
/// it has filled and not yet released, with what it keeps, is to fit.
int64_t spareStages(tile::PipelineOp pipeline);

} // namespace ashlar

#endif
