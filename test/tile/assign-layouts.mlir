// RUN: ashlar-opt %s --split-input-file --tile-assign-layouts | FileCheck %s

// A shared tile is swizzled as widely as its rows allow: 128, 64, 32 bytes, and
// not at all for rows of 16. Wide rows are cut into columns of one atom.

// CHECK-LABEL: tile.kernel @shared
tile.kernel @shared {
  // CHECK: tile.alloc : <128x64xbf16, "S<3,4,3> o (128,64):(128,2)">
  %a = tile.alloc : !tile.shared<128x64xbf16>
  // CHECK: tile.alloc : <128x32xbf16, "S<2,4,3> o (128,32):(64,2)">
  %b = tile.alloc : !tile.shared<128x32xbf16>
  // CHECK: tile.alloc : <128x32xi8, "S<1,4,3> o (128,32):(32,1)">
  %c = tile.alloc : !tile.shared<128x32xi8>
  // CHECK: tile.alloc : <128x8xbf16, "S<0,4,3> o (128,8):(16,2)">
  %d = tile.alloc : !tile.shared<128x8xbf16>
  // CHECK: tile.alloc : <128x256xbf16, "S<3,4,3> o (128,(64,4)):(128,(2,16384))">
  %e = tile.alloc : !tile.shared<128x256xbf16>
  // CHECK: tile.alloc : <64x96xbf16, "S<2,4,3> o (64,(32,3)):(64,(2,4096))">
  %f = tile.alloc : !tile.shared<64x96xbf16>
  // CHECK: tile.alloc : <2x64x32xtf32, "S<3,4,3> o (2,64,32):(8192,128,4)">
  %g = tile.alloc : !tile.shared<2x64x32xtf32>
  // CHECK: tile.pipeline : <2, [!tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">, !tile.shared<64x16xf32, "S<2,4,3> o (64,16):(64,4)">]>
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<64x64xbf16>, !tile.shared<64x16xf32>]>
}

// -----

// The accumulator has the layout of wgmma; loops, conditionals and elementwise
// operations carry it, and a bias that is broadcast has a slice of it.

!smem = !tile.shared<64x64xbf16>
// CHECK-LABEL: tile.kernel @accumulator
// CHECK: arith.constant dense<0.000000e+00> : [[ACC:tensor<64x64xf32, #tile.fragment<"64x64 \(4,8,4,1\):\(128,1,16,64\) / \(2,2,8,1\):\(64,8,512,64\)">>]]
// CHECK: scf.for {{.*}} -> ([[ACC]])
// CHECK: tile.mma {{.*}} [[ACC]]
// CHECK: tile.load {{.*}} -> [[BIAS:tensor<64xf32, #tile.fragment<"64 \(4,8,4,1\):\(2,0,0,0\) / \(2,8\):\(1,8\)">>]]
// CHECK: tile.broadcast {{.*}} : [[BIAS]] -> [[ACC]]
// CHECK: arith.addf {{.*}} : [[ACC]]
// CHECK: arith.truncf {{.*}} : [[ACC]] to [[HALF:tensor<64x64xbf16, #tile.fragment<"64x64 \(4,8,4,1\):\(128,1,16,64\) / \(2,2,8,1\):\(64,8,512,64\)">>]]
// CHECK: scf.if {{.*}} -> ([[HALF]])
// CHECK: tile.store {{.*}} : [[HALF]]
tile.kernel @accumulator {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !tile.tensor<bf16, 2>
  %bias = tile.tensor "bias" input [%M] align 16 : !tile.tensor<f32, 1>
  %a = tile.alloc : !smem
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %M step %c1 iter_args(%x = %zero) -> tensor<64x64xf32> {
      %y = tile.mma %a, %a transposed, %x : !smem, !smem, tensor<64x64xf32>
      scf.yield %y : tensor<64x64xf32>
    }
    %v = tile.load %bias[%c0] : !tile.tensor<f32, 1> -> tensor<64xf32>
    %w = tile.broadcast %v along [1] : tensor<64xf32> -> tensor<64x64xf32>
    %sum = arith.addf %acc, %w : tensor<64x64xf32>
    %h = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xbf16>
    %first = arith.cmpi eq, %M, %c0 : index
    %r = scf.if %first -> tensor<64x64xbf16> {
      scf.yield %h : tensor<64x64xbf16>
    } else {
      %twice = arith.addf %h, %h : tensor<64x64xbf16>
      scf.yield %twice : tensor<64x64xbf16>
    }
    tile.store %r to %D[%c0, %c0] : tensor<64x64xbf16>, !tile.tensor<bf16, 2>
  }
}

