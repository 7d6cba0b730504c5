// RUN: ashlar-opt %s --split-input-file --hopper-to-thread | FileCheck %s

// 64x8 in the layout of wgmma: four elements to a thread.

!f32 = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
!bf16 = tensor<64x8xbf16, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
!f16 = tensor<64x8xf16, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
!e4m3 = tensor<64x8xf8E4M3FN, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
!e5m2 = tensor<64x8xf8E5M2, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
!i32 = tensor<64x8xi32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
!i8 = tensor<64x8xi8, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
!i1 = tensor<64x8xi1, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @arithmetic(
// CHECK-SAME: %[[ALPHA:.+]]: f32)
hopper.kernel @arithmetic threads 128 shared 0 cluster 1 {
  %alpha = hopper.scalar "alpha" : f32
  hopper.role "math" from 0 warps 4 {
    %a = hopper.splat %alpha : f32 -> !f32
    // CHECK-COUNT-4: arith.mulf %[[ALPHA]], %[[ALPHA]] : f32
    // CHECK-NOT: arith.mulf
    %p = arith.mulf %a, %a : !f32
    // CHECK-COUNT-4: arith.maximumf
    %m = arith.maximumf %p, %a : !f32
    // CHECK-COUNT-4: arith.cmpf ogt
    %c = arith.cmpf ogt, %m, %a : !f32
    // CHECK-COUNT-4: arith.select {{.*}} : f32
    %s = arith.select %c, %m, %a : !i1, !f32
    // Two elements to an instruction and to a register.
    // CHECK-COUNT-2: "llvm.nvvm.ff2bf16x2.rn"
    // CHECK-NOT: ff2bf16x2
    %b = arith.truncf %s : !f32 to !bf16
    // CHECK-COUNT-2: arith.addf {{.*}} : vector<2xbf16>
    // CHECK-NOT: arith.addf
    %bb = arith.addf %b, %b : !bf16
    // CHECK-COUNT-2: arith.mulf {{.*}} fastmath<contract> : vector<2xbf16>
    // CHECK-NOT: arith.mulf
    %bp = arith.mulf %b, %bb fastmath<contract> : !bf16
    // CHECK-COUNT-2: llvm.intr.fma({{.*}}) : (vector<2xbf16>, vector<2xbf16>, vector<2xbf16>) -> vector<2xbf16>
    // CHECK-NOT: llvm.intr.fma
    %bf = math.fma %bp, %b, %bb : !bf16
    // CHECK-COUNT-2: llvm.intr.fabs({{.*}}) : (vector<2xbf16>) -> vector<2xbf16>
    %ba = math.absf %bf : !bf16
    // Both of a pair of bf16 are halves of its register.
    // CHECK-COUNT-2: arith.andi {{.*}} : i32
    // CHECK-NOT: arith.extf
    %w = arith.extf %ba : !bf16 to !f32
    // CHECK-COUNT-2: "llvm.nvvm.ff2f16x2.rn"
    %h = arith.truncf %w : !f32 to !f16
    // CHECK-COUNT-2: "llvm.nvvm.ff.to.e4m3x2.rn"
    %x = arith.truncf %w : !f32 to !e4m3
    // CHECK-COUNT-2: "llvm.nvvm.e4m3x2.to.f16x2.rn"
    // CHECK-COUNT-2: "llvm.nvvm.ff.to.e5m2x2.rn"
    %y = arith.extf %x : !e4m3 to !f32
    %z = arith.truncf %y : !f32 to !e5m2
    // CHECK-COUNT-4: arith.sitofp {{.*}} : i32 to f32
    %i = arith.constant dense<7> : !i32
    %j = arith.sitofp %i : !i32 to !f32
    // Out of range, the nearest.
    // CHECK-COUNT-4: cvt.rzi.sat.s8.f32
    %k = arith.fptosi %j : !f32 to !i8
  }
}

// -----

// A bias along the columns: each thread holds what its part of the accumulator
// needs, so nothing moves.

!acc = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
!bias = tensor<8xf32, #tile.fragment<"8 (4,8,4,1):(2,0,0,0) / 2:1">>
// CHECK-LABEL: llvm.func @bias
hopper.kernel @bias threads 128 shared 0 cluster 1 {
  %n = hopper.size "N"
  %b = hopper.pointer "bias" : !hopper.pointer
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  hopper.role "math" from 0 warps 4 {
    // CHECK: %[[V:.+]]:2 = scf.if
    %v = hopper.load %b[%c0] within [%n] strides [%one] align 16 {nonnegative} : !hopper.pointer -> !bias
    %w = hopper.broadcast %v along [1] : !bias -> !acc
    // CHECK: arith.addf %[[V]]#0, %[[V]]#0 : f32
    // CHECK-NEXT: arith.addf %[[V]]#1, %[[V]]#1 : f32
    // CHECK-NEXT: arith.addf %[[V]]#0, %[[V]]#0 : f32
    // CHECK-NEXT: arith.addf %[[V]]#1, %[[V]]#1 : f32
    %s = arith.addf %w, %w : !acc
  }
}
