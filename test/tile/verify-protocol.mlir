// RUN: ashlar-opt %s --tile-verify-protocol --split-input-file --verify-diagnostics

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<4, [!smem, !smem]>

// One role fills, the other drains, in loops of unknown length.
tile.kernel @producer_and_consumer {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %k = %c0 to %M step %c1 {
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %b = tile.buffer %s[1] : !smem
      tile.copy %A[%c0, %k] to %a : !tile.tensor<bf16, 2>, !smem
      tile.copy %A[%k, %c0] to %b : !tile.tensor<bf16, 2>, !smem
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = scf.for %k = %c0 to %M step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> {
      %s = tile.wait %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %b = tile.buffer %s[1] : !smem
      %next = tile.mma %a, %b transposed, %acc : !smem, !smem, tensor<64x64xf32>
      tile.release %ring, %s : !ring
      scf.yield %next : tensor<64x64xf32>
    }
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>

// Lookahead: as many stages at once as there are, given back in any order.
tile.kernel @lookahead {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s0 = tile.acquire %ring : !ring
    %s1 = tile.acquire %ring : !ring
    %a0 = tile.buffer %s0[0] : !smem
    %a1 = tile.buffer %s1[0] : !smem
    tile.copy %A[%c0, %c0] to %a1 : !tile.tensor<bf16, 2>, !smem
    tile.commit %ring, %s1 : !ring
    tile.copy %A[%c0, %c0] to %a0 : !tile.tensor<bf16, 2>, !smem
    tile.commit %ring, %s0 : !ring
  }
  tile.role "math" warps 4 {
    %s0 = tile.wait %ring : !ring
    %s1 = tile.wait %ring : !ring
    %a0 = tile.buffer %s0[0] : !smem
    %f = tile.read %a0 : !smem -> tensor<64x64xbf16>
    tile.release %ring, %s1 : !ring
    tile.release %ring, %s0 : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<4, [!smem]>

// Both arms of a conditional commit; a stage that is tried is used where it is
// ready, also in a second conditional.
tile.kernel @conditionals {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %even = arith.cmpi eq, %M, %c0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    scf.if %even {
      tile.copy %A[%c0, %c0] to %a : !tile.tensor<bf16, 2>, !smem
      tile.commit %ring, %s : !ring
    } else {
      tile.copy %A[%c1, %c0] to %a : !tile.tensor<bf16, 2>, !smem
      tile.commit %ring, %s : !ring
    }
    %ready, %t = tile.try_acquire %ring : !ring
    %b = tile.buffer %t[0] : !smem
    scf.if %ready {
      tile.copy %A[%c0, %c0] to %b : !tile.tensor<bf16, 2>, !smem
    }
    scf.if %ready {
      tile.commit %ring, %t : !ring
    }
  }
  tile.role "math" warps 4 {
    %true = arith.constant true
    %ready, %s = tile.try_wait %ring : !ring
    %late = arith.xori %ready, %true : i1
    scf.if %late {
      %t = tile.wait %ring : !ring
      tile.release %ring, %t : !ring
    } else {
      %a = tile.buffer %s[0] : !smem
      %f = tile.read %a : !smem -> tensor<64x64xbf16>
      tile.release %ring, %s : !ring
    }
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>

// A role that fills and drains its own ring keeps a stage ahead.
tile.kernel @one_role_with_lookahead {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  %ring = tile.pipeline : !ring
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %p = tile.acquire %ring : !ring
    %pa = tile.buffer %p[0] : !smem
    tile.copy %A[%c0, %c0] to %pa : !tile.tensor<bf16, 2>, !smem
    tile.commit %ring, %p : !ring
    scf.for %k = %c0 to %M step %c1 {
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      tile.copy %A[%c0, %k] to %a : !tile.tensor<bf16, 2>, !smem
      tile.commit %ring, %s : !ring
      %t = tile.wait %ring : !ring
      %b = tile.buffer %t[0] : !smem
      %f = tile.read %b : !smem -> tensor<64x64xbf16>
      tile.release %ring, %t : !ring
    }
    %t = tile.wait %ring : !ring
    tile.release %ring, %t : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>

// The prologue's loop fills an unknown number of stages, the epilogue's drains.
tile.kernel @prologue_loop {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  %ring = tile.pipeline : !ring
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %k = %c0 to %c2 step %c1 {
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      tile.copy %A[%c0, %k] to %a : !tile.tensor<bf16, 2>, !smem
      tile.commit %ring, %s : !ring
    }
    scf.for %k = %c0 to %c2 step %c1 {
      %t = tile.wait %ring : !ring
      %b = tile.buffer %t[0] : !smem
      %f = tile.read %b : !smem -> tensor<64x64xbf16>
      tile.release %ring, %t : !ring
    }
  }
}

// -----

// Loops and branches carry a stage; it is released under the name that it has.

!A = !tile.tensor<bf16, 2>
!smem = !tile.shared<128x64xbf16>
!ring = !tile.pipeline<3, [!smem]>

// CHECK-LABEL: tile.kernel @carried
tile.kernel @carried {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.role "load" warps 1 {
    %first = tile.acquire %ring : !ring
    %last = scf.for %i = %c1 to %M step %c1 iter_args(%open = %first) -> !tile.stage {
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %open[0] : !smem
      tile.copy %A[%c0, %c0] to %a : !A, !smem
      tile.commit %ring, %open : !ring
      scf.yield %s : !tile.stage
    }
    %a = tile.buffer %last[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %last : !ring
  }
  tile.role "math" warps 4 {
    %first = tile.wait %ring : !ring
    %last = scf.for %i = %c1 to %M step %c1 iter_args(%before = %first) -> !tile.stage {
      %s = tile.wait %ring : !ring
      %even = arith.cmpi eq, %i, %c1 : index
      %a = tile.buffer %before[0] : !smem
      %f = tile.read %a : !smem -> tensor<128x64xbf16>
      %next = scf.if %even -> !tile.stage {
        tile.release %ring, %before : !ring
        scf.yield %s : !tile.stage
      } else {
        tile.release %ring, %s : !ring
        scf.yield %before : !tile.stage
      }
      scf.yield %next : !tile.stage
    }
    tile.release %ring, %last : !ring
  }
}

// -----

// Tile loops that are the same, those that only the device knows, and one in a
// grid, of which a CTA has one tile.

!ring = !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
tile.kernel @tile_loops {
  %M = tile.size "M"
  %ctas = tile.schedule [%M] by [1] : !tile.schedule<1>
  %tiles = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  %again = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0, %c1, %c2 = tile.schedule_range %ctas : !tile.schedule<1>
    scf.for %c = %c0 to %c1 step %c2 {
      %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
      scf.for %t = %first to %end step %step {
        %s = tile.acquire %ring : !ring
        tile.commit %ring, %s : !ring
      }
      %own = tile.schedule persistent [%M] by [32] : !tile.schedule<1>
      %f, %e, %st = tile.schedule_range %own : !tile.schedule<1>
      scf.for %t = %f to %e step %st {
        %s = tile.acquire %ring : !ring
        tile.commit %ring, %s : !ring
      }
    }
  }
  tile.role "math" warps 4 {
    %c0, %c1, %c2 = tile.schedule_range %ctas : !tile.schedule<1>
    scf.for %c = %c0 to %c1 step %c2 {
      %first, %end, %step = tile.schedule_range %again : !tile.schedule<1>
      scf.for %t = %first to %end step %step {
        %s = tile.wait %ring : !ring
        tile.release %ring, %s : !ring
      }
      %own = tile.schedule persistent [%M] by [32] : !tile.schedule<1>
      %f, %e, %st = tile.schedule_range %own : !tile.schedule<1>
      scf.for %t = %f to %e step %st {
        %s = tile.wait %ring : !ring
        tile.release %ring, %s : !ring
      }
    }
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!flag = !tile.pipeline<1, [!smem]>

// Two roles drain a ring; one rewrites its stage and tells the other one.
tile.kernel @rewritten_and_told {
  %ring = tile.pipeline : !ring
  %told = tile.pipeline : !flag
  tile.role "load" warps 1 {
    %s = tile.acquire %ring : !ring
    tile.commit %ring, %s : !ring
  }
  tile.role "rewrite" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xbf16>
    %s = tile.wait %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.write %zero to %a : tensor<64x64xbf16>, !smem
    %t = tile.acquire %told : !flag
    tile.commit %told, %t : !flag
    tile.release %ring, %s : !ring
  }
  tile.role "read" warps 4 {
    %s = tile.wait %ring : !ring
    %t = tile.wait %told : !flag
    tile.release %told, %t : !flag
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>

// Loops of known length around loops of unknown length, one behind another.
tile.kernel @known_around_unknown {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    scf.for %i = %c0 to %c5 step %c1 {
      scf.for %k = %c0 to %M step %c1 {
        %s = tile.acquire %ring : !ring
        %a = tile.buffer %s[0] : !smem
        tile.copy %A[%c0, %k] to %a : !tile.tensor<bf16, 2>, !smem
        tile.commit %ring, %s : !ring
      }
    }
  }
  tile.role "drain" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %k = %c0 to %M step %c1 {
        %s = tile.wait %ring : !ring
        tile.release %ring, %s : !ring
      }
    }
    scf.for %i = %c0 to %c3 step %c1 {
      scf.for %k = %c0 to %M step %c1 {
        %s = tile.wait %ring : !ring
        tile.release %ring, %s : !ring
      }
    }
  }
}

// -----

// A sum over tiles that groups of warps take in turn; what the second loop hands
// on no turn reads.

tile.kernel @states {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M] align 16 : !tile.tensor<f32, 1>
  %tiles = tile.schedule persistent [%M] by [128] : !tile.schedule<1>
  tile.role "sum" warps 4 instances 2 {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    // expected-remark@+1 {{a value goes on from tile to tile in this loop, and 'sum' is 2 groups of warps that take the tiles in turn: each has a value of its own, of the tiles that it took}}
    %sum = scf.for %t = %first to %end step %step iter_args(%before = %zero) -> (tensor<128xf32>) {
      %x = tile.load %A[%t] : !tile.tensor<f32, 1> -> tensor<128xf32>
      %after = arith.addf %before, %x : tensor<128xf32>
      scf.yield %after : tensor<128xf32>
    }
    %last = scf.for %t = %first to %end step %step iter_args(%before = %zero) -> (tensor<128xf32>) {
      %x = tile.load %A[%t] : !tile.tensor<f32, 1> -> tensor<128xf32>
      scf.yield %x : tensor<128xf32>
    }
  }
}

// -----

// Copies that go on by other steps than the loop that was given their extent.
tile.kernel @other_steps {
  %M = tile.size "M"
  %N = tile.size "N"
  %A = tile.tensor "A" input [%M, %N] align 16 : !tile.tensor<bf16, 2>
  %D = tile.tensor "D" output [%M, %N] align 16 : !tile.tensor<bf16, 2>
  %tiles = tile.schedule persistent [%M, %N] by [64, 64] in <m, n> : !tile.schedule<2>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      %row = arith.muli %m, %c128 : index
      %same = arith.muli %c64, %m : index
      %column = arith.muli %n, %c32 : index
      // expected-remark@+1 {{for each tile of the loop this goes on by 128 along dimension 0 of 'A', and the loop's tiles have 64 of it, so that some of them lie outside: give both the same}}
      %x = tile.load %A[%row, %c0] : !tile.tensor<bf16, 2> -> tensor<128x64xbf16>
      // expected-remark@+1 {{goes on by 32 along dimension 1 of 'D', and the loop's tiles have 64 of it, so that its end is not reached}}
      tile.store %x to %D[%same, %column] : tensor<128x64xbf16>, !tile.tensor<bf16, 2>
      // Along another extent: the author's business.
      %y = tile.load %A[%same, %row] : !tile.tensor<bf16, 2> -> tensor<64x64xbf16>
      scf.for %i = %c0 to %N step %c64 {
        // expected-remark@+3 {{the loop's index goes up to the extent of dimension 1 of 'A', and here it is multiplied by 64, so that accesses lie outside: count tiles by range(ceil_div(extent, 64)), or give the index to at(), which counts elements}}
        %z = tile.load %A[%same, %i] : !tile.tensor<bf16, 2> -> tensor<64x64xbf16>
        %tile = arith.muli %i, %c64 : index
        %w = tile.load %A[%same, %tile] : !tile.tensor<bf16, 2> -> tensor<64x64xbf16>
      }
    }
  }
}
