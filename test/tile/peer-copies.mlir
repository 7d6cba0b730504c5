// RUN: ashlar-opt %s | FileCheck %s
// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol,tile-assign-layouts,tile-plan-memory,tile-expand))' | FileCheck %s --check-prefix=MEET
// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol,tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper)' | FileCheck %s --check-prefix=HOPPER

!smem = !tile.shared<64x64xbf16>
!part = !tile.shared<8x64xbf16>

// What is copied is written again only behind the second meeting: each is one.
// CHECK-LABEL: tile.kernel @met_twice
// MEET-LABEL: tile.kernel @met_twice
// HOPPER-LABEL: hopper.kernel @met_twice
tile.kernel @met_twice cluster [2] {
  %M = tile.size "M"
  %out = tile.alloc : !smem
  %in = tile.alloc : !smem
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant dense<0.0> : tensor<64x64xbf16>
    %rank = tile.cluster_rank
    %peer = tile.peer %in of %rank : !smem
    // MEET: scf.for {{.*}} iter_args(%[[TURN:.+]] = %c0
    scf.for %i = %c0 to %M step %c1 {
      // MEET: tile.write
      tile.write %f to %out : tensor<64x64xbf16>, !smem
      // CHECK: tile.copy_to_peer %{{.+}} to %{{.+}} : <64x64xbf16>, <64x64xbf16>
      // The barrier of the next meeting, at the peer.
      // MEET: hopper.named_barrier
      // MEET: %[[WHICH:.+]] = arith.remui %[[TURN]], %c2
      // MEET: %[[BYTE:.+]] = arith.muli %[[WHICH]], %c8
      // MEET: %[[AT:.+]] = arith.addi %{{.+}}, %[[BYTE]]
      // MEET: %[[THERE:.+]] = hopper.peer_address %[[AT]] of %{{.+}}
      // MEET: tile.copy_to_peer %{{.+}} to %{{.+}} on %[[THERE]]
      // HOPPER: hopper.named_barrier
      // HOPPER: hopper.once {
      // HOPPER-NEXT: hopper.mbarrier.expect_bytes peer %[[THERE:.+]], 8192
      // HOPPER-NEXT: hopper.copy_to_peer %{{.+}}, 8192 to %{{.+}} on %[[THERE]]
      // HOPPER-NEXT: }
      tile.copy_to_peer %out to %peer : !smem, !smem
      // MEET-COUNT-2: hopper.mbarrier.wait cluster
      // MEET-NOT: hopper.mbarrier.wait
      tile.cluster_sync
      %g = tile.read %in : !smem -> tensor<64x64xbf16>
      tile.cluster_sync
      // MEET: scf.yield
    }
  }
}

// Behind the only meeting the source is written: they meet once more. No thread
// reaches what peers do: nothing that it has stored is to be in order.
// MEET-LABEL: tile.kernel @source_written
tile.kernel @source_written cluster [2] {
  %M = tile.size "M"
  %out = tile.alloc : !smem
  %in = tile.alloc : !smem
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant dense<0.0> : tensor<64x64xbf16>
    %rank = tile.cluster_rank
    %peer = tile.peer %in of %rank : !smem
    scf.for %i = %c0 to %M step %c1 {
      tile.write %f to %out : tensor<64x64xbf16>, !smem
      // MEET: tile.copy_to_peer
      // MEET: hopper.mbarrier.arrive %
      // MEET-COUNT-2: hopper.mbarrier.wait %
      // MEET-NOT: hopper.mbarrier.wait
      tile.copy_to_peer %out to %peer : !smem, !smem
      tile.cluster_sync
      // MEET: scf.yield
    }
  }
}

// A peer reads behind it what was copied to another one.
// MEET-LABEL: tile.kernel @read_from_a_peer
tile.kernel @read_from_a_peer cluster [4] {
  %out = tile.alloc : !smem
  %in = tile.alloc : !smem
  tile.role "all" warps 4 {
    %c1 = arith.constant 1 : index
    %f = arith.constant dense<0.0> : tensor<64x64xbf16>
    %rank = tile.cluster_rank
    %peer = tile.peer %in of %rank : !smem
    tile.write %f to %out : tensor<64x64xbf16>, !smem
    // MEET: tile.copy_to_peer
    // MEET-COUNT-2: hopper.mbarrier.wait cluster
    tile.copy_to_peer %out to %peer : !smem, !smem
    tile.cluster_sync
    %other = tile.peer %in of %c1 : !smem
    // MEET: tile.read
    %g = tile.read %other : !smem -> tensor<64x64xbf16>
    // Nobody waits for a copy here.
    // MEET: hopper.mbarrier.wait cluster
    // MEET-NOT: hopper.mbarrier.wait
    tile.cluster_sync
    // MEET: tile.write
    tile.write %g to %out : tensor<64x64xbf16>, !smem
  }
}

