// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol,tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper,hopper.kernel(hopper-join-once,hopper-start-early))' | FileCheck %s

// A ring: full and empty barriers, cursors that wrap, TMA that completes on the
// full barrier, a release that arrives at the empty one.

!smem = !tile.shared<128x64xbf16>
!ring = !tile.pipeline<3, [!smem, !smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @ring threads 160 shared 98352 cluster 1 {
tile.kernel @ring {
  // CHECK-DAG: %[[MAPA:.+]] = hopper.tensor_map "A" box [128, 64] swizzle 128
  // CHECK-DAG: %[[MAPB:.+]] = hopper.tensor_map "B" box [128, 64] swizzle 128
  %K = tile.size "K"
  %A = tile.tensor "A" input [%K, %K] align 16 : !T
  %B = tile.tensor "B" input [%K, %K] align 16 : !T
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK: hopper.once {
  // CHECK-COUNT-2: hopper.tensor_map.prefetch
  // CHECK-NEXT: }
  // CHECK: hopper.once {
  // CHECK-NEXT: %[[FULL0:.+]] = hopper.shared_address 98304
  // CHECK-NEXT: hopper.mbarrier.init %[[FULL0]] count 1
  // CHECK-NEXT: %[[EMPTY0:.+]] = hopper.shared_address 98328
  // CHECK-NEXT: hopper.mbarrier.init %[[EMPTY0]] count 4
  // CHECK-COUNT-4: hopper.mbarrier.init
  // CHECK-NEXT: hopper.mbarrier.fence_init
  // CHECK-NEXT: }
  // CHECK: hopper.role "load" from 4 warps 1 {
  tile.role "load" warps 1 {
    // CHECK-DAG: %[[STAGE0:.+]] = arith.constant 0 : index
    // CHECK-DAG: %[[PARITY0:.+]] = arith.constant 1 : index
    // CHECK: hopper.sync{{$}}
    // CHECK-NEXT: scf.for {{.*}} iter_args(%[[STAGE:.+]] = %[[STAGE0]], %[[PARITY:.+]] = %[[PARITY0]]) -> (index, index)
    scf.for %k = %c0 to %K step %c64 {
      // CHECK: hopper.mbarrier.wait %{{.+}} parity %[[PARITY]]
      // CHECK: %[[NEXT:.+]] = arith.addi %[[STAGE]], %{{.+}}
      // CHECK: %[[WRAPS:.+]] = arith.cmpi eq, %[[NEXT]], %c3
      // CHECK: %[[STAGE1:.+]] = arith.select %[[WRAPS]], %{{.+}}, %[[NEXT]]
      // CHECK: %[[FLIPPED:.+]] = arith.xori %[[PARITY]], %{{.+}}
      // CHECK: %[[PARITY1:.+]] = arith.select %[[WRAPS]], %[[FLIPPED]], %[[PARITY]]
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %b = tile.buffer %s[1] : !smem
      // CHECK: hopper.once {
      // CHECK-NEXT: hopper.mbarrier.expect_bytes %{{.+}}, 16384
      // CHECK-NEXT: hopper.tma.load %[[MAPA]][%c0{{.*}}, %{{.+}}] to %{{.+}} on %{{[0-9]+}} :
      // CHECK-NEXT: hopper.mbarrier.expect_bytes %{{.+}}, 16384
      // CHECK-NEXT: hopper.tma.load %[[MAPB]][%{{.+}}, %c0{{.*}}] to %{{.+}} on %{{[0-9]+}} :
      // CHECK-NEXT: hopper.mbarrier.arrive %{{[0-9]+}}{{$}}
      // CHECK-NEXT: }
      tile.copy %A[%c0, %k] to %a : !T, !smem
      tile.copy %B[%k, %c0] to %b : !T, !smem
      tile.commit %ring, %s : !ring
      // CHECK-NEXT: scf.yield %[[STAGE1]], %[[PARITY1]]
    }
  }
  // CHECK: hopper.role "math" from 0 warps 4 {
  tile.role "math" warps 4 {
    // CHECK: hopper.sync{{$}}
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    // CHECK: scf.for {{.*}} iter_args(%{{.+}} = %{{.+}}, %[[STAGE:.+]] = %{{.+}}, %[[PARITY:.+]] = %{{.+}}) ->
    %r = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> tensor<128x128xf32> {
      // CHECK: hopper.mbarrier.wait %{{.+}} parity %[[PARITY]] holds [2] of [98304]
      %s = tile.wait %ring : !ring
      // CHECK: %[[BASE:.+]] = hopper.shared_address 0
      // CHECK: %[[ADDRESS:.+]] = arith.addi %[[BASE]], %{{.+}}
      // CHECK: %[[A:.+]] = hopper.view %[[ADDRESS]] of %[[STAGE]] : <128x64xbf16, "S<3,4,3> o (128,64):(128,2)">
      // CHECK: hopper.shared_address 16384
      // CHECK: %[[B:.+]] = hopper.view
      %a = tile.buffer %s[0] : !smem
      %b = tile.buffer %s[1] : !smem
      // CHECK: hopper.mma %[[A]], %[[B]] transposed, %{{.+}} :
      %next = tile.mma %a, %b transposed, %acc : !smem, !smem, tensor<128x128xf32>
      // CHECK: hopper.release %[[STAGE]] of 98304 newer 0 {
      // CHECK: hopper.shared_address 98328
      // CHECK: hopper.mbarrier.arrive %{{[0-9]+}}{{$}}
      // CHECK-NEXT: }
      tile.release %ring, %s : !ring
      scf.yield %next : tensor<128x128xf32>
    }
  }
}

// -----

// In a cluster of 2x2 a CTA hears of the one across through others only. Where it
// also commits without their data it waits for the releases of all four.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @multicast_2x2
tile.kernel @multicast_2x2 cluster [2, 2] {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %tiles = tile.schedule [%M, %M] by [64, 64] in <n, m> : !tile.schedule<2>
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  // CHECK: hopper.mbarrier.init %{{.+}} count 1
  // CHECK: hopper.mbarrier.init %{{.+}} count 12
  tile.role "load" warps 1 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %b = tile.buffer %s[1] : !smem
      tile.copy %A[%m, %c0] to %a multicast : !T, !smem
      tile.copy %A[%n, %c0] to %b multicast : !T, !smem
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      %s = tile.wait %ring : !ring
      tile.release %ring, %s : !ring
    }
  }
}
// CHECK-LABEL: hopper.kernel @multicast_2x2_or_nothing
tile.kernel @multicast_2x2_or_nothing cluster [2, 2] {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %tiles = tile.schedule [%M, %M] by [64, 64] in <n, m> : !tile.schedule<2>
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  // CHECK: hopper.mbarrier.init %{{.+}} count 1
  // CHECK: hopper.mbarrier.init %{{.+}} count 16
  tile.role "load" warps 1 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %b = tile.buffer %s[1] : !smem
      tile.copy %A[%m, %c0] to %a multicast : !T, !smem
      tile.copy %A[%n, %c0] to %b multicast : !T, !smem
      tile.commit %ring, %s : !ring
      %empty = tile.acquire %ring : !ring
      tile.commit %ring, %empty : !ring
    }
  }
  tile.role "math" warps 4 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      %s = tile.wait %ring : !ring
      tile.release %ring, %s : !ring
    }
  }
}

