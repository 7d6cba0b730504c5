// RUN: ashlar-opt %s --split-input-file --hopper-to-thread | FileCheck %s

// A fragment of 16-bit elements as wgmma leaves it goes to shared memory by
// stmatrix, four 8x8 matrices at a time; lane l names row l % 8 of matrix l / 8.

!tile = !tile.shared<64x32xbf16, "S<2,4,3> o (64,32):(64,2)">
!half = tensor<64x32xbf16, #tile.fragment<"64x32 (4,8,4,1):(128,1,16,64) / (2,2,4,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @four
hopper.kernel @four threads 128 shared 4096 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    %f = arith.constant dense<1.0> : !half
    // CHECK: %[[LANE:.+]] = arith.remui %{{.+}}, %c32
    // CHECK: %[[ROW:.+]] = arith.remui %[[LANE]], %c8
    // CHECK: arith.muli %[[ROW]], %c64
    // Matrices are 8 rows further, then 8 columns.
    // CHECK: arith.muli %{{.+}}, %c512
    // CHECK: %[[RIGHT:.+]] = arith.divui %[[LANE]], %c16
    // CHECK: arith.muli %[[RIGHT]], %c16
    // CHECK-COUNT-2: "stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [$0], {$1, $2, $3, $4};"
    // CHECK-NOT: stmatrix
    // CHECK-NOT: st.shared
    hopper.shared_store %f to %v : !half, !tile
  }
}

// -----

// Transposed, the rows of a matrix are columns of the fragment.

!tile = !tile.shared<32x64xbf16, "S<3,4,3> o (32,64):(128,2)">
!half = tensor<64x32xbf16, #tile.fragment<"64x32 (4,8,4,1):(128,1,16,64) / (2,2,4,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @transposed
hopper.kernel @transposed threads 128 shared 4096 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    %f = arith.constant dense<1.0> : !half
    // CHECK: %[[LANE:.+]] = arith.remui %{{.+}}, %c32
    // CHECK: %[[ROW:.+]] = arith.remui %[[LANE]], %c8
    // CHECK: arith.muli %[[ROW]], %c128
    // CHECK-COUNT-2: "stmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 [$0], {$1, $2, $3, $4};"
    // CHECK-NOT: stmatrix
    hopper.shared_store %f to %v transposed : !half, !tile
  }
}

// -----

// Two matrices are all there are: 8 columns.

!tile = !tile.shared<64x8xbf16, "S<0,4,3> o (64,8):(16,2)">
!half = tensor<64x8xbf16, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @two
hopper.kernel @two threads 128 shared 1024 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    %f = arith.constant dense<1.0> : !half
    // CHECK: "stmatrix.sync.aligned.m8n8.x2.shared::cta.b16 [$0], {$1, $2};"
    // CHECK-NOT: stmatrix
    hopper.shared_store %f to %v : !half, !tile
  }
}

// -----

// One matrix to a warp.

!tile = !tile.shared<32x8xf16, "S<0,4,3> o (32,8):(16,2)">
!half = tensor<32x8xf16, #tile.fragment<"32x8 (4,8,4):(64,1,8) / (2):(32)">>
// CHECK-LABEL: llvm.func @one
hopper.kernel @one threads 128 shared 1024 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    %f = arith.constant dense<1.0> : !half
    // CHECK: "stmatrix.sync.aligned.m8n8.x1.shared::cta.b16 [$0], {$1};"
    hopper.shared_store %f to %v : !half, !tile
  }
}

// -----

// What does not lie in matrices goes by ordinary stores: 32-bit values, one
// element at a time where the tile is transposed, and fragments in rows.

!tile = !tile.shared<64x8xf32, "S<1,4,3> o (64,8):(32,4)">
!across = !tile.shared<8x64xf32, "S<3,4,3> o (8,(32,2)):(128,(4,1024))">
!acc = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
!rows = tensor<64x8xbf16, #tile.fragment<"64x8 (2,64):(256,1) / (4,1,1):(64,512,64)">>
!narrow = !tile.shared<64x8xbf16, "S<0,4,3> o (64,8):(16,2)">
// CHECK-LABEL: llvm.func @ordinary
// CHECK-NOT: stmatrix
hopper.kernel @ordinary threads 128 shared 8192 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    %w = hopper.view %at : !across
    %x = hopper.view %at : !narrow
    %f = arith.constant dense<1.0> : !acc
    %g = arith.constant dense<1.0> : !rows
    // CHECK-COUNT-2: "st.shared::cta.v2.b32 [$0], {$1, $2};"
    // CHECK-NOT: st.shared
    // CHECK-COUNT-4: "st.shared::cta.b32 [$0], $1;"
    hopper.shared_store %f to %v : !acc, !tile
    hopper.shared_store %f to %w transposed : !acc, !across
    // CHECK: "st.shared::cta.v2.b32 [$0], {$1, $2};"
    hopper.shared_store %g to %x : !rows, !narrow
  }
}