// -----

// Two warpgroups take half of the rows each; an accumulator of several
// instructions is still one fragment.

!a = !tile.shared<256x64xbf16>
!b = !tile.shared<128x64xbf16>
// CHECK-LABEL: tile.kernel @two_warpgroups
// CHECK: tile.mma {{.*}} tensor<256x128xf32, #tile.fragment<"256x128 (4,8,4,2):(512,1,16,128) / (2,2,16,2):(256,8,2048,64)">>
tile.kernel @two_warpgroups {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  tile.role "math" warps 8 {
    %zero = arith.constant dense<0.0> : tensor<256x128xf32>
    %y = tile.mma %a, %b transposed, %zero : !a, !b, tensor<256x128xf32>
  }
}

// -----

// Bytes that are loaded from columns lie with neighbouring rows in a lane, and
// so do sums to which nothing else is multiplied.

!columns = !tile.shared<64x128xf8E4M3FN>
!rows = !tile.shared<128x64xf8E4M3FN>
!b = !tile.shared<32x64xf8E4M3FN>
!c = !tile.shared<32x32xf8E4M3FN>
// CHECK-LABEL: tile.kernel @columns
tile.kernel @columns {
  %c = tile.alloc : !c
  %columns = tile.alloc : !columns
  %rows = tile.alloc : !rows
  %b = tile.alloc : !b
  // CHECK: tile.role "registers"
  tile.role "registers" warps 8 {
    %zero = arith.constant dense<0.0> : tensor<128x32xf32>
    // CHECK: tile.read {{.*}}"128x64 (4,8,4,2):(512,2,16,64) / (4,2,4,1):(128,1,2048,64)">>
    %a = tile.read %columns transposed : !columns -> tensor<128x64xf8E4M3FN>
    // CHECK: tile.mma {{.*}}"128x32 (4,8,4,2):(256,2,16,64) / (2,2,4,1):(128,1,1024,64)">>
    %y = tile.mma %a, %b transposed, %zero : tensor<128x64xf8E4M3FN>, !b, tensor<128x32xf32>
  }
  // CHECK: tile.role "both"
  tile.role "both" warps 8 {
    %zero = arith.constant dense<0.0> : tensor<128x32xf32>
    // CHECK: tile.read {{.*}}"128x64 (4,8,4,2):(512,1,16,64) / (4,2,4,1):(128,8,2048,64)">>
    %a = tile.read %columns transposed : !columns -> tensor<128x64xf8E4M3FN>
    // CHECK-COUNT-2: tile.mma {{.*}}"128x32 (4,8,4,2):(256,1,16,64) / (2,2,4,1):(128,8,1024,64)">>
    %y = tile.mma %a, %b transposed, %zero : tensor<128x64xf8E4M3FN>, !b, tensor<128x32xf32>
    %z = tile.mma %rows, %b transposed, %y : !rows, !b, tensor<128x32xf32>
  }
  // Where A is made of such a sum, whose lanes exchange less so.
  // CHECK: tile.role "chained"
  tile.role "chained" warps 8 {
    %zero = arith.constant dense<0.0> : tensor<128x32xf32>
    %other = arith.constant dense<0.0> : tensor<128x32xf32>
    %a = tile.read %columns transposed : !columns -> tensor<128x64xf8E4M3FN>
    // CHECK: tile.mma {{.*}}"128x32 (4,8,4,2):(256,1,16,64) / (2,2,4,1):(128,8,1024,64)">>
    %y = tile.mma %a, %b transposed, %zero : tensor<128x64xf8E4M3FN>, !b, tensor<128x32xf32>
    %p = arith.truncf %y : tensor<128x32xf32> to tensor<128x32xf8E4M3FN>
    %z = tile.mma %p, %c transposed, %other : tensor<128x32xf8E4M3FN>, !c, tensor<128x32xf32>
  }
}

