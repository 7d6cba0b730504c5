// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-drop-unused{expectations=false}))' | FileCheck %s
// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-drop-unused{expectations=true}))' | FileCheck %s --check-prefix=CHECKED

// Where a part may reach beyond its tile, or begins at a promised multiple, its
// place is checked.

!whole = !tile.shared<64x64xbf16>
!part = !tile.shared<8x64xbf16>
// CHECK-LABEL: tile.kernel @places
// CHECK-NOT: ] checked
// CHECKED-LABEL: tile.kernel @places
tile.kernel @places {
  %M = tile.size "M"
  %tile = tile.alloc : !whole
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %f = arith.constant dense<0.0> : tensor<8x64xbf16>
    // CHECKED: scf.for
    scf.for %i = %c0 to %c64 step %c8 {
      // CHECKED: tile.part %{{.+}} from [%{{.+}}, 0] :
      %part = tile.part %tile from [%i, 0] : !whole -> !part
      tile.write %f to %part : tensor<8x64xbf16>, !part
    }
    // CHECKED: scf.for
    scf.for %i = %c0 to %M step %c8 {
      // CHECKED: tile.part %{{.+}} from [%{{.+}}, 0] checked :
      %part = tile.part %tile from [%i, 0] : !whole -> !part
      tile.write %f to %part : tensor<8x64xbf16>, !part
      // CHECKED-NOT: tile.part
      %unused = tile.part %tile from [%i, 0] : !whole -> !part
    }
    // CHECKED: scf.for
    scf.for %i = %c0 to %c8 step %c8 {
      // CHECKED: tile.part %{{.+}} from [%{{.+}}, 0] checked :
      %even = tile.multiple_of %i, 16 : index
      %part = tile.part %tile from [%even, 0] : !whole -> !part
      tile.write %f to %part : tensor<8x64xbf16>, !part
    }
  }
}
