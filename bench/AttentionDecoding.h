// Attention of few queries and many keys, which lie in pages: what
// bench-attention does with a line that begins with "decode".
#pragma once

#include "bench/Timer.h"

#include <string>

namespace ashlar::bench {

/// Of "decode d B Hk G Sq Sk page", behind which "group splits bm bn stages
/// warpgroups queries ctas apart eager
/// cluster" may say what the library is not to
/// choose: the relative error, microseconds cold and hot, and the
/// configuration. Without pages `page` is 0. Of "decode-latent d dv B ..." V is
/// the first dv columns of K.
std::string decoding(Device &device, Timer &timer, const std::string &line);

} // namespace ashlar::bench