// -----

// Multicast over a cluster of 2x1: the CTAs along the first dimension share B.
// Each fetches half of it for both; a release reaches both producers.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @multicast_2x1 threads 160 shared {{[0-9]+}} cluster 2 {
tile.kernel @multicast_2x1 cluster [2, 1] {
  // CHECK-DAG: %[[MAPA:.+]] = hopper.tensor_map "A" box [64, 64] swizzle 128
  // CHECK-DAG: %[[MAPB:.+]] = hopper.tensor_map "B" box [32, 64] swizzle 128
  %M = tile.size "M"
  %N = tile.size "N"
  %A = tile.tensor "A" input [%M, %N] align 16 : !T
  %B = tile.tensor "B" input [%N, %N] align 16 : !T
  %tiles = tile.schedule [%M, %N] by [64, 64] in <n, m> : !tile.schedule<2>
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  // CHECK: hopper.mbarrier.init %{{.+}} count 1
  // CHECK: hopper.mbarrier.init %{{.+}} count 8
  // CHECK: hopper.mbarrier.fence_init
  // CHECK-NEXT: }
  // CHECK-NEXT: hopper.cluster.arrive
  // CHECK: hopper.sync cluster arrived
  tile.role "load" warps 1 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %b = tile.buffer %s[1] : !smem
      // CHECK: %[[RANK:.+]] = hopper.special_register "cluster_ctarank"
      // CHECK: %[[PLACE:.+]] = arith.remui %{{.+}}, %c2
      // CHECK: %[[BYTES:.+]] = arith.muli %{{.+}}, %c4096
      // CHECK: %[[SLICE:.+]] = arith.addi %{{.+}}, %[[BYTES]]
      // CHECK: %[[ROWS:.+]] = arith.muli %{{.+}}, %c32
      // CHECK: %[[ROW:.+]] = arith.addi %{{.+}}, %[[ROWS]]
      // CHECK: hopper.once {
      // CHECK-NEXT: hopper.mbarrier.expect_bytes %{{.+}}, 8192
      // CHECK-NEXT: hopper.tma.load %[[MAPA]][%{{.+}}, %{{.+}}] to %{{.+}} on %{{[0-9]+}} :
      // CHECK-NEXT: hopper.mbarrier.expect_bytes %{{.+}}, 8192
      // CHECK-NEXT: hopper.tma.load %[[MAPB]][%[[ROW]], %{{.+}}] to %[[SLICE]] on %{{.+}} multicast %c3{{.*}} kept 1.250000e-01
      // CHECK-NEXT: hopper.mbarrier.arrive

      // No CTA leaves while its peer may still arrive at its barriers.
      // CHECK: scf.for %{{.+}} = %c0{{.*}} to %c2{{.*}} iter_args(%[[STAGE:.+]] = %{{.+}}, %[[PARITY:.+]] = %{{.+}})
      // CHECK: %[[OFFSET:.+]] = arith.muli %[[STAGE]], %c8
      // CHECK: %[[EMPTY:.+]] = arith.addi %{{.+}}, %[[OFFSET]]
      // CHECK: hopper.mbarrier.wait %[[EMPTY]] parity %[[PARITY]]
      tile.copy %A[%m, %c0] to %a : !T, !smem
      tile.copy %B[%n, %c0] to %b multicast kept 0.125 : !T, !smem
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %t = %first to %end step %step {
      %s = tile.wait %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %b = tile.buffer %s[1] : !smem
      %acc = tile.mma %a, %b transposed, %zero : !smem, !smem, tensor<64x64xf32>
      // CHECK: hopper.release {{.*}} of {{[0-9]+}} newer 0
      // CHECK: hopper.mbarrier.arrive %[[EMPTY:.+]]{{$}}
      // CHECK: %[[OWN:.+]] = arith.remui %{{.+}}, %c2
      // CHECK: %[[PEER:.+]] = arith.addi %[[OWN]], %c1
      // CHECK: arith.remui %[[PEER]], %c2
      // CHECK: hopper.mbarrier.arrive %[[EMPTY]] of %{{.+}}
      // CHECK-NOT: hopper.mbarrier.arrive
      // CHECK: }
      tile.release %ring, %s : !ring
    }
  }
  // CHECK-NOT: hopper.sync
}

