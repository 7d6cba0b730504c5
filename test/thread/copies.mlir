// RUN: ashlar-opt %s --split-input-file --hopper-to-thread | FileCheck %s

// A tensor map is a parameter of 128 bytes. TMA takes the innermost coordinate
// first.

// CHECK: llvm.func @tma(%[[MAP:.+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %[[M:.+]]: i32, %[[N:.+]]: i32)
hopper.kernel @tma threads 32 shared 8256 cluster 1 {
  %map = hopper.tensor_map "A" box [1, 64, 64] swizzle 128 : !hopper.tensor_map
  %m = hopper.size "M"
  %n = hopper.size "N"
  %c0 = arith.constant 0 : index
  %mask = arith.constant 3 : index
  hopper.role "load" from 0 warps 1 {
    %tile = hopper.shared_address 0
    %full = hopper.shared_address 8192
    // CHECK: "cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$5, $4, $3}], [$2];", "r,l,r,r,r,r,~{memory}" %{{.+}}, %[[MAP]], %{{.+}}, %{{.+}}, %[[M]], %[[N]]
    hopper.tma.load %map[%c0, %m, %n] to %tile on %full : !hopper.tensor_map
    // CHECK: "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1, {$5, $4, $3}], [$2], $6;", "r,l,r,r,r,r,h,~{memory}"
    hopper.tma.load %map[%c0, %m, %n] to %tile on %full multicast %mask : !hopper.tensor_map
    // CHECK: createpolicy.fractional.L2::evict_first.b64 policy, 1.0;
    // CHECK-SAME: cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [$0], [$1, {$5, $4, $3}], [$2], policy;
    hopper.tma.load %map[%c0, %m, %n] to %tile on %full kept 0.0 : !hopper.tensor_map
    // CHECK: createpolicy.fractional.L2::evict_normal.L2::evict_first.b64 policy, 0.125000;
    // CHECK-SAME: .multicast::cluster.L2::cache_hint [$0], [$1, {$5, $4, $3}], [$2], $6, policy;
    hopper.tma.load %map[%c0, %m, %n] to %tile on %full multicast %mask kept 0.125 : !hopper.tensor_map
    // CHECK: "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [$1, {$4, $3, $2}], [$0];"
    hopper.tma.store %tile to %map[%c0, %m, %n] : !hopper.tensor_map
    // CHECK: "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [$1, {$4, $3, $2}], [$0];"
    hopper.tma.store %tile to %map[%c0, %m, %n] reduce add : !hopper.tensor_map
    // CHECK: "prefetch.tensormap [$0];", "l,~{memory}" %[[MAP]]
    hopper.tensor_map.prefetch %map : !hopper.tensor_map
    // CHECK: "cp.async.bulk.prefetch.tensor.3d.L2.global.tile [$0, {$3, $2, $1}];", "l,r,r,r,~{memory}" %[[MAP]], %{{.+}}, %[[M]], %[[N]]
    hopper.tma.prefetch %map[%c0, %m, %n] : !hopper.tensor_map
    // CHECK: "cp.async.bulk.commit_group;"
    hopper.bulk.commit
    // CHECK: "cp.async.bulk.wait_group.read 0;"
    hopper.bulk.wait 0 read
    // CHECK: "cp.async.bulk.wait_group 2;"
    hopper.bulk.wait 2
  }
}

// -----

// cp.async of what the alignment allows; past the edge it reads fewer bytes and
// fills with zeros; rows below the edge read none.

// CHECK: llvm.func @cp_async(%[[M:.+]]: i32, %[[N:.+]]: i32, %[[A:.+]]: !llvm.ptr<1>, %[[STRIDE:.+]]: i64)
hopper.kernel @cp_async threads 128 shared 8192 cluster 1 {
  %m = hopper.size "M"
  %n = hopper.size "N"
  %A = hopper.pointer "A" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  hopper.role "load" from 0 warps 4 {
    %tile = hopper.shared_address 0
    %v = hopper.view %tile : !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
    // 64 rows of 128 bytes in chunks of 8, a chunk per thread and round.
    // CHECK-DAG: %[[CHUNKS:.+]] = arith.constant 1024 : i32
    // CHECK-DAG: %[[THREADS:.+]] = arith.constant 128 : i32
    // CHECK: scf.for %{{.+}} = %{{.+}} to %[[CHUNKS]] step %[[THREADS]]
    // CHECK: %[[INSIDE:.+]] = arith.cmpi slt, %{{.+}}, %[[M]]
    // CHECK: %[[LEFT:.+]] = arith.subi %[[N]]
    // CHECK: arith.maxsi
    // CHECK: %[[ELEMENTS:.+]] = arith.minsi
    // CHECK: %[[BYTES:.+]] = arith.muli %[[ELEMENTS]], %c2
    // CHECK: %[[READ:.+]] = arith.select %[[INSIDE]], %[[BYTES]], %{{.+}}
    // CHECK: "cp.async.ca.shared::cta.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %{{.+}}, %{{.+}}, %[[READ]]
    hopper.copy_tile %A[%c0, %c0] within [%m, %n] strides [%stride, %one] align 8 to %v {nonnegative} : !hopper.pointer, !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
  }
}

