// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-order-accesses))' | FileCheck %s

// Each warp has 16 rows of the fragment, and stores them by itself when TMA has
// read those before.

!smem = !tile.shared<64x32xbf16, "S<2,4,3> o (64,32):(64,2)">
!T = !tile.tensor<bf16, 2>
!rows = tensor<64x32xbf16, #tile.fragment<"64x32 (4,8,4,1):(128,1,16,64) / (2,2,4,1):(64,8,512,64)">>
// CHECK-LABEL: tile.kernel @by_warps
tile.kernel @by_warps {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %tile = tile.alloc : !smem
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.role "math" warps 4 {
    %f = arith.constant dense<1.0> : !rows
    // CHECK: scf.for
    // CHECK-NEXT: hopper.once_per_warp {
    // CHECK-NEXT: hopper.bulk.wait 0 read
    // CHECK-NEXT: }
    // CHECK-NEXT: hopper.warp_sync
    // CHECK-NEXT: tile.write
    // CHECK-NEXT: tile.copy_out {{.*}} by_warps <"64x32
    scf.for %m = %c0 to %M step %c64 {
      tile.write %f to %tile : !rows, !smem
      tile.copy_out %tile to %D[%m, %c0] : !smem, !T
    }
    // Shared memory ends with the role.
    // CHECK: }
    // CHECK-NEXT: hopper.once_per_warp {
    // CHECK-NEXT: hopper.bulk.wait 0 read
  }
}

// -----

// What threads store they have read when they have stored it.

!smem = !tile.shared<64x32xbf16, "S<2,4,3> o (64,32):(64,2)">
!T = !tile.tensor<bf16, 2>
!rows = tensor<64x32xbf16, #tile.fragment<"64x32 (4,8,4,1):(128,1,16,64) / (2,2,4,1):(64,8,512,64)">>
// CHECK-LABEL: tile.kernel @by_threads
tile.kernel @by_threads {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 2 : !T
  %tile = tile.alloc : !smem
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.role "math" warps 4 {
    %f = arith.constant dense<1.0> : !rows
    // CHECK-NOT: hopper.bulk.wait
    // CHECK: hopper.warp_sync
    // CHECK-NEXT: tile.write
    // CHECK-NOT: hopper.bulk.wait
    scf.for %m = %c0 to %M step %c64 {
      tile.write %f to %tile : !rows, !smem
      tile.copy_out %tile to %D[%m, %c0] : !smem, !T
    }
  }
}

// -----

// What others of the role read, all have written; the author's barriers have
// the first numbers.

!smem = !tile.shared<64x32xbf16, "S<2,4,3> o (64,32):(64,2)">
!rows = tensor<64x32xbf16, #tile.fragment<"64x32 (4,8,4,1):(128,1,16,64) / (2,2,4,1):(64,8,512,64)">>
!ring = !tile.pipeline<2, [!smem]>
// CHECK-LABEL: tile.kernel @by_the_role
tile.kernel @by_the_role {
  %tile = tile.alloc : !smem
  %ring = tile.pipeline : !ring
  %done = tile.barrier "done" : !tile.barrier
  tile.role "math" warps 4 {
    %f = arith.constant dense<1.0> : !rows
    // CHECK: tile.write
    // CHECK-NEXT: hopper.named_barrier 2 threads 128
    // CHECK-NEXT: tile.read
    // CHECK-NEXT: hopper.named_barrier 1 threads 192
    tile.write %f to %tile : !rows, !smem
    %g = tile.read %tile : !smem -> !rows
    tile.sync %done : !tile.barrier
  }
  // CHECK: tile.role "other"
  // CHECK-NEXT: hopper.named_barrier arrive 1 threads 192
  // CHECK-NEXT: tile.try_wait %{{.+}} agree 3 :
  tile.role "other" warps 2 {
    tile.arrive %done : !tile.barrier
    %ready, %s = tile.try_wait %ring : !ring
  }
}

// -----

// What TMA has still to read is not released, nor told of, before it has.

!smem = !tile.shared<64x32xbf16, "S<2,4,3> o (64,32):(64,2)">
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
!C = !tile.tensor<i32, 1>
// CHECK-LABEL: tile.kernel @told
tile.kernel @told {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %count = tile.tensor "count" inout [%M] align 4 : !C
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.role "store" warps 4 {
    %s = tile.wait %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // CHECK: tile.copy_out %{{.+}} : <64x32
    tile.copy_out %a to %D[%c0, %c0] : !smem, !T
    // CHECK: hopper.once {
    // CHECK-NEXT: hopper.bulk.wait 0 read
    // CHECK-NEXT: }
    // CHECK-NEXT: hopper.named_barrier 1 threads 128
    // CHECK-NEXT: tile.release
    tile.release %ring, %s : !ring
    // CHECK: hopper.bulk.wait 0{{$}}
    // CHECK-NEXT: }
    // CHECK-NEXT: hopper.named_barrier 1 threads 128
    // CHECK-NEXT: tile.signal
    tile.signal %c1 to %count[%c0] : !C
    // CHECK: tile.await
    // CHECK-NEXT: hopper.named_barrier 1 threads 128
    tile.await %count[%c0] at_least %c1 : !C
  }
}

// -----

// The role meets once for what is read in a loop and written before it, and in
// the loop as often as two tiles that take turns need.

