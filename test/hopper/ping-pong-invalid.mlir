// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper,hopper.kernel(hopper-join-once,hopper-start-early))' --verify-diagnostics

// Each instance of a role passes by the stages of the others' tiles, so it must
// be able to count them.

!ring = !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
tile.kernel @under_a_condition {
  %M = tile.size "M"
  %tiles = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  %ring = tile.pipeline : !ring
  tile.role "math" warps 4 instances 2 {
    %c0 = arith.constant 0 : index
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    scf.for %t = %first to %end step %step {
      %m = tile.schedule_coordinates %tiles, %t : !tile.schedule<1> -> index
      %odd = arith.cmpi eq, %m, %c0 : index
      // expected-error@+1 {{role 'math' is in ping-pong with other warpgroups, and whether it takes a stage here depends on a condition: the others could not tell how many stages to pass by; take it always}}
      scf.if %odd {
        %s = tile.wait %ring : !ring
        tile.release %ring, %s : !ring
      }
    }
  }
}

// -----

!ring = !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
tile.kernel @tried_for {
  %M = tile.size "M"
  %tiles = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  %ring = tile.pipeline : !ring
  tile.role "math" warps 4 instances 2 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    scf.for %t = %first to %end step %step {
      %m = tile.schedule_coordinates %tiles, %t : !tile.schedule<1> -> index
      // expected-error@+1 {{whether it takes a stage here depends on a condition}}
      %ready, %s = tile.try_wait %ring : !ring
      scf.if %ready {
        tile.release %ring, %s : !ring
      }
    }
  }
}

// -----

// How long the inner loop is the next tile would say.
!ring = !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
tile.kernel @carried {
  %M = tile.size "M"
  %tiles = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  %ring = tile.pipeline : !ring
  tile.role "math" warps 4 instances 2 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    // expected-error@+1 {{role 'math' is in ping-pong with other warpgroups, and how many stages a tile takes depends on this value, which only its own warpgroup computes: let it depend on sizes and tile coordinates alone}}
    %last = scf.for %t = %first to %end step %step iter_args(%length = %c1) -> index {
      %m = tile.schedule_coordinates %tiles, %t : !tile.schedule<1> -> index
      scf.for %k = %c0 to %length step %c1 {
        %s = tile.wait %ring : !ring
        tile.release %ring, %s : !ring
      }
      %longer = arith.addi %length, %c1 : index
      scf.yield %longer : index
    }
  }
}

// -----

!ring = !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
tile.kernel @before_the_tiles {
  %M = tile.size "M"
  %tiles = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  %ring = tile.pipeline : !ring
  tile.role "math" warps 4 instances 2 {
    // expected-error@+1 {{role 'math' is in ping-pong with other warpgroups, and the stage that it takes here is no tile's: take it in the tile loop, directly in the role}}
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}