// -----

// Below 4 bytes cp.async has nothing: words of 16 bytes, which are shifted. Of
// 128 threads each has two words of two rows, and reads three of each at first.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!row = !tile.shared<20xbf16, "S<0,4,3> o (20):(2)">
// CHECK-LABEL: llvm.func @shifted
hopper.kernel @shifted threads 128 shared 8192 cluster 1 {
  %m = hopper.size "M"
  %n = hopper.size "N"
  %A = hopper.pointer "A" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  hopper.role "load" from 0 warps 4 {
    %tile = hopper.shared_address 0
    %v = hopper.view %tile : !tile
    // CHECK-NOT: scf.for
    // Of a tile that the tensor has whole all is loaded.
    // CHECK: scf.if
    // CHECK-NOT: @p
    // CHECK-COUNT-6: //@ around\0A\09ld.global.L2::256B.v4.b32 {$0, $1, $2, $3}, [$4+
    // Of others what it has of them, but no word that reaches beyond its memory.
    // CHECK: else
    // CHECK: scf.if
    // CHECK: else
    // CHECK-COUNT-6: //@ around\0A\09@p ld.global.L2::256B.v4.b32
    // While they are on their way the bits of rows are counted, if there are
    // others behind their ends, and the runs around such words come by elements.
    // CHECK: scf.if
    // CHECK-COUNT-8: "shl.b32 $0, -1, $1;"
    // CHECK: scf.if
    // CHECK: scf.for %{{.+}} = %c0{{.*}} to %c2{{.*}} step
    // CHECK: scf.if
    // CHECK-COUNT-16: @p ld.global.b16
    // CHECK-COUNT-2: "st.shared::cta.v4.b32 [$0], {$1, $2, $3, $4};"
    // By 8, 4 and 2 bytes.
    // CHECK: %[[EIGHT:.+]] = arith.cmpi ne
    // CHECK-COUNT-10: arith.select %[[EIGHT]]
    // CHECK: %[[FOUR:.+]] = arith.cmpi ne
    // CHECK-COUNT-9: arith.select %[[FOUR]]
    // CHECK-COUNT-8: "shf.r.wrap.b32 $0, $1, $2, $3;"
    // What lies behind the ends of rows is dropped, where there are any.
    // CHECK: scf.if
    // CHECK-COUNT-16: arith.andi
    // CHECK: else
    // CHECK-COUNT-2: @p st.shared::cta.v4.b32 [$0], {$1, $2, $3, $4};
    // CHECK-COUNT-2: @p st.shared::cta.v4.b32 [$0], {$1, $2, $3, $4};
    hopper.copy_tile %A[%c0, %c0] within [%m, %n] strides [%stride, %one] align 2 to %v {nonnegative} : !hopper.pointer, !tile
    // A row that is no whole words comes by elements.
    // CHECK: scf.for
    // CHECK: @p ld.global.b16 element, [$1];{{.*}}st.shared::cta.b16 [$0], element;
    %r = hopper.view %tile : !row
    hopper.copy_tile %A[%c0, %c0] within [%m, %n] strides [%stride, %one] align 2 to %r {nonnegative} : !hopper.pointer, !row
  }
}

// -----

// Of two copies neither is stored before both are loaded, where threads have the
// registers.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
// CHECK-LABEL: llvm.func @both
hopper.kernel @both threads 128 shared 16384 cluster 1 {
  %m = hopper.size "M"
  %n = hopper.size "N"
  %A = hopper.pointer "A" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %isWhole = arith.cmpi slt, %m, %n : index
  hopper.role "load" from 0 warps 4 {
    %at = hopper.shared_address 0
    %behind = hopper.shared_address 8192
    %v = hopper.view %at : !tile
    %w = hopper.view %behind : !tile
    // CHECK-NOT: st.shared
    // CHECK-COUNT-24: ld.global.L2::256B.v4.b32
    // CHECK: st.shared
    // CHECK-NOT: ld.global.L2::256B.v4.b32
    hopper.copy_tile %A[%c0, %c0] within [%m, %n] strides [%stride, %one] align 2 to %v {nonnegative} : !hopper.pointer, !tile
    hopper.copy_tile %A[%c0, %c0] within [%n, %m] strides [%stride, %one] align 2 to %w {nonnegative} : !hopper.pointer, !tile
  }
}

