// A vector meets the columns; along_rows makes it meet the rows.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      Fragment scores = zeros(f32, {64, 128}), row_max = zeros(f32, {64});
      // CHECK
      scores - row_max;
    });
  });
}
