// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-place-stages))' | FileCheck %s

!ring = !tile.pipeline<3, [!tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">]>
// CHECK-LABEL: tile.kernel @carried
tile.kernel @carried attributes {plan = #tile.plan<160 threads 24640 bytes rings [<0 every 8192 tiles [0] barriers 24576>] roles [<4>, <0>]>} {
  %M = tile.size "M"
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // A loop carries the place behind what it carried before. Filling begins with
  // parity 1, that of a phase before the first.
  // CHECK: tile.role "fill"
  // CHECK-NEXT: %[[STAGE:.+]] = arith.constant 0
  // CHECK-NEXT: %[[PARITY:.+]] = arith.constant 1
  tile.role "fill" warps 1 {
    // CHECK: %[[BEHIND:.+]]:3 = scf.for {{.*}} iter_args(%{{.+}} = %{{.+}}, %[[S:.+]] = %[[STAGE]], %[[P:.+]] = %[[PARITY]])
    %sum = scf.for %k = %c0 to %M step %c1 iter_args(%i = %c0) -> index {
      // CHECK: tile.acquire %{{.+}} at %[[S]], %[[P]] :
      // CHECK: %[[ADDED:.+]] = arith.addi %[[S]], %c1
      // CHECK: %[[WRAPS:.+]] = arith.cmpi eq, %[[ADDED]], %c3
      // CHECK: %[[NEXT:.+]] = arith.select %[[WRAPS]], %c0{{.*}}, %[[ADDED]]
      // CHECK: %[[TURNED:.+]] = arith.xori %[[P]], %c1
      // CHECK: %[[PHASE:.+]] = arith.select %[[WRAPS]], %[[TURNED]], %[[P]]
      // CHECK: scf.yield %{{.+}}, %[[NEXT]], %[[PHASE]]
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
      %j = arith.addi %i, %k : index
      scf.yield %j : index
    }
    // CHECK: tile.acquire %{{.+}} at %[[BEHIND]]#1, %[[BEHIND]]#2 :
    %s = tile.acquire %ring : !ring
    tile.commit %ring, %s : !ring
  }
  // A branch gives the place of the side that was taken.
  // CHECK: tile.role "drain"
  // CHECK-NEXT: %[[STAGE:.+]] = arith.constant 0
  // CHECK-NEXT: %[[PARITY:.+]] = arith.constant 0
  tile.role "drain" warps 4 {
    %early = arith.cmpi slt, %M, %c1 : index
    // CHECK: %[[BEHIND:.+]]:2 = scf.if
    // CHECK: tile.wait %{{.+}} at %[[STAGE]], %[[PARITY]] :
    // CHECK: } else {
    // CHECK-NEXT: scf.yield %[[STAGE]], %[[PARITY]]
    scf.if %early {
      %s = tile.wait %ring : !ring
      tile.release %ring, %s : !ring
    }
    // Stages are passed by, and rounds.
    // CHECK: %[[REACHED:.+]] = arith.addi %[[BEHIND]]#0, %{{.+}}
    // CHECK: %[[ROUNDS:.+]] = arith.divui %[[REACHED]], %c3
    // CHECK: %[[NEXT:.+]] = arith.remui %[[REACHED]], %c3
    // CHECK: %[[ODD:.+]] = arith.remui %[[ROUNDS]], %c2
    // CHECK: %[[PHASE:.+]] = arith.xori %[[BEHIND]]#1, %[[ODD]]
    // CHECK-NOT: tile.skip
    tile.skip %ring, %M : !ring
    // Only what was taken is behind.
    // CHECK: %[[READY:.+]], %{{.+}} = tile.try_wait %{{.+}} at %[[NEXT]], %[[PHASE]] :
    // CHECK: arith.select %[[READY]], %{{.+}}, %[[NEXT]]
    // CHECK: arith.select %[[READY]], %{{.+}}, %[[PHASE]]
    %ready, %s = tile.try_wait %ring : !ring
    scf.if %ready {
      tile.release %ring, %s : !ring
    }
  }
}

// -----

// What a role fills for other CTAs too is empty when it ends.

!smem = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: tile.kernel @peers
tile.kernel @peers cluster [2] attributes {plan = #tile.plan<160 threads 16416 bytes rings [<0 every 8192 tiles [0] barriers 16384>] roles [<4>, <0>]>} {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  tile.role "fill" warps 1 {
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a multicast : !T, !smem
    tile.commit %ring, %s : !ring
    // CHECK: tile.commit
    // CHECK: scf.for %{{.+}} = %c0{{.*}} to %c2{{.*}} step %c1{{.*}} iter_args(%[[STAGE:.+]] = %{{.+}}, %[[PARITY:.+]] = %{{.+}})
    // CHECK: %[[OFFSET:.+]] = arith.muli %[[STAGE]], %c8
    // CHECK: %[[EMPTY:.+]] = arith.addi %{{.+}}, %[[OFFSET]]
    // CHECK: hopper.mbarrier.wait %[[EMPTY]] parity %[[PARITY]]
  }
  // CHECK: tile.role "drain"
  // CHECK-NOT: scf.for
  tile.role "drain" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

// The one stage of a ring is always the next: its parity alone changes.

!ring = !tile.pipeline<1, [!tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">]>
// CHECK-LABEL: tile.kernel @one
tile.kernel @one attributes {plan = #tile.plan<160 threads 8208 bytes rings [<0 every 8192 tiles [0] barriers 8192>] roles [<4>, <0>]>} {
  %M = tile.size "M"
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.role "fill" warps 1 {
    // CHECK: scf.for {{.*}} iter_args(%[[S:.+]] = %{{.+}}, %[[P:.+]] = %{{.+}})
    scf.for %k = %c0 to %M step %c1 {
      // CHECK: tile.acquire %{{.+}} at %[[S]], %[[P]] :
      // CHECK-NOT: arith.select
      // CHECK: %[[TURNED:.+]] = arith.xori %[[P]], %c1
      // CHECK: scf.yield %[[S]], %[[TURNED]]
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "drain" warps 4 {
    scf.for %k = %c0 to %M step %c1 {
      %s = tile.wait %ring : !ring
      tile.release %ring, %s : !ring
    }
  }
}
