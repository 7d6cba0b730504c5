// RUN: ashlar-opt %s --split-input-file --hopper-to-thread | FileCheck %s

// One statement issues every step of K.

!a = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!b = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, accumulate, 1, 1, 0, 0;
hopper.kernel @bf16 threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!b = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @a_m_contiguous
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, accumulate, 1, 1, 1, 0;
hopper.kernel @a_m_contiguous threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a transposed, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<64x64xf16, "S<3,4,3> o (64,64):(128,2)">
!b = !tile.shared<64x128xf16, "S<3,4,3> o (64,(64,2)):(128,(2,8192))">
!acc = tensor<64x128xf32, #tile.fragment<"64x128 (4,8,4,1):(128,1,16,64) / (2,2,16,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @b_n_contiguous
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {{.*}}, accumulate, 1, 1, 0, 1;
hopper.kernel @b_n_contiguous threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a, %b into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!b = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @both_contiguous
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, accumulate, 1, 1, 1, 1;
hopper.kernel @both_contiguous threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a transposed, %b into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<64x64xf16, "S<3,4,3> o (64,64):(128,2)">
!b = !tile.shared<64x64xf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf16, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @f16_into_f16
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 {{.*}}, accumulate, 1, 1, 0, 0;
hopper.kernel @f16_into_f16 threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<64x128xf8E4M3FN, "S<3,4,3> o (64,128):(128,1)">
!b = !tile.shared<64x128xf8E5M2, "S<3,4,3> o (64,128):(128,1)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @fp8_mixed
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2 {{.*}}, accumulate, 1, 1;
hopper.kernel @fp8_mixed threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<64x128xf8E5M2, "S<3,4,3> o (64,128):(128,1)">
!b = !tile.shared<64x128xf8E5M2, "S<3,4,3> o (64,128):(128,1)">
!acc = tensor<64x64xf16, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @fp8_into_f16
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.f16.e5m2.e5m2 {{.*}}, accumulate, 1, 1;
hopper.kernel @fp8_into_f16 threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<64x32xtf32, "S<3,4,3> o (64,32):(128,4)">
!b = !tile.shared<64x32xtf32, "S<3,4,3> o (64,32):(128,4)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @tf32
// CHECK: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {{.*}}, accumulate, 1, 1;
hopper.kernel @tf32 threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<64x128xi8, "S<3,4,3> o (64,128):(128,1)">
!b = !tile.shared<64x128xi8, "S<3,4,3> o (64,128):(128,1)">
!acc = tensor<64x64xi32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @s8
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 {{.*}}, accumulate;
hopper.kernel @s8 threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<64x128xui8, "S<3,4,3> o (64,128):(128,1)">
!b = !tile.shared<64x128xi8, "S<3,4,3> o (64,128):(128,1)">
!acc = tensor<64x64xi32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @u8_s8
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.s32.u8.s8 {{.*}}, accumulate;
hopper.kernel @u8_s8 threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<64x32xbf16, "S<2,4,3> o (64,32):(64,2)">
!b = !tile.shared<8x32xbf16, "S<2,4,3> o (8,32):(64,2)">
!acc = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @registers
// Four registers to a thread, two steps of K.
// CHECK: wgmma.fence.sync.aligned;{{.*}}wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%acc0_0, %acc0_1, %acc0_2, %acc0_3}, left, right, accumulate_first, 1, 1, 0, 0;{{.*}}wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%acc0_0, %acc0_1, %acc0_2, %acc0_3}, left, right, accumulate, 1, 1, 0, 0;
// CHECK-SAME: "r,r,~{memory}"
hopper.kernel @registers threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<64x16xf16, "S<1,4,3> o (64,16):(32,2)">
!b = !tile.shared<16x16xf16, "S<1,4,3> o (16,16):(32,2)">
!acc = tensor<64x16xf16, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @packed
// Two f16 to a register.
// CHECK: m64n16k16.f16.f16.f16 {%acc0_0, %acc0_1, %acc0_2, %acc0_3}, left, right,
// CHECK-SAME: "r,r,~{memory}"
hopper.kernel @packed threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!b = !tile.shared<8x64xbf16, "S<3,4,3> o (8,64):(128,2)">
!acc = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @descriptor
// Start address over 16, stride 1024 bytes, swizzle of 128 bytes; each step of K
// is 32 bytes further.
// CHECK: arith.shrui
// CHECK: %[[MASK:.+]] = arith.constant 16383 : i32
// CHECK: arith.andi %{{.+}}, %[[MASK]]
// CHECK: add.s32 start, $1, 65536;\0A\09mov.b64 left, {start, 1073741888};\0A\09add.s32 start, $0, 65536;\0A\09mov.b64 right, {start, 1073741825};{{.*}}add.s32 start, $1, 65538;
hopper.kernel @descriptor threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<128x16xf16, "S<1,4,3> o (128,16):(32,2)">
!b = !tile.shared<512x16xf16, "S<1,4,3> o (512,16):(32,2)">
!acc = tensor<128x512xf16, #tile.fragment<"128x512 (4,8,4,1):(256,1,16,128) / (2,2,64,2):(128,8,1024,64)">>
// CHECK-LABEL: llvm.func @blocks
// 128 rows to a warpgroup and 512 columns: four instructions for each step.
// CHECK-COUNT-4: m64n256k16.f16.f16.f16
// CHECK-NOT: m64n256k16
hopper.kernel @blocks threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

