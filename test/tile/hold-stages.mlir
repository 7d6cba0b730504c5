// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-hold-stages))' | FileCheck %s

// While it waits for a stage, a role may hold those that the producer, which
// fills one at a time, leaves.

!ring = !tile.pipeline<3, [!tile.shared<64x64xbf16>]>
// CHECK-LABEL: tile.kernel @steps
tile.kernel @steps {
  %ring = tile.pipeline : !ring
  %other = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.role "fill" warps 1 {
    scf.for %k = %c0 to %c8 step %c1 {
      // CHECK: tile.acquire %{{[0-9]+}} :
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "drain" warps 4 {
    scf.for %k = %c0 to %c8 step %c1 {
      // CHECK: tile.wait %{{[0-9]+}} holds [2, 0] :
      %s = tile.wait %ring : !ring
      // CHECK: tile.release %{{[0-9]+}}, %{{[0-9]+}} :
      tile.release %ring, %s : !ring
    }
  }
}

// -----

// It takes two before it releases the first.

!ring = !tile.pipeline<4, [!tile.shared<64x64xbf16>]>
// CHECK-LABEL: tile.kernel @window
tile.kernel @window {
  %ring = tile.pipeline : !ring
  tile.role "fill" warps 1 {
    %s = tile.acquire %ring : !ring
    tile.commit %ring, %s : !ring
    %t = tile.acquire %ring : !ring
    tile.commit %ring, %t : !ring
  }
  tile.role "drain" warps 4 {
    // CHECK: %[[FIRST:.+]] = tile.wait %{{.+}} holds [2] :
    // CHECK: %[[SECOND:.+]] = tile.wait %{{.+}} holds [3] :
    %s = tile.wait %ring : !ring
    %t = tile.wait %ring : !ring
    // CHECK: tile.release %{{.+}}, %[[FIRST]] newer 1 :
    // CHECK: tile.release %{{.+}}, %[[SECOND]] :
    tile.release %ring, %s : !ring
    tile.release %ring, %t : !ring
  }
}

// -----

// Nobody waits for what a role fills and drains itself.

!ring = !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
// CHECK-LABEL: tile.kernel @own
tile.kernel @own {
  %ring = tile.pipeline : !ring
  tile.role "both" warps 4 {
    // CHECK: tile.acquire %{{.+}} holds [1] :
    %s = tile.acquire %ring : !ring
    tile.commit %ring, %s : !ring
    // CHECK: tile.wait %{{.+}} holds [2] :
    %t = tile.wait %ring : !ring
    tile.release %ring, %t : !ring
  }
}
