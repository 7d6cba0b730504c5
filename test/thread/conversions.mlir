// RUN: ashlar-opt %s --split-input-file --hopper-to-thread | FileCheck %s

// Eight elements of four bits lie in one register, and are converted several at
// a time: how many instructions that takes.

!pairs = tensor<16x32xvector<2xi4>, #tile.fragment<"16x32 (8,16):(64,1) / 4:16">>
!wide = tensor<16x64xbf16, #tile.fragment<"16x64 (8,16):(128,1) / 8:16">>
!smem = !tile.shared<16x32xvector<2xi4>, "S<1,4,3> o (16,32):(32,1)">
// CHECK-LABEL: llvm.func @s4_to_bf16
hopper.kernel @s4_to_bf16 threads 128 shared 512 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !smem
    %p = hopper.shared_load %v : !smem -> !pairs
    // The register that the bytes lie in.
    // CHECK: %[[WORD:.+]] = llvm.bitcast %{{.+}} : vector<4xi8> to i32
    // A shift; a permutation, a logical operation and a difference for two.
    // CHECK-COUNT-13: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    // CHECK-NOT: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    %w = hopper.convert %p : !pairs -> !wide
  }
  // CHECK: llvm.return
}

// -----

!pairs = tensor<16x32xvector<2xui4>, #tile.fragment<"16x32 (8,16):(64,1) / 4:16">>
!wide = tensor<16x64xbf16, #tile.fragment<"16x64 (8,16):(128,1) / 8:16">>
!smem = !tile.shared<16x32xvector<2xui4>, "S<1,4,3> o (16,32):(32,1)">
// CHECK-LABEL: llvm.func @u4_to_bf16
hopper.kernel @u4_to_bf16 threads 128 shared 512 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !smem
    %p = hopper.shared_load %v : !smem -> !pairs
    // The register that the bytes lie in.
    // CHECK: %[[WORD:.+]] = llvm.bitcast %{{.+}} : vector<4xi8> to i32
    // CHECK-COUNT-13: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    // CHECK-NOT: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    %w = hopper.convert %p : !pairs -> !wide
  }
  // CHECK: llvm.return
}

// -----

!pairs = tensor<16x32xvector<2xi4>, #tile.fragment<"16x32 (8,16):(64,1) / 4:16">>
!wide = tensor<16x64xf16, #tile.fragment<"16x64 (8,16):(128,1) / 8:16">>
!smem = !tile.shared<16x32xvector<2xi4>, "S<1,4,3> o (16,32):(32,1)">
// CHECK-LABEL: llvm.func @s4_to_f16
hopper.kernel @s4_to_f16 threads 128 shared 512 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !smem
    %p = hopper.shared_load %v : !smem -> !pairs
    // The register that the bytes lie in.
    // CHECK: %[[WORD:.+]] = llvm.bitcast %{{.+}} : vector<4xi8> to i32
    // A permutation, a logical operation and a multiplication for two.
    // CHECK-COUNT-12: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    // CHECK-NOT: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    %w = hopper.convert %p : !pairs -> !wide
  }
  // CHECK: llvm.return
}

// -----

!pairs = tensor<16x32xvector<2xi4>, #tile.fragment<"16x32 (8,16):(64,1) / 4:16">>
!wide = tensor<16x64xf32, #tile.fragment<"16x64 (8,16):(128,1) / 8:16">>
!smem = !tile.shared<16x32xvector<2xi4>, "S<1,4,3> o (16,32):(32,1)">
// CHECK-LABEL: llvm.func @s4_to_f32
hopper.kernel @s4_to_f32 threads 128 shared 512 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !smem
    %p = hopper.shared_load %v : !smem -> !pairs
    // The register that the bytes lie in.
    // CHECK: %[[WORD:.+]] = llvm.bitcast %{{.+}} : vector<4xi8> to i32
    // A permutation and a difference for each, and three for all.
    // CHECK-COUNT-19: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    // CHECK-NOT: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    %w = hopper.convert %p : !pairs -> !wide
  }
  // CHECK: llvm.return
}

// -----

!pairs = tensor<16x32xvector<2xi4>, #tile.fragment<"16x32 (8,16):(64,1) / 4:16">>
!wide = tensor<16x64xi8, #tile.fragment<"16x64 (8,16):(128,1) / 8:16">>
!smem = !tile.shared<16x32xvector<2xi4>, "S<1,4,3> o (16,32):(32,1)">
// CHECK-LABEL: llvm.func @s4_to_s8
hopper.kernel @s4_to_s8 threads 128 shared 512 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !smem
    %p = hopper.shared_load %v : !smem -> !pairs
    // The register that the bytes lie in.
    // CHECK: %[[WORD:.+]] = llvm.bitcast %{{.+}} : vector<4xi8> to i32
    // CHECK-COUNT-9: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    // CHECK-NOT: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    %w = hopper.convert %p : !pairs -> !wide
  }
  // CHECK: llvm.return
}

// -----

!pairs = tensor<16x32xvector<2xui4>, #tile.fragment<"16x32 (8,16):(64,1) / 4:16">>
!wide = tensor<16x64xi8, #tile.fragment<"16x64 (8,16):(128,1) / 8:16">>
!smem = !tile.shared<16x32xvector<2xui4>, "S<1,4,3> o (16,32):(32,1)">
// CHECK-LABEL: llvm.func @u4_to_s8
hopper.kernel @u4_to_s8 threads 128 shared 512 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !smem
    %p = hopper.shared_load %v : !smem -> !pairs
    // The register that the bytes lie in.
    // CHECK: %[[WORD:.+]] = llvm.bitcast %{{.+}} : vector<4xi8> to i32
    // CHECK-COUNT-5: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    // CHECK-NOT: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    %w = hopper.convert %p : !pairs -> !wide
  }
  // CHECK: llvm.return
}

