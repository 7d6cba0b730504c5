// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-pair-elements))' | FileCheck %s
// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-pair-elements,tile-assign-layouts))' | FileCheck %s --check-prefix=LAYOUT

// Tiles and fragments have half as many elements in a row, coordinates count
// pairs, and tensors keep the author's extents.

!smem = !tile.shared<64x128xi4>
!ring = !tile.pipeline<2, [!smem]>
// CHECK-LABEL: tile.kernel @pairs
tile.kernel @pairs {
  %M = tile.size "M"
  %N = tile.size "N"
  // CHECK: tile.tensor "A"{{ +}}input[%{{.+}}] align 16 : <vector<2xi4>, 2>
  %A = tile.tensor "A" input [%M, %N] align 16 : !tile.tensor<i4, 2>
  %D = tile.tensor "D" output [%M, %N] align 16 : !tile.tensor<f4E2M1FN, 2>
  // CHECK: tile.pipeline : <2, [!tile.shared<64x64xvector<2xi4>>]>
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    scf.for %i = %c0 to %N step %c1 {
      // CHECK: %[[I:.+]] = arith.muli %{{.+}}, %c64
      %n = arith.muli %i, %c128 : index
      %s = tile.acquire %ring : !ring
      %b = tile.buffer %s[0] : !smem
      // CHECK: tile.copy %{{.+}}[%{{.+}}, %[[I]]] to
      tile.copy %A[%c0, %n] to %b : !tile.tensor<i4, 2>, !smem
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c4 = arith.constant 4 : index
    %s = tile.wait %ring : !ring
    %b = tile.buffer %s[0] : !smem
    // CHECK: tile.read %{{.+}} : <64x64xvector<2xi4>> -> tensor<64x64xvector<2xi4>>
    // LAYOUT: tile.read %{{.+}} -> tensor<64x64xvector<2xi4>, #tile.fragment<"64x64 (16,8):(256,1) / (4,1,8):(64,4096,8)">>
    %a = tile.read %b : !smem -> tensor<64x128xi4>
    tile.release %ring, %s : !ring
    // CHECK: tile.convert %{{.+}} : tensor<64x64xvector<2xi4>> -> tensor<64x128xbf16>
    // LAYOUT: tile.convert %{{.+}} -> tensor<64x128xbf16, #tile.fragment<"64x128 (16,8):(512,1) / (8,1,8):(64,8192,8)">>
    %w = tile.convert %a : tensor<64x128xi4> -> tensor<64x128xbf16>
    %f = arith.extf %w : tensor<64x128xbf16> to tensor<64x128xf32>
    %e = tile.convert %f : tensor<64x128xf32> -> tensor<64x128xf4E2M1FN>
    // CHECK: tile.slice %{{.+}} from [32, 0]
    %part = tile.slice %e from [32, 0] : tensor<64x128xf4E2M1FN> -> tensor<32x128xf4E2M1FN>
    // A mask is of elements.
    // CHECK: tile.inside %{{.+}}[%c0{{.*}}, %c4{{.*}}] : <vector<2xf4E2M1FN>, 2> -> tensor<64x64xi1>
    %inside = tile.inside %D[%c0, %c4] : !tile.tensor<f4E2M1FN, 2> -> tensor<64x64xi1>
    // CHECK: tile.store %{{.+}} to %{{.+}}[%{{.+}}, %c3{{.*}}] : tensor<32x64xvector<2xf4E2M1FN>>, <vector<2xf4E2M1FN>, 2>
    tile.store %part to %D[%c0, %c6] : tensor<32x128xf4E2M1FN>, !tile.tensor<f4E2M1FN, 2>
  }
}