// -----

// What no mma touches is spread over the threads in rows of 16 bytes.

// CHECK-LABEL: tile.kernel @blocked
tile.kernel @blocked {
  %a = tile.alloc : !tile.shared<64x64xbf16>
  tile.role "copy" warps 4 {
    // CHECK: tile.read {{.*}} -> tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
    %f = tile.read %a : !tile.shared<64x64xbf16> -> tensor<64x64xbf16>
  }
}

// -----

// Broadcasts without an mma: the wide fragment is blocked, the narrow a slice.

// CHECK-LABEL: tile.kernel @blocked_broadcast
// CHECK: tile.load {{.*}} -> [[ROW:tensor<64xf32, #tile.fragment<"64 .*">>]]
// CHECK: tile.broadcast {{.*}} : [[ROW]] -> tensor<64x64xf32, #tile.fragment<"64x64 (16,8):(256,1) / (4,1,8):(64,4096,8)">>
tile.kernel @blocked_broadcast {
  %M = tile.size "M"
  %bias = tile.tensor "bias" input [%M] align 16 : !tile.tensor<f32, 1>
  tile.role "copy" warps 4 {
    %c0 = arith.constant 0 : index
    %v = tile.load %bias[%c0] : !tile.tensor<f32, 1> -> tensor<64xf32>
    %w = tile.broadcast %v along [1] : tensor<64xf32> -> tensor<64x64xf32>
  }
}

// -----

// A part of an accumulator is a smaller one; a part of what no mma touches has
// the registers of the whole; a part may be cut again, and converted before or
// after.

!smem = !tile.shared<64x64xbf16>
// CHECK-LABEL: tile.kernel @parts
tile.kernel @parts {
  %a = tile.alloc : !smem
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
    // CHECK: tile.slice %{{.+}} from [0, 16] : {{.*}} -> [[HALF:tensor<64x32xf32, #tile.fragment<"64x32 \(4,8,4,1\):\(128,1,16,64\) / \(2,2,4,1\):\(64,8,512,64\)">>]]
    %half = tile.slice %acc from [0, 16] : tensor<64x64xf32> -> tensor<64x32xf32>
    // CHECK: tile.slice %{{.+}} from [0, 8] : [[HALF]] -> tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,{{[0-9]+}},64)">>
    %eight = tile.slice %half from [0, 8] : tensor<64x32xf32> -> tensor<64x8xf32>
    %read = tile.read %a : !smem -> tensor<64x64xbf16>
    // CHECK: tile.slice %{{.+}} from [16, 0] : tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">> -> tensor<16x64xbf16, #tile.fragment<"16x64 (8,16):(128,1) / (8,1,1):(16,1024,16)">>
    %rows = tile.slice %read from [16, 0] : tensor<64x64xbf16> -> tensor<16x64xbf16>
  }
}

// -----

// A fragment that lies otherwise is relayed for a part that some threads would
// have no element of; what may lie anywhere has as much of each part in each.