!line = !tile.shared<256xf32, "S<0,4,3> o (256):(4)">
!one = tensor<256xf32, #tile.fragment<"256 128:2 / 2:1">>
!other = tensor<256xf32, #tile.fragment<"256 (64,2):(4,0) / 4:1">>
// CHECK-LABEL: tile.kernel @in_turn
tile.kernel @in_turn {
  %N = tile.size "N"
  %w = tile.alloc : !line
  %a = tile.alloc : !line
  %b = tile.alloc : !line
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.role "math" warps 4 {
    // CHECK: tile.write
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: tile.read %[[w:.+]] :
    // CHECK-NEXT: tile.write %{{.+}} to %[[a:.+]] :
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: tile.read %[[a]]
    // CHECK-NEXT: tile.write %{{.+}} to %[[b:.+]] :
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: tile.read %[[b]]
    // CHECK-NEXT: }
    %f = arith.constant dense<1.0> : !one
    tile.write %f to %w : !one, !line
    scf.for %i = %c0 to %N step %c1 {
      %0 = tile.read %w : !line -> !other
      tile.write %f to %a : !one, !line
      %1 = tile.read %a : !line -> !other
      tile.write %f to %b : !one, !line
      %2 = tile.read %b : !line -> !other
    }
    // CHECK: scf.for
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: tile.write
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: tile.read
    scf.for %i = %c0 to %N step %c1 {
      tile.write %f to %a : !one, !line
      %1 = tile.read %a : !line -> !other
    }
    // CHECK: scf.if
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: tile.write
    // CHECK: }
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: tile.read
    %some = arith.cmpi slt, %c1, %N : index
    scf.if %some {
      tile.write %f to %a : !one, !line
    }
    %3 = tile.read %a : !line -> !other
  }
}

// -----

// Who does not tell of what does not hold waits for who does.

// CHECK-LABEL: tile.kernel @expected
tile.kernel @expected {
  %N = tile.size "N"
  %c8 = arith.constant 8 : index
  tile.role "math" warps 4 {
    // CHECK: scf.if
    // CHECK-NEXT: tile.expect %false
    // CHECK-NEXT: hopper.named_barrier 1 threads 128
    // CHECK-NEXT: }
    %few = arith.cmpi slt, %N, %c8 : index
    tile.expect %few, "few" : i1
  }
}

// -----

// wgmma reads what all have written; a second one finds it there. What it reads is
// written again when all have come to the end of it.

!smem = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(64,1)">
!rows = tensor<64x64xbf16, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: tile.kernel @products
tile.kernel @products {
  %M = tile.size "M"
  %tile = tile.alloc : !smem
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.role "math" warps 4 {
    %f = arith.constant dense<1.0> : !rows
    %zero = arith.constant dense<0.0> : !acc
    // CHECK: scf.for
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: tile.write
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: tile.mma
    // CHECK-NEXT: tile.mma
    // CHECK-NEXT: }
    scf.for %m = %c0 to %M step %c64 {
      tile.write %f to %tile : !rows, !smem
      %x = tile.mma %tile, %tile transposed, %zero : !smem, !smem, !acc
      %y = tile.mma %tile, %tile, %x : !smem, !smem, !acc
    }
  }
}

// -----

// Each thread has its own elements of 32 bits, of this part or of that; of 16
// bits an instruction may move others'.

!smem = !tile.shared<32x32xf32, "S<3,4,3> o (32,32):(128,4)">
!part = !tile.shared<16x32xf32, "S<3,4,3> o (16,32):(128,4)">
!half = !tile.shared<16x32xbf16, "S<2,4,3> o (16,32):(64,2)">
!f = tensor<16x32xf32, #tile.fragment<"16x32 (8,16):(64,1) / (4):(16)">>
!h = tensor<16x32xbf16, #tile.fragment<"16x32 (8,16):(64,1) / (4):(16)">>
// CHECK-LABEL: tile.kernel @by_the_same_threads
tile.kernel @by_the_same_threads {
  %tile = tile.alloc : !smem
  %other = tile.alloc : !half
  tile.role "all" warps 4 {
    %a = tile.part %tile from [0, 0] : !smem -> !part
    %b = tile.part %tile from [16, 0] : !smem -> !part
    // CHECK: tile.read
    // CHECK-NEXT: tile.read
    // CHECK-NEXT: tile.write
    // CHECK-NEXT: tile.write
    // CHECK-NEXT: tile.read
    // CHECK-NEXT: hopper.named_barrier 1 threads 128
    // CHECK-NEXT: tile.write
    %x = tile.read %a : !part -> !f
    %y = tile.read %b : !part -> !f
    tile.write %x to %a : !f, !part
    tile.write %y to %b : !f, !part
    %z = tile.read %other : !half -> !h
    tile.write %z to %other : !h, !half
  }
}

// -----

// Each warpgroup has a barrier at which the one before it arrives, and the last
// one lets the first begin; one alone has none.

// CHECK-LABEL: tile.kernel @in_turn
tile.kernel @in_turn {
  // CHECK: tile.role "alone"
  // CHECK-NEXT: }
  tile.role "alone" warps 4 {
    tile.await_turn
    tile.pass_turn
  }
  // CHECK: tile.role "three"
  // CHECK-NEXT: hopper.turn begin 1
  // CHECK-NEXT: hopper.turn 1
  // CHECK-NEXT: hopper.turn pass 1
  // CHECK-NEXT: }
  tile.role "three" warps 12 {
    tile.await_turn
    tile.pass_turn
  }
  // CHECK: tile.role "two"
  // CHECK-NEXT: hopper.turn begin 4
  tile.role "two" warps 8 {
    tile.await_turn
    tile.pass_turn
  }
}
