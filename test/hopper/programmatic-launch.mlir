// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper,hopper.kernel(hopper-join-once,hopper-start-early))' | FileCheck %s

// Barriers are set up and tensor maps fetched before the launch before is done;
// nothing is read or written before.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @programmatic threads 64 shared {{[0-9]+}} cluster 1 programmatic_launch {
tile.kernel @programmatic programmatic_launch {
  // CHECK: hopper.tensor_map.prefetch
  // CHECK: hopper.mbarrier.fence_init
  // CHECK-NEXT: }
  // CHECK-NEXT: hopper.role "load"
  // CHECK-NOT: hopper.mbarrier
  // CHECK-NOT: hopper.tma.load
  // CHECK: hopper.sync
  // CHECK-NEXT: hopper.grid.wait
  // CHECK: hopper.mbarrier.wait
  // CHECK-NOT: hopper.grid.release
  // CHECK: hopper.role "drain"
  // CHECK: hopper.sync
  // CHECK-NEXT: hopper.grid.wait
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !T, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "drain" warps 1 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

// A role that waits by itself may prefetch before; the others wait at their
// start.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @prefetching
tile.kernel @prefetching programmatic_launch {
  // CHECK: hopper.role "load"
  // CHECK-NOT: hopper.grid.wait
  // CHECK: hopper.once
  // CHECK: hopper.tma.prefetch %[[MAP:[0-9]+]][%c0{{.*}}, %c0{{.*}}]
  // CHECK: hopper.grid.wait
  // CHECK: hopper.tma.load %[[MAP]]
  // CHECK-NOT: hopper.grid.wait
  // CHECK: hopper.role "drain"
  // CHECK: hopper.grid.wait
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    tile.prefetch %A[%c0, %c0] [64, 64] : !T
    tile.wait_launch
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !T, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "drain" warps 1 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

// The next launch may start where a role says so, whether or not this one waits
// for the one before.

// CHECK-LABEL: hopper.kernel @allowing
tile.kernel @allowing {
  // CHECK: hopper.role "some"
  // CHECK-NEXT: hopper.grid.release
  tile.role "some" warps 1 {
    tile.allow_launch
  }
}

// -----

// CHECK-LABEL: hopper.kernel @ordinary
// CHECK-NOT: hopper.grid
tile.kernel @ordinary {
  tile.role "nothing" warps 1 {
  }
}
