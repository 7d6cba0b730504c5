// RUN: ashlar-opt %s --split-input-file --tile-to-hopper --verify-diagnostics

!ring = !tile.pipeline<2, [!tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">]>
tile.kernel @without_place attributes {plan = #tile.plan<128 threads 16416 bytes rings [<0 every 8192 tiles [0] barriers 16384>] roles [<0>]>} {
  %ring = tile.pipeline : !ring
  tile.role "math" warps 4 {
    // expected-error@+1 {{is left of the tile level; run tile-place-stages first}}
    %s = tile.wait %ring : !ring
  }
}

// -----

tile.kernel @schedule attributes {plan = #tile.plan<128 threads 0 bytes roles [<0>]>} {
  %M = tile.size "M"
  %tiles = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  tile.role "math" warps 4 {
    // expected-error@+1 {{is left of the tile level; run tile-expand-schedules first}}
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
  }
}

// -----

tile.kernel @meeting attributes {plan = #tile.plan<128 threads 0 bytes roles [<0>]>} {
  %done = tile.barrier "done" : !tile.barrier
  tile.role "math" warps 4 {
    // expected-error@+1 {{is left of the tile level; run tile-order-accesses first}}
    tile.sync %done : !tile.barrier
  }
}