// -----

// An instance of the producer is ahead of the others when it is done, by more
// rounds than a parity tells: the cluster meets at the end.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @multicast_by_instances
tile.kernel @multicast_by_instances cluster [2, 1] {
  %M = tile.size "M"
  %N = tile.size "N"
  %A = tile.tensor "A" input [%M, %N] align 16 : !T
  %B = tile.tensor "B" input [%N, %N] align 16 : !T
  %tiles = tile.schedule [%M, %N] by [64, 64] in <n, m> : !tile.schedule<2>
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  tile.role "load" warps 4 instances 2 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %b = tile.buffer %s[1] : !smem
      tile.copy %A[%m, %c0] to %a : !T, !smem
      tile.copy %B[%n, %c0] to %b multicast : !T, !smem
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %t = %first to %end step %step {
      %s = tile.wait %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %b = tile.buffer %s[1] : !smem
      %acc = tile.mma %a, %b transposed, %zero : !smem, !smem, tensor<64x64xf32>
      tile.release %ring, %s : !ring
    }
  }
  // CHECK: hopper.role "math"
  // CHECK: hopper.sync cluster{{$}}
  // CHECK-NEXT: }
}

// -----

// 2x2: A is shared along the second dimension, B along the first. The corner
// neither writes nor is written: three CTAs write into each, each fetches half.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @multicast_2x2 threads 160 shared {{[0-9]+}} cluster 4 {
tile.kernel @multicast_2x2 cluster [2, 2] {
  %M = tile.size "M"
  %N = tile.size "N"
  %A = tile.tensor "A" input [%M, %N] align 16 : !T
  %B = tile.tensor "B" input [%N, %N] align 16 : !T
  %tiles = tile.schedule [%M, %N] by [64, 64] in <m, n> : !tile.schedule<2>
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  // CHECK: hopper.mbarrier.init %{{.+}} count 1
  // CHECK: hopper.mbarrier.init %{{.+}} count 12
  tile.role "load" warps 1 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %b = tile.buffer %s[1] : !smem
      // A: mask 0b101 moved to this CTA's coordinate along the first dimension.
      // CHECK: %[[MASKA:.+]] = arith.shli %c5{{.*}}, %{{.+}}
      // B: mask 0b11 moved by twice its coordinate along the second.
      // CHECK: %[[TWICE:.+]] = arith.muli %{{.+}}, %c2
      // CHECK: %[[MASKB:.+]] = arith.shli %c3{{.*}}, %{{.+}}
      // CHECK: hopper.tma.load {{.*}} multicast %[[MASKA]]
      // CHECK: hopper.tma.load {{.*}} multicast %[[MASKB]]
      tile.copy %A[%m, %c0] to %a multicast : !T, !smem
      tile.copy %B[%n, %c0] to %b multicast : !T, !smem
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      %s = tile.wait %ring : !ring
      // CHECK: hopper.release {{.*}} of {{[0-9]+}} newer 0
      // CHECK-COUNT-3: hopper.mbarrier.arrive
      // CHECK-NOT: hopper.mbarrier.arrive
      tile.release %ring, %s : !ring
    }
  }
}

// -----