// Parts of the same rows are one piece; a tile of 64 columns is one in the
// columns of atoms of a wider one.
!wide = !tile.shared<64x128xbf16>
// HOPPER-LABEL: hopper.kernel @parts
tile.kernel @parts cluster [2] {
  %out = tile.alloc : !smem
  %in = tile.alloc : !wide
  tile.role "all" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x64xbf16>
    %rank = tile.cluster_rank
    tile.write %f to %out : tensor<64x64xbf16>, !smem
    %peer = tile.peer %in of %rank : !wide
    %columns = tile.part %peer from [0, 64] : !wide -> !smem
    %rows = tile.part %out from [8, 0] : !smem -> !part
    %there = tile.part %peer from [16, 0] : !wide -> !part
    // HOPPER: expect_bytes peer %{{.+}}, 8192
    // HOPPER-NEXT: hopper.copy_to_peer %{{.+}}, 8192
    // HOPPER: expect_bytes peer %{{.+}}, 1024
    // HOPPER-NEXT: hopper.copy_to_peer %{{.+}}, 1024
    tile.copy_to_peer %out to %columns : !smem, !smem
    tile.copy_to_peer %rows to %there : !part, !part
    tile.cluster_sync
  }
}

// A stage is released behind the second meeting, or before it.
!ring = !tile.pipeline<2, [!smem]>
!X = !tile.tensor<bf16, 2>
// MEET-LABEL: tile.kernel @from_stages
tile.kernel @from_stages cluster [2] {
  %M = tile.size "M"
  %X = tile.tensor "X" input [%M, %M] align 16 : !X
  %ring = tile.pipeline : !ring
  %in = tile.alloc : !smem
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %to = tile.buffer %s[0] : !smem
    tile.copy %X[%c0, %c0] to %to : !X, !smem
    tile.commit %ring, %s : !ring
    %t = tile.acquire %ring : !ring
    %then = tile.buffer %t[0] : !smem
    tile.copy %X[%c0, %c0] to %then : !X, !smem
    tile.commit %ring, %t : !ring
  }
  // MEET: tile.role "send"
  tile.role "send" warps 1 {
    %rank = tile.cluster_rank
    %peer = tile.peer %in of %rank : !smem
    // MEET: tile.copy_to_peer
    // MEET-COUNT-2: hopper.mbarrier.wait %
    // MEET-NOT: hopper.mbarrier.wait
    // MEET: tile.release
    %s = tile.wait %ring : !ring
    %from = tile.buffer %s[0] : !smem
    tile.copy_to_peer %from to %peer : !smem, !smem
    tile.cluster_sync
    tile.cluster_sync
    tile.release %ring, %s : !ring
    // MEET: tile.copy_to_peer
    // MEET-COUNT-2: hopper.mbarrier.wait %
    // MEET-NOT: hopper.mbarrier.wait
    // MEET: tile.release
    %t = tile.wait %ring : !ring
    %then = tile.buffer %t[0] : !smem
    tile.copy_to_peer %then to %peer : !smem, !smem
    tile.cluster_sync
    tile.release %ring, %t : !ring
  }
}

// A role that multiplies what peers reach, and meets them itself, waits for wgmma
// before it arrives, and so for the cluster.
!acc = tensor<64x64xf32>
// MEET-LABEL: tile.kernel @multiplied
tile.kernel @multiplied cluster [2] {
  %out = tile.alloc : !smem
  %in = tile.alloc : !smem
  tile.role "all" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x64xbf16>
    %zero = arith.constant dense<0.0> : !acc
    %rank = tile.cluster_rank
    %peer = tile.peer %in of %rank : !smem
    tile.write %f to %out : tensor<64x64xbf16>, !smem
    // MEET: tile.copy_to_peer
    // MEET: hopper.mbarrier.arrive cluster
    // MEET: tile.mma
    // MEET: hopper.mbarrier.arrive cluster
    tile.copy_to_peer %out to %peer : !smem, !smem
    tile.cluster_sync
    %acc = tile.mma %in, %in transposed, %zero : !smem, !smem, !acc
    tile.cluster_sync
  }
}