!a = !tile.shared<128x64xbf16, "S<3,4,3> o (128,64):(128,2)">
!b = !tile.shared<8x64xbf16, "S<3,4,3> o (8,64):(128,2)">
!acc = tensor<128x8xf32, #tile.fragment<"128x8 (4,8,4,2):(256,1,16,64) / (2,2,1,1):(128,8,1024,64)">>
// CHECK-LABEL: llvm.func @warpgroups
// The second warpgroup starts 64 rows, 8192 bytes, further.
// CHECK: %[[WARPGROUP:.+]] = arith.divui %{{.+}}, %c4
// CHECK: %[[BYTES:.+]] = arith.constant 8192 : i32
// CHECK: arith.muli %[[WARPGROUP]], %[[BYTES]]
hopper.kernel @warpgroups threads 256 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 8 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    hopper.wgmma %a, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

// Groups are closed and waited for; where ptxas is not to take the wait for the
// only end of what it covers, in both arms of a branch.

// CHECK-LABEL: llvm.func @groups
// CHECK: "wgmma.commit_group.sync.aligned;"
// CHECK: "wgmma.wait_group.sync.aligned 1;"
// CHECK: "{{.*}}wgmma.wait_group.sync.aligned 0;{{.*}}$$EITHER:{{.*}}wgmma.wait_group.sync.aligned 0;{{.*}}"
hopper.kernel @groups threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    hopper.wgmma.commit
    hopper.wgmma.wait 1
    hopper.wgmma.wait 0 twice
  }
}

// -----

// What holds zeros, or nothing, is overwritten by the first step.

!a = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @zeros
// CHECK: setp.eq.b32 accumulate_first, 1, 0;{{.*}}, accumulate_first, 1, 1, 0, 0;{{.*}}, accumulate, 1, 1, 0, 0;
// CHECK: setp.eq.b32 accumulate_first, 0, 0;
hopper.kernel @zeros threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %x = hopper.accumulator : <!acc>
    hopper.wgmma %a, %a transposed into zeroed %x : !a, !a, <!acc>
    hopper.wgmma %a, %a transposed into %x : !a, !a, <!acc>
  }
}

// -----

// Whether the first step overwrites may be known only when it runs.

!a = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @overwrite
// CHECK: %[[IS_FIRST:.+]] = arith.cmpi eq
// CHECK: %[[WORD:.+]] = arith.extui %[[IS_FIRST]] : i1 to i32
// CHECK: setp.eq.b32 accumulate_first, $0, 0;{{.*}}, accumulate_first, 1, 1, 0, 0;{{.*}}, accumulate, 1, 1, 0, 0;{{.*}}%[[WORD]],
hopper.kernel @overwrite threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %c0 = arith.constant 0 : index
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %first = arith.cmpi eq, %K, %c0 : index
    %x = hopper.accumulator : <!acc>
    hopper.wgmma %a, %a transposed into %x overwrite %first : !a, !a, <!acc>
  }
}

// -----

// A of 8 bits in registers, four values to one; metadata of a sparse A, two
// steps to a register, from other lanes each.