!smem = !tile.shared<64x64xbf16>
// CHECK-LABEL: tile.kernel @parts_of_some_threads
tile.kernel @parts_of_some_threads {
  %a = tile.alloc : !smem
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
    // CHECK: %[[RELAYED:.+]] = tile.relay %{{.+}} -> tensor<64x64xf32, #tile.fragment<"64x64 (2,64):(128,1) / (2,1,1,16):(64,256,64,256)">>
    // CHECK: tile.slice %[[RELAYED]] from [0, 8] : {{.*}} -> tensor<64x4xf32, #tile.fragment<"64x4 (2,64):(128,1) / (2,1,1,1):(64,{{[0-9,]+}})">>
    %four = tile.slice %acc from [0, 8] : tensor<64x64xf32> -> tensor<64x4xf32>
    // CHECK: tile.read {{.*}} -> [[HALVES:tensor<64x64xbf16, #tile.fragment<".+">>]]
    %read = tile.read %a : !smem -> tensor<64x64xbf16>
    // CHECK: tile.slice %{{.+}} from [0, 0] : [[HALVES]]
    %left = tile.slice %read from [0, 0] : tensor<64x64xbf16> -> tensor<64x32xbf16>
    // CHECK: tile.slice %{{.+}} from [0, 32] : [[HALVES]]
    %right = tile.slice %read from [0, 32] : tensor<64x64xbf16> -> tensor<64x32xbf16>
  }
}

// -----

// What a CTA gets of a sum over the cluster is a part of the columns.

!smem = !tile.shared<64x64xbf16>
// CHECK-LABEL: tile.kernel @cluster_sum
tile.kernel @cluster_sum cluster [4] {
  %a = tile.alloc : !smem
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
    // CHECK: tile.cluster_reduce %{{.+}} add along 0 : {{.*}} -> tensor<64x16xf32, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
    %sum = tile.cluster_reduce %acc add along 0 : tensor<64x64xf32> -> tensor<64x16xf32>
  }
}

// -----

// One vector along the columns of an accumulator and along its rows: of two
// layouts, one is made of the other.

!smem = !tile.shared<64x64xbf16>
// CHECK-LABEL: tile.kernel @two_layouts
// CHECK: %[[V:.+]] = tile.load {{.*}} -> [[ROWS:tensor<64xf32, #tile.fragment<"64 \(4,8,4,1\):\(0,1,16,0\) / 2:8">>]]
// CHECK: %[[OTHER:.+]] = tile.relay %[[V]] : [[ROWS]] -> tensor<64xf32, #tile.fragment<"64 (4,8,4,1):(2,0,0,0) / (2,8):(1,8)">>
// CHECK: tile.broadcast %[[OTHER]] along [1]
// CHECK: tile.broadcast %[[V]] along [0]
tile.kernel @two_layouts {
  %M = tile.size "M"
  %bias = tile.tensor "bias" input [%M] align 16 : !tile.tensor<f32, 1>
  %a = tile.alloc : !smem
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
    %v = tile.load %bias[%c0] : !tile.tensor<f32, 1> -> tensor<64xf32>
    %w = tile.broadcast %v along [1] : tensor<64xf32> -> tensor<64x64xf32>
    %sum = arith.addf %acc, %w : tensor<64x64xf32>
    %x = tile.broadcast %v along [0] : tensor<64xf32> -> tensor<64x64xf32>
    %both = arith.addf %sum, %x : tensor<64x64xf32>
  }
}

// -----

// What a result is broadcast to lies as what it was combined of.

!smem = !tile.shared<64x64xbf16>
// CHECK-LABEL: tile.kernel @fitting
// CHECK: tile.mma {{.*}} [[ACC:tensor<64x64xf32, #tile.fragment<"64x64 \(4,8,4,1\):\(128,1,16,64\) / .*">>]]
// CHECK-NOT: tile.relay
// CHECK: tile.broadcast {{.*}} along [0] {{.*}} -> [[ACC]]
tile.kernel @fitting {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !tile.tensor<f32, 2>
  %a = tile.alloc : !smem
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
    %sums = tile.reduce %acc add along [1] : tensor<64x64xf32> -> tensor<64xf32>
    %w = tile.broadcast %sums along [0] : tensor<64xf32> -> tensor<64x64xf32>
    tile.store %w to %D[%c0, %c0] : tensor<64x64xf32>, !tile.tensor<f32, 2>
  }
}

// -----

