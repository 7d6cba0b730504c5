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

// -----

// A stage that a loop carries is held when the next is taken, under each of its
// names; when it is released one is newer, behind the loop none.

!ring = !tile.pipeline<4, [!tile.shared<64x64xbf16>]>
// CHECK-LABEL: tile.kernel @carried
tile.kernel @carried {
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.role "fill" warps 1 {
    scf.for %k = %c0 to %c8 step %c1 {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "drain" warps 4 {
    %first = tile.wait %ring : !ring
    // CHECK: %[[LAST:.+]] = scf.for {{.+}} iter_args(%[[BEFORE:.+]] = %
    %last = scf.for %k = %c1 to %c8 step %c1 iter_args(%before = %first) -> !tile.stage {
      %s = tile.wait %ring : !ring
      // CHECK: tile.release %{{.+}}, %[[BEFORE]] newer 1 :
      tile.release %ring, %before : !ring
      scf.yield %s : !tile.stage
    }
    // CHECK: tile.release %{{.+}}, %[[LAST]] :
    tile.release %ring, %last : !ring
  }
}

// -----

// One that is kept while others pass holds them back without a bound.

!ring = !tile.pipeline<4, [!tile.shared<64x64xbf16>]>
// CHECK-LABEL: tile.kernel @kept
tile.kernel @kept {
  %ring = tile.pipeline : !ring
  %M = tile.size "M"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.role "fill" warps 1 {
    scf.for %k = %c0 to %M step %c1 {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "drain" warps 4 {
    %first = tile.wait %ring : !ring
    %last = scf.for %k = %c1 to %M step %c1 iter_args(%best = %first) -> !tile.stage {
      %s = tile.wait %ring : !ring
      %better = arith.cmpi eq, %k, %c1 : index
      %next = scf.if %better -> !tile.stage {
        // CHECK: tile.release %{{.+}} newer 1099511627776 :
        tile.release %ring, %best : !ring
        scf.yield %s : !tile.stage
      } else {
        // CHECK: tile.release %{{.+}} newer 1099511627776 :
        tile.release %ring, %s : !ring
        scf.yield %best : !tile.stage
      }
      scf.yield %next : !tile.stage
    }
    tile.release %ring, %last : !ring
  }
}
