// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory))' | FileCheck %s

// Each tile starts where its swizzle begins, those whose swizzle is largest
// first; of as large a swizzle tiles outside pipelines come before stages.
// Barriers are last.

// CHECK-LABEL: tile.kernel @offsets
// CHECK-SAME: #tile.plan<160 threads 40672 bytes tiles[37376, 36864]
// CHECK-SAME: rings[<0 every 9216 tiles[0, 1024] barriers 40576>, <37504 every 1536 tiles[0] barriers 40640>]
// CHECK-SAME: roles[<4>, <0>]>
tile.kernel @offsets {
  %one = tile.pipeline : !tile.pipeline<4, [!tile.shared<16x16xbf16>, !tile.shared<64x64xbf16>]>
  %two = tile.pipeline : !tile.pipeline<2, [!tile.shared<96x8xbf16>]>
  %small = tile.alloc : !tile.shared<8x8xbf16>
  %large = tile.alloc : !tile.shared<16x16xbf16>
  tile.role "a" warps 1 {
  }
  tile.role "b" warps 4 {
  }
}

// -----

// Without budgets warps are packed.

// CHECK-LABEL: tile.kernel @packed
// CHECK-SAME: #tile.plan<416 threads 0 bytes roles[<8>, <0>, <10>]>
tile.kernel @packed {
  tile.role "load" warps 2 {
  }
  tile.role "math" warps 8 {
  }
  tile.role "store" warps 3 {
  }
}

// -----

// Registers are set by whole warpgroups: roles of one budget share one, those
// of another start the next.

// CHECK-LABEL: tile.kernel @budgets
// CHECK-SAME: #tile.plan<512 threads 0 bytes roles[<12>, <0>, <8>, <13>]>
tile.kernel @budgets {
  tile.role "load" warps 1 registers 40 {
  }
  tile.role "math" warps 8 registers 200 {
  }
  tile.role "store" warps 2 registers 24 {
  }
  tile.role "more" warps 2 registers 40 {
  }
}

// -----

// The limit itself fits.

// CHECK-LABEL: tile.kernel @exactly
// CHECK-SAME: 232448 bytes
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
// CHECK-SAME: #tile.plan<416 threads 3600 bytes tiles[0, 3072, 2048]
// CHECK-SAME: roles[<12>, <0 order_barriers 3584>, <8>]>
tile.kernel @instances {
  %own = tile.alloc : !tile.shared<8x64xbf16>
  %small = tile.alloc : !tile.shared<8x16xbf16>
  %other = tile.alloc : !tile.shared<8x64xbf16>
  tile.role "load" warps 1 {
    %f = tile.read %other : !tile.shared<8x64xbf16> -> tensor<8x64xbf16>
  }
  tile.role "math" warps 4 instances 2 {
    %f = tile.read %own : !tile.shared<8x64xbf16> -> tensor<8x64xbf16>
    %g = tile.read %small : !tile.shared<8x16xbf16> -> tensor<8x16xbf16>
  }
  tile.role "store" warps 4 {
  }
}

// -----

// What CTAs send each other lies behind the pipelines: for each peer the
// fragment's values of each thread, in vectors of 16 bytes; then two barriers.
// Each instance has its own.

// CHECK-LABEL: tile.kernel @exchange
// CHECK-SAME: 31824 bytes rings[<0 every 1024 tiles[0] barriers 1024>]
// CHECK-SAME: cluster_reductions[<1040 barriers 31760>, <7184 barriers 31776>]>
tile.kernel @exchange cluster [4] {
  %ring = tile.pipeline : !tile.pipeline<1, [!tile.shared<8x64xbf16>]>
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<512x4xf32>
    %sum = tile.cluster_reduce %f add along 0 : tensor<512x4xf32> -> tensor<512x1xf32>
  }
  // 3 peers of 512 values of 4 bytes further.
  tile.role "ping_pong" warps 4 instances 2 {
    %f = arith.constant dense<0> : tensor<1024x4xi32>
    %sum = tile.cluster_reduce %f add along 0 : tensor<1024x4xi32> -> tensor<1024x1xi32>
  }
}

// -----

// Of threads that hold the same elements one sends them.

!smem = !tile.shared<64x64xbf16>
// CHECK-LABEL: tile.kernel @exchange_of_copies
// CHECK-SAME: 8336 bytes tiles[0] {{.*}} cluster_reductions[<8192 barriers 8320>]>
tile.kernel @exchange_of_copies cluster [2] {
  %a = tile.alloc : !smem
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
    %v = arith.constant dense<0.0> : tensor<64xf32>
    %w = tile.broadcast %v along [1] : tensor<64xf32> -> tensor<64x64xf32>
    %both = arith.addf %acc, %w : tensor<64x64xf32>
    %sum = tile.cluster_reduce %v add along 0 : tensor<64xf32> -> tensor<32xf32>
  }
}
