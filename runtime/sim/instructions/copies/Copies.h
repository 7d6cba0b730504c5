// The decoders of the asynchronous copies. Each is called behind the modifiers
// that chose it.
#pragma once

#include "runtime/sim/instructions/Decoder.h"

namespace ashlar::sim {

Decoded decodeThreadCopy(Decoder &);       // cp.async{.ca,.cg,...}
Decoded decodeBulkCopy(Decoder &);         // cp.async.bulk
Decoded decodeBulkReduction(Decoder &);    // cp.reduce.async.bulk
Decoded decodeBulkPrefetch(Decoder &);     // cp.async.bulk.prefetch
Decoded decodeTensorCopy(Decoder &);       // cp.async.bulk.tensor
Decoded decodeTensorReduction(Decoder &);  // cp.reduce.async.bulk.tensor
Decoded decodeTensorPrefetch(Decoder &);   // cp.async.bulk.prefetch.tensor
Decoded decodeTensorMapReplace(Decoder &); // tensormap.replace
Decoded decodeTensorMapCopy(Decoder &);    // tensormap.cp_fenceproxy

} // namespace ashlar::sim
