// RUN: ashlar-opt %s --split-input-file --verify-diagnostics
// XFAIL: *

tile.kernel @buffer_negative {
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
  tile.role "math" warps 4 {
    %s = tile.acquire %ring : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
    // expected-error@+1 {{takes tile -1 of a stage that has 1}}
    %b = tile.buffer %s[-1] : !tile.shared<64x64xbf16>
  }
}