// -----

// It comes from there by ldmatrix, and transposed by ldmatrix.trans.

!tile = !tile.shared<64x32xbf16, "S<2,4,3> o (64,32):(64,2)">
!across = !tile.shared<32x64xbf16, "S<3,4,3> o (32,64):(128,2)">
!half = tensor<64x32xbf16, #tile.fragment<"64x32 (4,8,4,1):(128,1,16,64) / (2,2,4,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @loaded
hopper.kernel @loaded threads 128 shared 4096 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    %w = hopper.view %at : !across
    // CHECK: %[[LANE:.+]] = arith.remui %{{.+}}, %c32
    // CHECK: %[[ROW:.+]] = arith.remui %[[LANE]], %c8
    // CHECK: arith.muli %[[ROW]], %c64
    // CHECK-COUNT-2: "ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {$0, $1, $2, $3}, [$4];"
    // CHECK: llvm.bitcast %{{.+}} : i32 to vector<2xbf16>
    %f = hopper.shared_load %v : !tile -> !half
    // CHECK-COUNT-2: "ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 {$0, $1, $2, $3}, [$4];"
    %g = hopper.shared_load %w transposed : !across -> !half
    // CHECK-COUNT-4: stmatrix
    // CHECK-NOT: ld.shared
    hopper.shared_store %f to %w transposed : !half, !across
    hopper.shared_store %g to %v : !half, !tile
  }
}

// -----

// Integers of 16 bits lie in two registers, and 32 bits are no matrices.

!tile = !tile.shared<32x8xi16, "S<0,4,3> o (32,8):(16,2)">
!half = tensor<32x8xi16, #tile.fragment<"32x8 (4,8,4):(64,1,8) / (2):(32)">>
!wide = !tile.shared<16x32xf32, "S<3,4,3> o (16,32):(128,4)">
!rows = tensor<32x16xf32, #tile.fragment<"32x16 (16,4,2):(1,128,16) / 4:32">>
// CHECK-LABEL: llvm.func @integers
hopper.kernel @integers threads 128 shared 2048 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    %w = hopper.view %at : !wide
    // CHECK: "ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 {$0}, [$1];"
    // CHECK: llvm.bitcast %{{.+}} : i32 to vector<2xi16>
    %f = hopper.shared_load %v : !tile -> !half
    // CHECK: "stmatrix.sync.aligned.m8n8.x1.shared::cta.b16 [$0], {$1};"
    hopper.shared_store %f to %v : !half, !tile
    // CHECK-COUNT-4: "ld.shared::cta.b32 $0, [$1];"
    // CHECK-NOT: ld.shared
    %g = hopper.shared_load %w transposed : !wide -> !rows
    // CHECK-COUNT-4: "st.shared::cta.b32 [$0], $1;"
    hopper.shared_store %g to %w transposed : !rows, !wide
  }
}

// -----

// A of bytes from columns: lanes name columns, of which a word has neighbours;
// ldmatrix gives two rows of each two, and prmt puts each row's together.

!tile = !tile.shared<64x128xf8E4M3FN, "S<3,4,3> o (64,128):(128,1)">
!a = tensor<128x64xf8E4M3FN, #tile.fragment<"128x64 (4,8,4,2):(512,2,16,64) / (4,2,4,1):(128,1,2048,64)">>
// CHECK-LABEL: llvm.func @columns
hopper.kernel @columns threads 256 shared 8192 cluster 1 {
  hopper.role "math" from 0 warps 8 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    // CHECK-COUNT-2: "ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 {$0, $1, $2, $3}, [$4];"
    // CHECK-NOT: ldmatrix
    // CHECK-NOT: ld.shared
    %f = hopper.shared_load %v transposed : !tile -> !a
  }
}

// -----

// Sums of such an A have neighbouring rows in a lane: the rows of a matrix are
// two apart, and of what is stored transposed each thread has whole words.

!tile = !tile.shared<64x32xbf16, "S<2,4,3> o (64,32):(64,2)">
!turned = !tile.shared<32x64xbf16, "S<3,4,3> o (32,64):(128,2)">
!half = tensor<64x32xbf16, #tile.fragment<"64x32 (4,8,4,1):(128,2,16,64) / (2,2,4,1):(64,1,512,64)">>
// CHECK-LABEL: llvm.func @neighbours
hopper.kernel @neighbours threads 128 shared 4096 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    %w = hopper.view %at : !turned
    %f = arith.constant dense<1.0> : !half
    // CHECK: arith.muli %{{.+}}, %c128
    // CHECK-COUNT-2: "stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [$0], {$1, $2, $3, $4};"
    hopper.shared_store %f to %v : !half, !tile
    // CHECK-COUNT-8: "st.shared::cta.b32 [$0], $1;"
    // CHECK-NOT: st.shared
    hopper.shared_store %f to %w transposed : !half, !turned
  }
}
