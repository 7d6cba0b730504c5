// RUN: ashlar-opt %s --split-input-file --hopper-to-thread | FileCheck %s

// Functions as accurate as CUDA's, and with `afn` the chip's approximations.

!f32 = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @of_f32(
// CHECK-SAME: %[[ALPHA:.+]]: f32)
hopper.kernel @of_f32 threads 128 shared 0 cluster 1 {
  %alpha = hopper.scalar "alpha" : f32
  hopper.role "math" from 0 warps 4 {
    %a = hopper.splat %alpha : f32 -> !f32
    %one = arith.constant dense<1.0> : !f32
    // CHECK-COUNT-4: ex2.approx.ftz.f32 r, r;
    // CHECK-COUNT-4: ex2.approx.ftz.f32 $0, scaled;
    %e = math.exp %a : !f32
    %ef = math.exp %e fastmath<afn> : !f32
    // CHECK-COUNT-4: "ex2.approx.f32 $0, $1;", "=f,f"
    // CHECK-COUNT-4: "ex2.approx.ftz.f32 $0, $1;", "=f,f"
    %x = math.exp2 %ef : !f32
    %xf = math.exp2 %x fastmath<afn> : !f32
    // CHECK-COUNT-4: selp.f32 $0, 0fFF800000, q, isZero;
    // CHECK-COUNT-4: "lg2.approx.ftz.f32
    %l = math.log2 %xf : !f32
    %lf = math.log2 %l fastmath<afn> : !f32
    // CHECK-COUNT-4: "rsqrt.approx.f32
    // CHECK-COUNT-4: "rsqrt.approx.ftz.f32
    %r = math.rsqrt %lf : !f32
    %rf = math.rsqrt %r fastmath<afn> : !f32
    // CHECK-COUNT-4: "sqrt.rn.f32
    // CHECK-COUNT-4: "sqrt.approx.ftz.f32
    %s = math.sqrt %rf : !f32
    %sf = math.sqrt %s fastmath<afn> : !f32
    // CHECK-COUNT-4: copysign.f32
    // CHECK-COUNT-4: "tanh.approx.f32
    %t = math.tanh %sf : !f32
    %tf = math.tanh %t fastmath<afn> : !f32
    // LLVM's own is div.rn.
    // CHECK-COUNT-4: arith.divf
    // CHECK-COUNT-4: "div.full.f32 $0, $1, $2;", "=f,f,f"
    // CHECK-COUNT-4: "rcp.approx.ftz.f32
    %d = arith.divf %a, %tf : !f32
    %df = arith.divf %a, %d fastmath<afn> : !f32
    %df1 = arith.divf %one, %df fastmath<afn> : !f32
  }
}

// -----

// 16 bits: in f32, or two to an instruction.

!bf16 = tensor<64x8xbf16, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
!f16 = tensor<64x8xf16, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @of_halves(
hopper.kernel @of_halves threads 128 shared 0 cluster 1 {
  %alpha = hopper.scalar "alpha" : bf16
  %beta = hopper.scalar "beta" : f16
  hopper.role "math" from 0 warps 4 {
    %a = hopper.splat %alpha : bf16 -> !bf16
    %b = hopper.splat %beta : f16 -> !f16
    // CHECK-COUNT-4: "ex2.approx.f32
    // CHECK-COUNT-2: "ex2.approx.ftz.bf16x2 $0, $1;", "=r,r" %{{.+}} : (vector<2xbf16>) -> vector<2xbf16>
    // CHECK-NOT: ex2
    %x = math.exp2 %a : !bf16
    %xf = math.exp2 %x fastmath<afn> : !bf16
    // CHECK-COUNT-2: "tanh.approx.bf16x2
    %t = math.tanh %xf fastmath<afn> : !bf16
    // CHECK-COUNT-2: "ex2.approx.f16x2
    // CHECK-COUNT-2: "tanh.approx.f16x2
    // CHECK-NOT: tanh
    %y = math.exp2 %b fastmath<afn> : !f16
    %u = math.tanh %y fastmath<afn> : !f16
    // CHECK-COUNT-4: "div.full.f32
    // CHECK-COUNT-4: "rcp.approx.ftz.f32
    %q = arith.divf %y, %u fastmath<afn> : !f16
    %one = arith.constant dense<1.0> : !f16
    %r = arith.divf %one, %q fastmath<afn> : !f16
    // A number by itself takes the same.
    // CHECK: "tanh.approx.bf16 $0, $1;", "=h,h"
    %n = math.tanh %alpha fastmath<afn> : bf16
  }
}
