// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory))' | FileCheck %s

// Tiles outside pipelines come first, then the stages, then the barriers; each
// tile starts where its swizzle begins.

// CHECK-LABEL: tile.kernel @offsets
// CHECK-SAME: shared_bytes = 41056 : i64, threads = 160 : i64
tile.kernel @offsets {
  // CHECK: tile.pipeline {barrier_offset = 40960 : i64, offset = 1024 : i64, stage_bytes = 9216 : i64, tile_offsets = array<i64: 0, 1024>}
  %one = tile.pipeline : !tile.pipeline<4, [!tile.shared<16x16xbf16>, !tile.shared<64x64xbf16>]>
  // CHECK: tile.pipeline {barrier_offset = 41024 : i64, offset = 37888 : i64, stage_bytes = 1536 : i64, tile_offsets = array<i64: 0>}
  %two = tile.pipeline : !tile.pipeline<2, [!tile.shared<96x8xbf16>]>
  // CHECK: tile.alloc {offset = 0 : i64}
  %small = tile.alloc : !tile.shared<8x8xbf16>
  // CHECK: tile.alloc {offset = 256 : i64}
  %large = tile.alloc : !tile.shared<16x16xbf16>
  // CHECK: tile.role "a" warps 1 attributes {first_warp = 4 : i64}
  tile.role "a" warps 1 {
  }
  // CHECK: tile.role "b" warps 4 attributes {first_warp = 0 : i64}
  tile.role "b" warps 4 {
  }
}

// -----

// Without budgets warps are packed.

// CHECK-LABEL: tile.kernel @packed
// CHECK-SAME: threads = 416 : i64
tile.kernel @packed {
  // CHECK: tile.role "load" warps 2 attributes {first_warp = 8 : i64}
  tile.role "load" warps 2 {
  }
  // CHECK: tile.role "math" warps 8 attributes {first_warp = 0 : i64}
  tile.role "math" warps 8 {
  }
  // CHECK: tile.role "store" warps 3 attributes {first_warp = 10 : i64}
  tile.role "store" warps 3 {
  }
}

// -----

// Registers are set by whole warpgroups: roles of one budget share one, those
// of another start the next.

// CHECK-LABEL: tile.kernel @budgets
// CHECK-SAME: threads = 512 : i64
tile.kernel @budgets {
  // CHECK: tile.role "load" warps 1 registers 40 attributes {first_warp = 12 : i64}
  tile.role "load" warps 1 registers 40 {
  }
  // CHECK: tile.role "math" warps 8 registers 200 attributes {first_warp = 0 : i64}
  tile.role "math" warps 8 registers 200 {
  }
  // CHECK: tile.role "store" warps 2 registers 24 attributes {first_warp = 8 : i64}
  tile.role "store" warps 2 registers 24 {
  }
  // CHECK: tile.role "more" warps 2 registers 40 attributes {first_warp = 13 : i64}
  tile.role "more" warps 2 registers 40 {
  }
}

// -----

// The limit itself fits.

// CHECK-LABEL: tile.kernel @exactly
// CHECK-SAME: shared_bytes = 232448 : i64
tile.kernel @exactly {
  %one = tile.pipeline : !tile.pipeline<8, [!tile.shared<8x8xbf16>]>
  %rest = tile.alloc : !tile.shared<14456x8xbf16>
  tile.role "a" warps 1 {
  }
}

// -----

// Each instance of a role has warps and tiles of its own; a tile that another
// role uses alone exists once.

// CHECK-LABEL: tile.kernel @instances
// CHECK-SAME: shared_bytes = 4112 : i64, threads = 416 : i64
tile.kernel @instances {
  // CHECK: tile.alloc {offset = 0 : i64}
  %own = tile.alloc : !tile.shared<8x64xbf16>
  // CHECK: tile.alloc {offset = 2048 : i64}
  %small = tile.alloc : !tile.shared<8x16xbf16>
  // CHECK: tile.alloc {offset = 3072 : i64}
  %other = tile.alloc : !tile.shared<8x64xbf16>
  // CHECK: tile.role "load" warps 1 attributes {first_warp = 12 : i64}
  tile.role "load" warps 1 {
    %f = tile.read %other : !tile.shared<8x64xbf16> -> tensor<8x64xbf16>
  }
  // CHECK: tile.role "math" warps 4 instances 2 attributes {first_warp = 0 : i64, turn_offset = 4096 : i64}
  tile.role "math" warps 4 instances 2 {
    %f = tile.read %own : !tile.shared<8x64xbf16> -> tensor<8x64xbf16>
    %g = tile.read %small : !tile.shared<8x16xbf16> -> tensor<8x16xbf16>
  }
  // CHECK: tile.role "store" warps 4 attributes {first_warp = 8 : i64}
  tile.role "store" warps 4 {
  }
}

// -----

// What CTAs send each other lies behind the pipelines: for each peer the
// fragment's values of each thread, in vectors of 16 bytes; then two barriers.
// Each instance has its own.

// CHECK-LABEL: tile.kernel @exchange
// CHECK-SAME: shared_bytes = 31824 : i64
tile.kernel @exchange cluster [4] {
  // CHECK: tile.pipeline {barrier_offset = 1024 : i64, offset = 0 : i64,
  %ring = tile.pipeline : !tile.pipeline<1, [!tile.shared<8x64xbf16>]>
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<512x4xf32>
    // CHECK: tile.cluster_sum {{.*}} {barrier_offset = 31760 : i64, offset = 1040 : i64}
    %sum = tile.cluster_sum %f along 0 : tensor<512x4xf32> -> tensor<512x1xf32>
  }
  // 3 peers of 512 values of 4 bytes further.
  tile.role "turns" warps 4 instances 2 {
    %f = arith.constant dense<0> : tensor<1024x4xi32>
    // CHECK: tile.cluster_sum {{.*}} {barrier_offset = 31776 : i64, offset = 7184 : i64}
    %sum = tile.cluster_sum %f along 0 : tensor<1024x4xi32> -> tensor<1024x1xi32>
  }
}

// -----

// Threads that hold the same elements send them all.

!smem = !tile.shared<64x64xbf16>
// CHECK-LABEL: tile.kernel @exchange_of_copies
// CHECK-SAME: shared_bytes = 12304 : i64
tile.kernel @exchange_of_copies cluster [2] {
  %a = tile.alloc : !smem
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
    %v = arith.constant dense<0.0> : tensor<64xf32>
    %w = tile.broadcast %v along [1] : tensor<64xf32> -> tensor<64x64xf32>
    %both = arith.addf %acc, %w : tensor<64x64xf32>
    // CHECK: tile.cluster_sum {{.*}} {barrier_offset = 12288 : i64, offset = 8192 : i64}
    %sum = tile.cluster_sum %v along 0 : tensor<64xf32> -> tensor<32xf32>
  }
}