// A tensor whose rows are multiples of 4 bytes: cp.async by all threads of the
// role, which arrive when their copies land; the reader's wait covers generic
// writes.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @cp_async
tile.kernel @cp_async {
  // CHECK: %[[M:.+]] = hopper.size "M"
  // CHECK: %[[N:.+]] = hopper.size "N"
  %M = tile.size "M"
  %N = tile.size "N"
  // CHECK: %[[A:.+]] = hopper.pointer "A"
  // CHECK: %[[STRIDE:.+]] = hopper.stride "A"[0]
  %A = tile.tensor "A" input [%M, %N] align 4 : !T
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  // CHECK: hopper.mbarrier.init %{{.+}} count 128
  // CHECK: hopper.role "load"
  tile.role "load" warps 4 {
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // CHECK-NOT: hopper.once
    // CHECK: hopper.copy_tile %[[A]][%c0{{.*}}, %c0{{.*}}] within[%[[M]], %[[N]]] strides[%[[STRIDE]], %c1_i64] align 4 to
    // CHECK: hopper.mbarrier.arrive_async
    // CHECK-NOT: hopper.mbarrier.arrive %
    tile.copy %A[%c0, %c0] to %a : !T, !smem
    tile.commit %ring, %s : !ring
  }
  // CHECK: hopper.role "drain"
  tile.role "drain" warps 1 {
    // CHECK: hopper.mbarrier.wait generic
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

// Rows of 2 bytes: ordinary loads and stores, and ordinary arrivals, behind
// which readers fence.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @by_threads
tile.kernel @by_threads {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 2 : !T
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  // CHECK: hopper.mbarrier.init %{{.+}} count 64
  // CHECK: hopper.role "load"
  tile.role "load" warps 2 {
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // CHECK: hopper.copy_tile {{.*}} align 2 to
    // CHECK-NOT: arrive_async
    // CHECK: hopper.mbarrier.arrive %{{[0-9]+}}{{$}}
    tile.copy %A[%c0, %c0] to %a : !T, !smem
    tile.commit %ring, %s : !ring
  }
  // CHECK: hopper.role "drain"
  tile.role "drain" warps 1 {
    // CHECK: hopper.mbarrier.wait generic %
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

// One stage filled by TMA and by cp.async at once: both kinds of arrival.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @both_engines
tile.kernel @both_engines {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %B = tile.tensor "B" input [%M, %M] align 8 : !T
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  // CHECK: hopper.mbarrier.init %{{.+}} count 33
  tile.role "load" warps 1 {
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    %b = tile.buffer %s[1] : !smem
    // CHECK: hopper.tma.load
    // CHECK: hopper.copy_tile {{.*}} align 8 to
    // CHECK: hopper.once {
    // CHECK-NEXT: hopper.mbarrier.arrive %
    // CHECK: hopper.mbarrier.arrive_async
    tile.copy %A[%c0, %c0] to %a : !T, !smem
    tile.copy %B[%c0, %c0] to %b : !T, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "drain" warps 1 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

// Two pipelines, one of them written from registers: each thread of the writer
// arrives; a role that waits on both has a cursor in each.

!smem = !tile.shared<64x64xbf16>
!one = !tile.pipeline<2, [!smem]>
!two = !tile.pipeline<3, [!smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @two_pipelines
tile.kernel @two_pipelines {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %loaded = tile.pipeline : !one
  %made = tile.pipeline : !two
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK: hopper.shared_address 40960
  // CHECK-NEXT: hopper.mbarrier.init %{{.+}} count 1
  // CHECK: hopper.shared_address 40976
  // CHECK-NEXT: hopper.mbarrier.init %{{.+}} count 8
  // CHECK: hopper.shared_address 40992
  // CHECK-NEXT: hopper.mbarrier.init %{{.+}} count 128
  // CHECK: hopper.shared_address 41016
  // CHECK-NEXT: hopper.mbarrier.init %{{.+}} count 4
  tile.role "load" warps 1 {
    scf.for %k = %c0 to %M step %c64 {
      %s = tile.acquire %loaded : !one
      %a = tile.buffer %s[0] : !smem
      tile.copy %A[%c0, %k] to %a : !T, !smem
      tile.commit %loaded, %s : !one
    }
  }
  // CHECK: hopper.role "make"
  tile.role "make" warps 4 {
    // CHECK: scf.for {{.*}} iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}})
    scf.for %k = %c0 to %M step %c64 {
      // CHECK: %[[F:.+]] = hopper.shared_load
      // CHECK: hopper.release {{.*}} of {{[0-9]+}} newer 0
      // CHECK: hopper.mbarrier.wait
      // CHECK: hopper.shared_store %[[F]]
      // CHECK-NOT: hopper.once
      // CHECK: hopper.mbarrier.arrive %
      %s = tile.wait %loaded : !one
      %a = tile.buffer %s[0] : !smem
      %f = tile.read %a : !smem -> tensor<64x64xbf16>
      tile.release %loaded, %s : !one
      %t = tile.acquire %made : !two
      %b = tile.buffer %t[0] : !smem
      tile.write %f to %b : tensor<64x64xbf16>, !smem
      tile.commit %made, %t : !two
    }
  }
  // CHECK: hopper.role "math"
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = scf.for %k = %c0 to %M step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> {
      // CHECK: hopper.mbarrier.wait
      // CHECK: hopper.mbarrier.wait
      // CHECK: hopper.mma
      // CHECK: hopper.release {{.*}} of {{[0-9]+}} newer 0
      // CHECK: hopper.release {{.*}} of {{[0-9]+}} newer 0
      %s = tile.wait %loaded : !one
      %t = tile.wait %made : !two
      %a = tile.buffer %s[0] : !smem
      %b = tile.buffer %t[0] : !smem
      %next = tile.mma %a, %b transposed, %acc : !smem, !smem, tensor<64x64xf32>
      tile.release %loaded, %s : !one
      tile.release %made, %t : !two
      scf.yield %next : tensor<64x64xf32>
    }
  }
}

// -----

// An epilogue through shared memory: the role meets between its writes and the
// TMA store of one thread, which has read the tile before the next write.

!smem = !tile.shared<64x256xbf16>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @staged_store
tile.kernel @staged_store {
  // CHECK: %[[MAP:.+]] = hopper.tensor_map "D" box [64, 64] swizzle 128
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %staged = tile.alloc : !smem
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.role "store" warps 4 {
    %f = arith.constant dense<1.0> : tensor<64x256xbf16>
    scf.for %k = %c0 to %M step %c64 {
      // CHECK: scf.for
      // CHECK: hopper.once {
      // CHECK: hopper.bulk.wait 0 read
      // CHECK-NEXT: }
      // CHECK-NEXT: hopper.named_barrier [[ID:[0-9]+]] threads 128
      // CHECK-NEXT: hopper.shared_store
      // CHECK-NEXT: hopper.named_barrier [[ID]] threads 128
      // CHECK: hopper.once {
      // CHECK-COUNT-4: hopper.tma.store %{{.+}} to %[[MAP]][%{{.+}}, %{{.+}}] reduce add :
      // CHECK-NEXT: }
      // CHECK-NEXT: } else {
      // CHECK: hopper.copy_tile_out {{.*}} reduce add {nonnegative} :
      // CHECK-NEXT: }
      // CHECK-NEXT: hopper.once {
      // CHECK-NEXT: hopper.bulk.commit
      // CHECK-NEXT: }
      tile.write %f to %staged : tensor<64x256xbf16>, !smem
      tile.copy_out %staged to %D[%k, %c0] reduce add : !smem, !T
    }
    // Shared memory outlives its last reader.
    // CHECK: hopper.once {
    // CHECK: hopper.bulk.wait 0 read
  }
}

// -----

// A stage that is copied out is released when TMA has read it.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @store_role
tile.kernel @store_role {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  tile.role "math" warps 4 {
    %f = arith.constant dense<1.0> : tensor<64x64xbf16>
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.write %f to %a : tensor<64x64xbf16>, !smem
    tile.commit %ring, %s : !ring
  }
  // CHECK: hopper.role "store"
  tile.role "store" warps 1 {
    // CHECK: hopper.tma.store
    // CHECK: hopper.once {
    // CHECK-NEXT: hopper.bulk.commit
    // CHECK: hopper.bulk.wait 0 read
    // CHECK-NEXT: }
    // CHECK: hopper.release
    %s = tile.wait %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy_out %a to %D[%c0, %c0] : !smem, !T
    tile.release %ring, %s : !ring
  }
}

// -----

// A stage that was tried for: the cursor moves only where it was ready, and the
// warps of a role agree.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @try
tile.kernel @try {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  // CHECK: hopper.role "load"
  tile.role "load" warps 1 {
    // CHECK: %[[READY:.+]] = hopper.mbarrier.test %{{.+}} parity %{{[^ ]+$}}
    // CHECK: arith.select %[[READY]]
    // CHECK: arith.select %[[READY]]
    // CHECK: scf.if %[[READY]]
    %ready, %s = tile.try_acquire %ring : !ring
    scf.if %ready {
      %a = tile.buffer %s[0] : !smem
      tile.copy %A[%c0, %c0] to %a : !T, !smem
      tile.commit %ring, %s : !ring
    }
  }
  // CHECK: hopper.role "math"
  tile.role "math" warps 4 {
    // CHECK: %[[READY:.+]] = hopper.mbarrier.test %{{.+}} parity %{{.+}} agree 1
    // CHECK: %[[STAGE:.+]] = arith.select %[[READY]]
    // CHECK: %[[PARITY:.+]] = arith.select %[[READY]]
    // CHECK: %[[AFTER:.+]]:2 = scf.if
    // CHECK: scf.yield %[[STAGE]], %[[PARITY]]
    // CHECK: } else {
    // CHECK: hopper.mbarrier.wait %{{.+}} parity %[[PARITY]]
    %ready, %s = tile.try_wait %ring : !ring
    scf.if %ready {
      tile.release %ring, %s : !ring
    } else {
      %t = tile.wait %ring : !ring
      tile.release %ring, %t : !ring
    }
  }
}

// -----

// Scalars and small tensors come by pointer and stride; a rank-3 tensor has a
// batch that counts planes. A tile's number is divided by means of reciprocals
// from before the loop; they are rounded down, so a quotient may lack one.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 3>
// CHECK-LABEL: hopper.kernel @batched
tile.kernel @batched {
  // CHECK-DAG: %[[MAP:.+]] = hopper.tensor_map "A" box [1, 64, 64] swizzle 128
  // CHECK-DAG: %[[B:.+]] = hopper.size "B"
  // CHECK-DAG: %[[M:.+]] = hopper.size "M"
  // CHECK-DAG: %[[ALPHA:.+]] = hopper.scalar "alpha" : f32
  %B = tile.size "B"
  %M = tile.size "M"
  %alpha = tile.scalar "alpha" : f32
  // CHECK-DAG: %[[D:.+]] = hopper.pointer "D"
  // CHECK-DAG: %[[S0:.+]] = hopper.stride "D"[0]
  // CHECK-DAG: %[[S1:.+]] = hopper.stride "D"[1]
  %A = tile.tensor "A" input [%B, %M, %M] align 16 : !T
  %D = tile.tensor "D" output [%B, %M, %M] align 8 : !tile.tensor<f32, 3>
  %tiles = tile.schedule persistent [%B, %M, %M] by [1, 64, 64] in <n, m> : !tile.schedule<3>
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    // CHECK: hopper.role "load"
    // CHECK: %[[ROWS:.+]] = arith.divui %{{.+}}, %c64
    // CHECK: %[[COLUMNS:.+]] = arith.divui %{{.+}}, %c64
    // CHECK: %[[PLANE:.+]] = arith.muli %[[ROWS]], %[[COLUMNS]] :
    // CHECK: %[[PLANES:.+]] = hopper.reciprocal %[[PLANE]]
    // CHECK: %[[GROUPS:.+]] = hopper.reciprocal %[[COLUMNS]]
    // CHECK: %[[NUMBER:.+]] = hopper.special_register "ctaid.x"
    // CHECK: %[[STEP:.+]] = hopper.special_register "nctaid.x"
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<3>
    scf.for %t = %first to %end step %step {
      // What the loop does not change comes before it, and where the first tile
      // is before the barriers are waited for.
      // CHECK-DAG: %[[RECIPROCAL:.+]] = arith.index_castui %[[PLANES]] : index to i64
      // CHECK-DAG: %[[RECIPROCAL2:.+]] = arith.index_castui %[[GROUPS]] : index to i64
      // CHECK: %[[FIRST:.+]]:3 = scf.if
      // CHECK: %[[WIDE:.+]] = arith.index_castui %[[NUMBER]] : index to i64
      // CHECK: %[[PRODUCT:.+]] = arith.muli %[[WIDE]], %[[RECIPROCAL]] : i64
      // CHECK: %[[HIGH:.+]] = arith.shrui %[[PRODUCT]], %c32_i64
      // CHECK: %[[LOW:.+]] = arith.index_castui %[[HIGH]] : i64 to index
      // CHECK: %[[BEFORE:.+]] = arith.muli %[[LOW]], %[[PLANE]] :
      // CHECK: %[[REST:.+]] = arith.subi %[[NUMBER]], %[[BEFORE]] :
      // CHECK: %[[SHORT:.+]] = arith.cmpi uge, %[[REST]], %[[PLANE]] :
      // CHECK: %[[NEXT:.+]] = arith.addi %[[LOW]], %c1
      // CHECK: %[[BATCH:.+]] = arith.select %[[SHORT]], %[[NEXT]], %[[LOW]] :
      // CHECK: %[[LESS:.+]] = arith.subi %[[REST]], %[[PLANE]] :
      // CHECK: %[[IN:.+]] = arith.select %[[SHORT]], %[[LESS]], %[[REST]] :

      // Of the other quotients: by what, and which is which.
      // CHECK: %[[WIDE:.+]] = arith.index_castui %[[IN]] :
      // CHECK: arith.muli %[[WIDE]], %[[RECIPROCAL2]] : i64
      // CHECK: %[[LOW:.+]] = arith.index_castui %{{.+}} : i64 to index
      // CHECK: arith.muli %[[LOW]], %[[COLUMNS]] :
      // CHECK: %[[I:.+]] = arith.select %{{.+}}, %{{.+}}, %[[LOW]] :
      // CHECK: %[[J:.+]] = arith.select
      // CHECK: scf.yield %[[BATCH]], %[[I]], %[[J]]
      // CHECK: hopper.sync{{$}}
      // CHECK-NEXT: scf.for %[[NUMBER:[^ ]+]] = {{.*}}, %[[BATCH:[^ ]+]] = %[[FIRST]]#0, %[[I:[^ ]+]] = %[[FIRST]]#1, %[[J:[^ ]+]] = %[[FIRST]]#2)
      // CHECK: hopper.tma.load %[[MAP]][%[[BATCH]], %[[I]], %[[J]]]

      // Where the next one is.
      // CHECK: %[[NEXT:.+]] = arith.addi %[[NUMBER]], %[[STEP]]
      // CHECK: arith.index_castui %[[NEXT]]
      // CHECK: scf.yield
      %b, %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<3> -> index, index, index
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %column = tile.multiple_of %n, 8 : index
      tile.copy %A[%b, %m, %column] to %a : !T, !smem
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<3>
    // CHECK: hopper.splat %[[ALPHA]]
    %factor = tile.splat %alpha : f32 -> tensor<64x64xf32>
    scf.for %t = %first to %end step %step {
      %b, %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<3> -> index, index, index
      %s = tile.wait %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %f = tile.read %a : !smem -> tensor<64x64xbf16>
      tile.release %ring, %s : !ring
      %wide = arith.extf %f : tensor<64x64xbf16> to tensor<64x64xf32>
      %scaled = arith.mulf %wide, %factor : tensor<64x64xf32>
      // CHECK: hopper.store %{{.+}} to %[[D]][%{{.+}}, %{{.+}}, %{{.+}}] within[%[[B]], %[[M]], %[[M]]] strides[%[[S0]], %[[S1]], %c1_i64] align 8
      %column = tile.multiple_of %n, 2 : index
      tile.store %scaled to %D[%b, %m, %column] : tensor<64x64xf32>, !tile.tensor<f32, 3>
    }
  }
}

// -----

// Counts that are known need no reciprocal; a dimension of one tile that comes
// before the plane needs no division.

!T = !tile.tensor<f32, 3>
// CHECK-LABEL: hopper.kernel @known_counts
tile.kernel @known_counts {
  %c1 = arith.constant 1 : index
  %M = tile.size "M"
  %c256 = arith.constant 256 : index
  %D = tile.tensor "D" output [%c1, %M, %c256] align 16 : !T
  %tiles = tile.schedule persistent [%c1, %M, %c256] by [1, 64, 64] in <n, m> : !tile.schedule<3>
  tile.role "store" warps 4 {
    %f = arith.constant dense<1.0> : tensor<64x64xf32>
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<3>
    scf.for %t = %first to %end step %step {
      // CHECK: scf.for %[[NUMBER:[^ ]+]]
      // CHECK-NOT: arith.shrui
      // CHECK: %[[I:.+]] = arith.divui %[[NUMBER]], %c4
      // CHECK-NEXT: %[[J:.+]] = arith.remui %[[NUMBER]], %c4
      // CHECK-NEXT: hopper.store %{{.+}} to %{{.+}}[%c0{{.*}}, %[[I]], %[[J]]]
      %b, %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<3> -> index, index, index
      tile.store %f to %D[%b, %m, %n] : tensor<64x64xf32>, !T
    }
  }
}

// -----

// A grid has a CTA for each tile: one round, at most.

!T = !tile.tensor<f32, 2>
// CHECK-LABEL: hopper.kernel @grid_along_m
tile.kernel @grid_along_m {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %tiles = tile.schedule [%M, %M] by [64, 64] in <m, n> : !tile.schedule<2>
  tile.role "store" warps 4 {
    %f = arith.constant dense<1.0> : tensor<64x64xf32>
    // CHECK: %[[ROWS:.+]] = arith.divui
    // CHECK: %[[COLUMNS:.+]] = arith.divui
    // CHECK: %[[LINES:.+]] = hopper.reciprocal %[[ROWS]]
    // CHECK: %[[TOTAL:.+]] = arith.muli %[[ROWS]], %[[COLUMNS]] :
    // CHECK: %[[ID:.+]] = hopper.special_register "ctaid.x"
    // CHECK-NOT: nctaid
    // CHECK: scf.for %[[NUMBER:[^ ]+]] = %[[ID]] to %[[TOTAL]] step %[[TOTAL]]
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      // CHECK-DAG: %[[RECIPROCAL:.+]] = arith.index_castui %[[LINES]] :
      // CHECK-DAG: %[[WIDE:.+]] = arith.index_castui %[[NUMBER]] :
      // CHECK: arith.muli %[[WIDE]], %[[RECIPROCAL]] : i64
      // CHECK: %[[LOW:.+]] = arith.index_castui %{{.+}} : i64 to index
      // CHECK: arith.muli %[[LOW]], %[[ROWS]] :
      // CHECK: %[[J:.+]] = arith.select %{{.+}}, %{{.+}}, %[[LOW]] :
      // CHECK: %[[I:.+]] = arith.select
      // CHECK: hopper.store %{{.+}} to %{{.+}}[%[[I]], %[[J]]]
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      tile.store %f to %D[%m, %n] : tensor<64x64xf32>, !T
    }
  }
}

// -----

// Swizzled: as grouped, and groups of odd numbers from the last column on.

!T = !tile.tensor<f32, 2>
// CHECK-LABEL: hopper.kernel @swizzled
tile.kernel @swizzled {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %tiles = tile.schedule persistent [%M, %M] by [64, 64] in <m:8, alternating n, m> : !tile.schedule<2>
  tile.role "store" warps 4 {
    %f = arith.constant dense<1.0> : tensor<64x64xf32>
    // CHECK: arith.divui
    // CHECK: %[[COLUMNS:.+]] = arith.divui
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      // CHECK: scf.for
      // CHECK: %[[NTH:.+]] = arith.select
      // CHECK: %[[FIRST:.+]] = arith.muli %[[NTH]], %c8
      // CHECK-COUNT-2: arith.select
      // CHECK: %[[J:.+]] = arith.select
      // CHECK: %[[DOWN:.+]] = arith.select
      // CHECK-DAG: %[[LAST:.+]] = arith.subi %[[COLUMNS]], %c1
      // CHECK-DAG: %[[ODD:.+]] = arith.remui %[[NTH]], %c2
      // CHECK-DAG: %[[BACK:.+]] = arith.cmpi eq, %[[ODD]], %c1
      // CHECK-DAG: %[[FROMLAST:.+]] = arith.subi %[[LAST]], %[[J]] :
      // CHECK: %[[COLUMN:.+]] = arith.select %[[BACK]], %[[FROMLAST]], %[[J]]
      // CHECK: %[[I:.+]] = arith.addi %[[FIRST]], %[[DOWN]] :
      // CHECK: hopper.store %{{.+}} to %{{.+}}[%[[I]], %[[COLUMN]]]
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      tile.store %f to %D[%m, %n] : tensor<64x64xf32>, !T
    }
  }
}

// -----

// Grouped: eight rows of tiles for each step along the columns; the last group
// may be lower, and has its own reciprocal.

!T = !tile.tensor<f32, 2>
// CHECK-LABEL: hopper.kernel @grouped
tile.kernel @grouped {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %tiles = tile.schedule persistent [%M, %M] by [64, 64] in <m:8, n, m> : !tile.schedule<2>
  tile.role "store" warps 4 {
    %f = arith.constant dense<1.0> : tensor<64x64xf32>
    // CHECK: %[[ROWS:.+]] = arith.divui
    // CHECK: %[[COLUMNS:.+]] = arith.divui
    // CHECK: %[[GROUP:.+]] = arith.muli %[[COLUMNS]], %c8
    // CHECK: %[[GROUPS:.+]] = hopper.reciprocal %[[GROUP]]
    // CHECK: %[[LOWER:.+]] = arith.remui %[[ROWS]], %c8
    // CHECK: %[[LINES:.+]] = hopper.reciprocal %[[LOWER]]
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      // CHECK: scf.for %[[NUMBER:[^ ]+]]
      // CHECK-DAG: %[[RECIPROCAL:.+]] = arith.index_castui %[[GROUPS]] :
      // CHECK-DAG: %[[WIDE:.+]] = arith.index_castui %[[NUMBER]] :
      // CHECK: arith.muli %[[WIDE]], %[[RECIPROCAL]] : i64
      // CHECK: %[[LOW:.+]] = arith.index_castui %{{.+}} : i64 to index
      // CHECK: arith.muli %[[LOW]], %[[GROUP]] :
      // CHECK: %[[NTH:.+]] = arith.select %{{.+}}, %{{.+}}, %[[LOW]] :
      // CHECK: %[[PLACE:.+]] = arith.select
      // CHECK: %[[FIRST:.+]] = arith.muli %[[NTH]], %c8
      // CHECK: %[[LEFT:.+]] = arith.subi %[[ROWS]], %[[FIRST]] :
      // CHECK: %[[LAST:.+]] = arith.cmpi ult, %[[LEFT]], %c8
      // CHECK: %[[HEIGHT:.+]] = arith.select %[[LAST]], %[[LOWER]], %c8
      // CHECK: %[[HEIGHTS:.+]] = arith.select %[[LAST]], %[[LINES]], %c536870911
      // CHECK-DAG: %[[RECIPROCAL:.+]] = arith.index_castui %[[HEIGHTS]] :
      // CHECK-DAG: %[[WIDE:.+]] = arith.index_castui %[[PLACE]] :
      // CHECK: arith.muli %[[WIDE]], %[[RECIPROCAL]] : i64
      // CHECK: %[[LOW:.+]] = arith.index_castui %{{.+}} : i64 to index
      // CHECK: arith.muli %[[LOW]], %[[HEIGHT]] :
      // CHECK: %[[J:.+]] = arith.select %{{.+}}, %{{.+}}, %[[LOW]] :
      // CHECK: %[[DOWN:.+]] = arith.select
      // CHECK: %[[I:.+]] = arith.addi %[[FIRST]], %[[DOWN]] :
      // CHECK: hopper.store %{{.+}} to %{{.+}}[%[[I]], %[[J]]]
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      tile.store %f to %D[%m, %n] : tensor<64x64xf32>, !T
    }
  }
}

// -----

// Blocks of eight rows by four columns, one below the other: the last block of a
// group of columns may be lower, and all of the last group are narrower.

!T = !tile.tensor<f32, 2>
// CHECK-LABEL: hopper.kernel @blocks
tile.kernel @blocks {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %tiles = tile.schedule persistent [%M, %M] by [64, 64] in <m:8, n:4, m, n> : !tile.schedule<2>
  tile.role "store" warps 4 {
    %f = arith.constant dense<1.0> : tensor<64x64xf32>
    // CHECK: %[[ROWS:.+]] = arith.divui
    // CHECK: %[[COLUMNS:.+]] = arith.divui
    // CHECK: %[[GROUP:.+]] = arith.muli %[[ROWS]], %c4
    // CHECK: %[[RAGGED:.+]] = arith.remui %[[COLUMNS]], %c4
    // CHECK: %[[NARROW:.+]] = arith.muli %[[RAGGED]], %c8
    // CHECK: %[[LOW:.+]] = arith.remui %[[ROWS]], %c8
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      // CHECK: scf.for
      // CHECK: arith.muli %{{.+}}, %[[GROUP]] :
      // CHECK: %[[NTH:.+]] = arith.select
      // CHECK: %[[LEFTMOST:.+]] = arith.muli %[[NTH]], %c4
      // CHECK: %[[LEFT:.+]] = arith.subi %[[COLUMNS]], %[[LEFTMOST]] :
      // CHECK: %[[LASTGROUP:.+]] = arith.cmpi ult, %[[LEFT]], %c4
      // CHECK: %[[BLOCK:.+]] = arith.select %[[LASTGROUP]], %[[NARROW]], %c32
      // CHECK: arith.muli %{{.+}}, %[[BLOCK]] :
      // CHECK: %[[NTH:.+]] = arith.select
      // CHECK: %[[TOP:.+]] = arith.muli %[[NTH]], %c8
      // CHECK: %[[BELOW:.+]] = arith.subi %[[ROWS]], %[[TOP]] :
      // CHECK: %[[LASTROWS:.+]] = arith.cmpi ult, %[[BELOW]], %c8
      // CHECK: %[[HEIGHT:.+]] = arith.select %[[LASTROWS]], %[[LOW]], %c8
      // CHECK: arith.muli %{{.+}}, %[[HEIGHT]] :
      // CHECK: %[[RIGHT:.+]] = arith.select
      // CHECK: %[[DOWN:.+]] = arith.select
      // CHECK: %[[J:.+]] = arith.addi %[[LEFTMOST]], %[[RIGHT]] :
      // CHECK: %[[I:.+]] = arith.addi %[[TOP]], %[[DOWN]] :
      // CHECK: hopper.store %{{.+}} to %{{.+}}[%[[I]], %[[J]]]
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      tile.store %f to %D[%m, %n] : tensor<64x64xf32>, !T
    }
  }
}

// -----

// A named barrier counts every warp of the roles that use it; a role of one row
// of a tile has one box for the tile.

// CHECK-LABEL: hopper.kernel @named_barriers
tile.kernel @named_barriers {
  %done = tile.barrier "done" : !tile.barrier
  %other = tile.barrier "other" : !tile.barrier
  // CHECK: hopper.role "a"
  tile.role "a" warps 4 {
    // CHECK: hopper.named_barrier 1 threads 192
    // CHECK: hopper.named_barrier arrive 2 threads 160
    tile.sync %done : !tile.barrier
    tile.arrive %other : !tile.barrier
  }
  tile.role "b" warps 2 {
    // CHECK: hopper.named_barrier arrive 1 threads 192
    tile.arrive %done : !tile.barrier
  }
  tile.role "c" warps 1 {
    // CHECK: hopper.named_barrier 2 threads 160
    tile.sync %other : !tile.barrier
  }
}

// -----

// A tensor that TMA does not write is written by threads: no tensor map, and no
// group to wait for. What the kernel writes is read in no words that others may
// write.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<1, [!smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @out_by_threads
tile.kernel @out_by_threads {
  // CHECK-NOT: hopper.tensor_map
  %M = tile.size "M"
  %A = tile.tensor "A" inout [%M, %M] align 2 : !T
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  tile.role "load" warps 1 {
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // CHECK: hopper.copy_tile {{.*}} align 2 written to
    tile.copy %A[%c0, %c0] to %a : !T, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "store" warps 1 {
    %s = tile.wait %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // CHECK-NOT: scf.if
    // CHECK: hopper.copy_tile_out {{.*}} align 2 {nonnegative} :
    // CHECK-NOT: hopper.bulk.commit
    // CHECK: hopper.mbarrier.arrive
    tile.copy_out %a to %A[%c0, %c0] : !smem, !T
    tile.release %ring, %s : !ring
  }
}