// What shared memory has transposed lies in 8x8 matrices, if it has 16 bits and
// stays there, and else down the rows, so that no banks are in the way: of bytes
// four rows in a thread.

!half = !tile.shared<64x64xbf16>
!word = !tile.shared<64x32xf32>
!drow = !tile.shared<32x64xf32>
!byte = !tile.shared<64x128xf8E4M3FN>
!etyb = !tile.shared<128x64xf8E4M3FN>
// CHECK-LABEL: tile.kernel @transposed
tile.kernel @transposed {
  %M = tile.size "M"
  %E = tile.tensor "E" output [%M, %M] align 16 : !tile.tensor<bf16, 2>
  %a = tile.alloc : !half
  %b = tile.alloc : !word
  %c = tile.alloc : !drow
  %d = tile.alloc : !byte
  %e = tile.alloc : !etyb
  tile.role "turn" warps 4 {
    %c0 = arith.constant 0 : index
    // CHECK: tile.read {{.*}} -> tensor<64x128xf8E4M3FN, #tile.fragment<"64x128 (4,4,2,2,2,1):(1024,4,32,4096,16,64) / (16,4,1,1,1,1):(64,1,8192,32,32,64)">>
    %w = tile.read %d : !byte -> tensor<64x128xf8E4M3FN>
    tile.write %w to %e transposed : tensor<64x128xf8E4M3FN>, !etyb
    // CHECK: tile.read %{{.+}} transposed {{.*}} -> tensor<64x64xbf16, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,4096) / (2,2,8):(64,8,512)">>
    %x = tile.read %a transposed : !half -> tensor<64x64xbf16>
    tile.write %x to %a : tensor<64x64xbf16>, !half
    // CHECK: tile.read {{.*}} -> tensor<64x32xf32, #tile.fragment<"64x32 (16,8,1):(1,256,16) / (4,1,4):(64,2048,16)">>
    %y = tile.read %b : !word -> tensor<64x32xf32>
    tile.write %y to %c transposed : tensor<64x32xf32>, !drow
    // CHECK: tile.read {{.*}} -> tensor<64x64xbf16, #tile.fragment<"64x64 (16,8,1):(1,512,16) / (8,1,4):(64,4096,16)">>
    %z = tile.read %a transposed : !half -> tensor<64x64xbf16>
    tile.store %z to %E[%c0, %c0] : tensor<64x64xbf16>, !tile.tensor<bf16, 2>
  }
}

// -----

// What a loop carries in f32 and adds bf16 to lies as that is loaded in the loop,
// 16 bytes at a time, not as it begins or as its sums are stored once.

// CHECK-LABEL: tile.kernel @sums_of_half
tile.kernel @sums_of_half {
  %M = tile.size "M"
  %N = tile.size "N"
  %X = tile.tensor "X" input [%M, %N] align 16 : !tile.tensor<bf16, 2>
  %D = tile.tensor "D" output [%M, %N] align 16 : !tile.tensor<f32, 2>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: arith.constant dense<0.000000e+00> : tensor<1x2048xf32, #tile.fragment<"1x2048 (128,1):(8,1) / (8,2,1):(1,1024,1)">>
    %zeros = arith.constant dense<0.0> : tensor<1x2048xf32>
    %sums = scf.for %i = %c0 to %M step %c1 iter_args(%sum = %zeros) -> (tensor<1x2048xf32>) {
      // CHECK: tile.load {{.*}} -> tensor<1x2048xbf16, #tile.fragment<"1x2048 (128,1):(8,1) / (8,2,1):(1,1024,1)">>
      %x = tile.load %X[%i, %c0] : !tile.tensor<bf16, 2> -> tensor<1x2048xbf16>
      %wide = arith.extf %x : tensor<1x2048xbf16> to tensor<1x2048xf32>
      %next = arith.addf %sum, %wide : tensor<1x2048xf32>
      scf.yield %next : tensor<1x2048xf32>
    }
    tile.store %sums to %D[%c0, %c0] : tensor<1x2048xf32>, !tile.tensor<f32, 2>
  }
}