!a = tensor<64x64xi8, #tile.fragment<"64x64 (4,8,4,1):(256,1,16,64) / (4,2,4,1):(64,8,1024,64)">>
!b = !tile.shared<64x64xi8, "S<2,4,3> o (64,64):(64,1)">
!acc = tensor<64x64xi32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @a_of_bytes
// CHECK: xor.b32 %acc0_0, $0, zero;
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 {%acc1_0,{{.*}}}, {%acc0_0, %acc0_1, %acc0_2, %acc0_3}, {{.*}}{%acc0_4, %acc0_5, %acc0_6, %acc0_7},
hopper.kernel @a_of_bytes threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %b = hopper.view %at : !b
    %x = arith.constant dense<1> : !a
    %a = hopper.accumulator : <!a>
    %r = hopper.accumulator : <!acc>
    hopper.accumulator.write %x to %a : !a, <!a>
    hopper.wgmma %a, %b transposed into zeroed %r : !hopper.accumulator<!a>, !b, <!acc>
  }
}

// -----

!a = !tile.shared<64x32xbf16, "S<2,4,3> o (64,32):(64,2)">
!b = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!e = tensor<64x4xi16, #tile.fragment<"64x4 (4,8,4,1):(64,1,16,64) / (2,1,1):(8,256,64)">>
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @sparse
// CHECK: max.u16x2 %acc0_0, $0, least;
// CHECK: wgmma.mma_async.sp.sync.aligned.m64n64k32.f32.bf16.bf16 {%acc1_0,{{.*}}}, left, right, %acc0_0, 0, accumulate_first, 1, 1, 0, 0;{{.*}}, left, right, %acc0_0, 1, accumulate, 1, 1, 0, 0;
hopper.kernel @sparse threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %x = arith.constant dense<17476> : !e
    %e = hopper.accumulator : <!e>
    %r = hopper.accumulator : <!acc>
    hopper.accumulator.write %x to %e : !e, <!e>
    hopper.wgmma %a sparse %e : !hopper.accumulator<!e>, %b transposed into zeroed %r : !a, !b, <!acc>
  }
}

// -----

// What is rounded to A is rounded to its registers.

!a = tensor<64x16xbf16, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
!f = tensor<64x16xf32, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
!b = !tile.shared<64x16xbf16, "S<1,4,3> o (64,16):(32,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @rounded_a
// CHECK: cvt.rn.bf16x2.f32 %acc0_0, $1, $0;
// CHECK: cvt.rn.bf16x2.f32 %acc0_3, $7, $6;
hopper.kernel @rounded_a threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %b = hopper.view %at : !b
    %x = arith.constant dense<1.0> : !f
    %a = hopper.accumulator : <!a>
    %r = hopper.accumulator : <!acc>
    hopper.accumulator.write %x to %a : !f, <!a>
    hopper.wgmma %a, %b transposed into zeroed %r : !hopper.accumulator<!a>, !b, <!acc>
  }
}

// -----

// Sums that are rescaled where they are: a warp whose factors are all 1 does
// nothing. Elsewhere it is a product.

!acc = tensor<64x16xf32, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @rescaled
hopper.kernel @rescaled threads 128 shared 65536 cluster 1 {
  %f = hopper.scalar "f" : f32
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %y = hopper.accumulator : <!acc>
    %factors = hopper.splat %f : f32 -> !acc
    // CHECK-NOT: mov.b32 $0, %acc0_0
    // CHECK: setp.eq.and.f32 one, $0, 0f3F800000, one;
    // CHECK-SAME: vote.sync.all.pred all, one, 0xffffffff;
    // CHECK-SAME: @all bra {{.*}}ones;
    // CHECK-SAME: mul.f32 %acc0_0, %acc0_0, $0;
    // CHECK-SAME: mul.f32 %acc0_7, %acc0_7, $0;
    %old = hopper.accumulator.read %x : <!acc> -> !acc
    %new = arith.mulf %old, %factors {tile.mostly_one} : !acc
    hopper.accumulator.write %new to %x : !acc, <!acc>
    // CHECK: mov.b32 $0, %acc0_0
    // CHECK: arith.mulf
    // CHECK: mov.b32 %acc1_0, $0
    %other = hopper.accumulator.read %x : <!acc> -> !acc
    %moved = arith.mulf %other, %factors {tile.mostly_one} : !acc
    hopper.accumulator.write %moved to %y : !acc, <!acc>
  }
}