// -----

// TMA loads beside them before the words that are on their way are used.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
// CHECK-LABEL: llvm.func @beside_tma
hopper.kernel @beside_tma threads 128 shared 16392 cluster 1 {
  %m = hopper.size "M"
  %n = hopper.size "N"
  %A = hopper.pointer "A" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %map = hopper.tensor_map "B" box [64, 64] swizzle 128 : !hopper.tensor_map
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %isWhole = arith.cmpi slt, %m, %n : index
  hopper.role "load" from 0 warps 4 {
    %at = hopper.shared_address 0
    %behind = hopper.shared_address 8192
    %full = hopper.shared_address 16384
    %v = hopper.view %at : !tile
    // CHECK: ld.global.L2::256B.v4.b32
    // CHECK: cp.async.bulk.tensor
    // CHECK: shf.r.wrap.b32
    // CHECK: st.shared
    // CHECK: mbarrier.arrive
    hopper.copy_tile %A[%c0, %c0] within [%m, %n] strides [%stride, %one] align 2 to %v {nonnegative} : !hopper.pointer, !tile
    hopper.once {
      scf.if %isWhole {
        hopper.tma.load %map[%c0, %c0] to %behind on %full : !hopper.tensor_map
      }
    }
    hopper.mbarrier.arrive %full
  }
}

// -----

// A thread with 48 registers has room for the words of one row.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
// CHECK-LABEL: llvm.func @few_registers
hopper.kernel @few_registers threads 128 shared 8192 cluster 1 {
  %m = hopper.size "M"
  %A = hopper.pointer "A" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  hopper.role "load" from 0 warps 4 registers 48 {
    %tile = hopper.shared_address 0
    %v = hopper.view %tile : !tile
    // CHECK: scf.for
    // CHECK-COUNT-3: @p ld.global.L2::256B.v4.b32
    // CHECK-COUNT-2: @p st.shared::cta.v4.b32
    // CHECK-NOT: v4.b32
    // CHECK: }
    hopper.copy_tile %A[%c0, %c0] within [%m, %m] strides [%stride, %one] align 2 to %v {nonnegative} : !hopper.pointer, !tile
  }
}

// -----

// A tile to global memory: by all threads of the role in aligned words, all four
// at once, which are shifted alike, and with them the ends of rows in pieces, a
// thread for each of 128; or by elements where both may be in one word; or, added to what is there, by elements, and by each warp
// of the role a tile of its own.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!rows = !tile.shared<16x64xbf16, "S<3,4,3> o (16,64):(128,2)">
// CHECK-LABEL: llvm.func @out
hopper.kernel @out threads 128 shared 8192 cluster 1 {
  %m = hopper.size "M"
  %D = hopper.pointer "D" : !hopper.pointer
  %stride = hopper.stride "D"[0]
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  hopper.role "store" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    %w = hopper.view %at : !rows
    // CHECK: scf.if
    // CHECK-NOT: scf.for
    // CHECK: %[[EIGHT:.+]] = arith.cmpi ne
    // CHECK-COUNT-6: arith.select %[[EIGHT]]
    // CHECK: %[[FOUR:.+]] = arith.cmpi ne
    // CHECK-COUNT-5: arith.select %[[FOUR]]
    // CHECK-COUNT-16: "shf.r.wrap.b32 $0, $1, $2, $3;"
    // CHECK: %[[LAST:.+]] = arith.cmpi eq
    // CHECK-COUNT-4: @p st.global.v4.b32
    // CHECK: @p st.global.b16 [$0], v;
    // CHECK: @p st.global.b32 [$0], $1;
    // CHECK: @p st.global.v2.b32 [$0], {$1, $2};
    // CHECK: else
    // CHECK: scf.for %{{.+}} = %{{.+}} to %c1024{{.*}} step %c128
    // CHECK: scf.if
    // CHECK: %[[VALUE:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> i16
    // CHECK: llvm.store %[[VALUE]], %{{.+}} : i16, !llvm.ptr<1>
    hopper.copy_tile_out %v to %D[%c0, %c0] within [%m, %m] strides [%stride, %one] align 2 {nonnegative} : !tile, !hopper.pointer
    // CHECK: %[[LANE:.+]] = arith.remui %{{.+}}, %c32
    // CHECK: scf.for %{{.+}} = %[[LANE]] to %c1024{{.*}} step %c32
    // CHECK: llvm.atomicrmw fadd %{{.+}}, %{{.+}} monotonic : !llvm.ptr<1>, bf16
    hopper.copy_tile_out per_warp %w to %D[%c0, %c0] within [%m, %m] strides [%stride, %one] align 2 reduce add {nonnegative} : !rows, !hopper.pointer
  }
}
