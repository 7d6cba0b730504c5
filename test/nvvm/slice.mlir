// RUN: ashlar-opt %s --split-input-file --hopper-to-nvvm | FileCheck %s

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

// Sums of a loop that only slices are taken of have names in the PTX; no value
// of LLVM's stands for them. The branch without the loop writes them, a slice
// reads its own.

!a = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!b = !tile.shared<16x64xbf16, "S<3,4,3> o (16,64):(128,2)">
!acc = tensor<64x16xf32, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
!part = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @named
// CHECK: ".reg .b32 %acc0_<8>;"
hopper.kernel @named threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %zero = arith.constant dense<0.0> : !acc
    %some = arith.cmpi sgt, %K, %c0 : index
    // CHECK: scf.if %{{.+}} {
    %r = scf.if %some -> !acc {
      // CHECK-NOT: llvm.mlir.undef
      %any = hopper.undefined : !acc
      // CHECK: scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} : i32 {
      %sum = scf.for %k = %c0 to %K step %c1 iter_args(%x = %any) -> !acc {
        %first = arith.cmpi eq, %k, %c0 : index
        // CHECK: wgmma.mma_async{{[^{]*}}{%acc0_0, %acc0_1, %acc0_2, %acc0_3, %acc0_4, %acc0_5, %acc0_6, %acc0_7},
        // CHECK-SAME: wgmma.wait_group.sync.aligned 1
        %y = hopper.wgmma fence %a, %b transposed, %x overwrite %first : !a, !b, !acc
        hopper.wgmma.commit
        %z = hopper.wgmma.wait 1, %y : !acc -> !acc
        scf.yield %z : !acc
      }
      // CHECK: "wgmma.wait_group.sync.aligned 0;", "~{memory}" :
      %done = hopper.wgmma.wait 0, %sum : !acc -> !acc
      scf.yield %done : !acc
    } else {
      // CHECK: } else {
      // CHECK: "mov.b32 %acc0_0, 0;{{.*}}mov.b32 %acc0_7, 0;"
      scf.yield %zero : !acc
    }
    // CHECK: "mov.b32 $0, %acc0_4;\0A\09mov.b32 $1, %acc0_5;\0A\09mov.b32 $2, %acc0_6;\0A\09mov.b32 $3, %acc0_7;", "=f,=f,=f,=f,~{memory}" :
    %part = hopper.slice %r from [0, 8] : !acc -> !part
  }
}

// -----

// They are written before a loop that they begin as something else in, and are
// values again where something else than a slice is taken.

!a = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!b = !tile.shared<16x64xbf16, "S<3,4,3> o (16,64):(128,2)">
!acc = tensor<64x16xf32, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
!part = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @begins_as_ones
// CHECK: ".reg .b32 %acc0_<8>;"
// CHECK-NOT: .reg .b32 %acc1
hopper.kernel @begins_as_ones threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !a
    %b = hopper.view %at : !b
    %one = arith.constant dense<1.0> : !acc
    // CHECK: "mov.b32 %acc0_0, $0;{{.*}}mov.b32 %acc0_7, $7;", "f,f,f,f,f,f,f,f,~{memory}"
    // CHECK-NEXT: scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} : i32 {
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %one) -> !acc {
      %y = hopper.wgmma fence %a, %b transposed, %x : !a, !b, !acc
      hopper.wgmma.commit
      %z = hopper.wgmma.wait 0, %y : !acc -> !acc
      scf.yield %z : !acc
    }
    %part = hopper.slice %r from [0, 0] : !acc -> !part
    // CHECK: scf.for {{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32)
    %s = scf.for %k = %c0 to %K step %c1 iter_args(%x = %one) -> !acc {
      %y = hopper.wgmma fence %a, %b transposed, %x : !a, !b, !acc
      hopper.wgmma.commit
      %z = hopper.wgmma.wait 0, %y : !acc -> !acc
      scf.yield %z : !acc
    }
    %twice = arith.addf %s, %s : !acc
  }
}