// -----

!pairs = tensor<16x32xvector<2xi4>, #tile.fragment<"16x32 (8,16):(64,1) / 4:16">>
!wide = tensor<16x64xf8E4M3FN, #tile.fragment<"16x64 (8,16):(128,1) / 8:16">>
!smem = !tile.shared<16x32xvector<2xi4>, "S<1,4,3> o (16,32):(32,1)">
// CHECK-LABEL: llvm.func @s4_to_e4m3
hopper.kernel @s4_to_e4m3 threads 128 shared 512 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !smem
    %p = hopper.shared_load %v : !smem -> !pairs
    // The register that the bytes lie in.
    // CHECK: %[[WORD:.+]] = llvm.bitcast %{{.+}} : vector<4xi8> to i32
    // Prmt looks four up in a table of eight bytes, once for each sign.
    // CHECK-COUNT-11: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    // CHECK-NOT: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    %w = hopper.convert %p : !pairs -> !wide
  }
  // CHECK: llvm.return
}

// -----

!pairs = tensor<16x32xvector<2xf4E2M1FN>, #tile.fragment<"16x32 (8,16):(64,1) / 4:16">>
!wide = tensor<16x64xf8E4M3FN, #tile.fragment<"16x64 (8,16):(128,1) / 8:16">>
!smem = !tile.shared<16x32xvector<2xf4E2M1FN>, "S<1,4,3> o (16,32):(32,1)">
// CHECK-LABEL: llvm.func @e2m1_to_e4m3
hopper.kernel @e2m1_to_e4m3 threads 128 shared 512 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !smem
    %p = hopper.shared_load %v : !smem -> !pairs
    // The register that the bytes lie in.
    // CHECK: %[[WORD:.+]] = llvm.bitcast %{{.+}} : vector<4xi8> to i32
    // The table has no signs.
    // CHECK-COUNT-9: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    // CHECK-NOT: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    %w = hopper.convert %p : !pairs -> !wide
  }
  // CHECK: llvm.return
}

// -----

!pairs = tensor<16x32xvector<2xf4E2M1FN>, #tile.fragment<"16x32 (8,16):(64,1) / 4:16">>
!wide = tensor<16x64xf16, #tile.fragment<"16x64 (8,16):(128,1) / 8:16">>
!smem = !tile.shared<16x32xvector<2xf4E2M1FN>, "S<1,4,3> o (16,32):(32,1)">
// CHECK-LABEL: llvm.func @e2m1_to_f16
hopper.kernel @e2m1_to_f16 threads 128 shared 512 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !smem
    %p = hopper.shared_load %v : !smem -> !pairs
    // The register that the bytes lie in.
    // CHECK: %[[WORD:.+]] = llvm.bitcast %{{.+}} : vector<4xi8> to i32
    // CHECK-COUNT-13: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    // CHECK-NOT: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    %w = hopper.convert %p : !pairs -> !wide
  }
  // CHECK: llvm.return
}

// -----

!pairs = tensor<16x32xvector<2xf4E2M1FN>, #tile.fragment<"16x32 (8,16):(64,1) / 4:16">>
!wide = tensor<16x64xbf16, #tile.fragment<"16x64 (8,16):(128,1) / 8:16">>
!smem = !tile.shared<16x32xvector<2xf4E2M1FN>, "S<1,4,3> o (16,32):(32,1)">
// CHECK-LABEL: llvm.func @e2m1_to_bf16
hopper.kernel @e2m1_to_bf16 threads 128 shared 512 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !smem
    %p = hopper.shared_load %v : !smem -> !pairs
    // The register that the bytes lie in.
    // CHECK: %[[WORD:.+]] = llvm.bitcast %{{.+}} : vector<4xi8> to i32
    // CHECK-COUNT-15: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    // CHECK-NOT: {{prmt|lop3|sub.rn|fma.rn|cvt|arith.shrui|arith.shli|arith.andi|arith.xori|arith.subi|arith.subf}}
    %w = hopper.convert %p : !pairs -> !wide
  }
  // CHECK: llvm.return
}

// -----

// And back: each is rounded, and two at a time put into their range.

!pairs = tensor<16x32xvector<2xi4>, #tile.fragment<"16x32 (8,16):(64,1) / 4:16">>
!wide = tensor<16x64xf32, #tile.fragment<"16x64 (8,16):(128,1) / 8:16">>
!smem = !tile.shared<16x32xvector<2xi4>, "S<1,4,3> o (16,32):(32,1)">
// CHECK-LABEL: llvm.func @f32_to_s4
hopper.kernel @f32_to_s4 threads 128 shared 512 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !smem
    %w = arith.constant dense<1.0> : !wide
    // CHECK-COUNT-8: cvt.rzi.s32.f32
    // CHECK-COUNT-4: cvt.pack.sat.s4.s32.b32
    // CHECK-NOT: cvt
    %p = hopper.convert %w : !wide -> !pairs
    // CHECK: st.shared::cta.b32
    hopper.shared_store %p to %v : !pairs, !smem
  }
}
