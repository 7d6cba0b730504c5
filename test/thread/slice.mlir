// RUN: ashlar-opt %s --split-input-file --hopper-to-thread | FileCheck %s

// A part is some of the registers: columns 8 to 15 of 16 are values 4 to 7.

!whole = tensor<64x16xf32, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
!part = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
!smem = !tile.shared<64x16xf32, "S<2,4,3> o (64,16):(64,4)">
// CHECK-LABEL: llvm.func @floats
hopper.kernel @floats threads 128 shared 8192 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !smem
    // CHECK-COUNT-3: ld.shared::cta.v2.b32
    // CHECK: %[[PAIR:.+]] = llvm.bitcast %{{.+}} : vector<2xi32> to vector<2xf32>
    // CHECK: %[[FIRST:.+]] = llvm.extractelement %[[PAIR]]
    // CHECK: ld.shared::cta.v2.b32
    %f = hopper.shared_load %v : !smem -> !whole
    %part = hopper.slice %f from [0, 8] : !whole -> !part
    // CHECK: arith.addf %[[FIRST]], %[[FIRST]] : f32
    // CHECK-COUNT-3: arith.addf
    // CHECK-NOT: arith.addf
    %twice = arith.addf %part, %part : !part
  }
}

// -----

// Pairs of 16 bits stay pairs.

!whole = tensor<64x16xbf16, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
!part = tensor<64x8xbf16, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @pairs
hopper.kernel @pairs threads 128 shared 8192 cluster 1 {
  %n = hopper.size "N"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !whole
    %zero = arith.constant dense<0.0> : !part
    // CHECK: scf.for {{.*}} -> (vector<2xbf16>, vector<2xbf16>)
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> !part {
      %part = hopper.slice %f from [0, 8] : !whole -> !part
      scf.yield %part : !part
    }
  }
}

// -----

// Accumulators are registers that the PTX names; a part of one is read where the
// program reads it, and values are written to it.

!acc = tensor<64x16xf32, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
!part = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @accumulators
// CHECK: ".reg .b32 %acc0_<8>;"
// CHECK: ".reg .b32 %acc1_<8>;"
hopper.kernel @accumulators threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %y = hopper.accumulator : <!acc>
    %zero = arith.constant dense<0.0> : !acc
    // CHECK: "mov.b32 %acc0_0, 0;{{.*}}mov.b32 %acc0_7, 0;"
    hopper.accumulator.write %zero to %x : !acc, <!acc>
    // CHECK: "mov.b32 $0, %acc0_4;\0A\09mov.b32 $1, %acc0_5;\0A\09mov.b32 $2, %acc0_6;\0A\09mov.b32 $3, %acc0_7;", "=f,=f,=f,=f,~{memory}" :
    %part = hopper.accumulator.read %x from [0, 8] : <!acc> -> !part
    // CHECK: "mov.b32 $0, %acc0_0;{{.*}}mov.b32 $7, %acc0_7;"
    %whole = hopper.accumulator.read %x : <!acc> -> !acc
    // CHECK: "mov.b32 %acc1_0, $0;{{.*}}mov.b32 %acc1_7, $7;", "f,f,f,f,f,f,f,f,~{memory}"
    hopper.accumulator.write %whole to %y : !acc, <!acc>
  }
}

// -----

// Of 16-bit sums a register holds two.

!acc = tensor<64x16xf16, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @packed_accumulator
// CHECK: ".reg .b32 %acc0_<4>;"
hopper.kernel @packed_accumulator threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    // CHECK: "mov.b32 $0, %acc0_0;{{.*}}mov.b32 $3, %acc0_3;", "=r,=r,=r,=r,~{memory}"
    // CHECK-COUNT-4: llvm.bitcast %{{.*}} : i32 to vector<2xf16>
    %whole = hopper.accumulator.read %x : <!acc> -> !acc
  }
}
