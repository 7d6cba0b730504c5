// RUN: ashlar-opt %s | ashlar-opt | FileCheck %s

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>

// CHECK: hopper.kernel @every_operation threads 160 shared 16448 cluster 2 {
hopper.kernel @every_operation threads 160 shared 16448 cluster 2 {
  // CHECK-NEXT: %[[M:.+]] = hopper.size "M"
  %M = hopper.size "M"
  // CHECK-NEXT: %[[ALPHA:.+]] = hopper.scalar "alpha" : f32
  %alpha = hopper.scalar "alpha" : f32
  // CHECK-NEXT: %[[D:.+]] = hopper.pointer "D" : !hopper.pointer
  %D = hopper.pointer "D" : !hopper.pointer
  // CHECK-NEXT: %[[STRIDE:.+]] = hopper.stride "D"[0]
  %stride = hopper.stride "D"[0]
  // CHECK-NEXT: %[[MAP:.+]] = hopper.tensor_map "A" box [64, 64] swizzle 128 : !hopper.tensor_map
  %map = hopper.tensor_map "A" box [64, 64] swizzle 128 : !hopper.tensor_map
  // CHECK-NEXT: hopper.tensor_map "A" box [64, 64] step [2, 1] swizzle 128 : !hopper.tensor_map
  %stepped = hopper.tensor_map "A" box [64, 64] step [2, 1] swizzle 128 : !hopper.tensor_map
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  // CHECK: hopper.once {
  hopper.once {
    // CHECK-NEXT: %[[BARRIER:.+]] = hopper.shared_address 16384
    %b = hopper.shared_address 16384
    // CHECK-NEXT: hopper.mbarrier.init %[[BARRIER]] count 1
    hopper.mbarrier.init %b count 1
    // CHECK-NEXT: hopper.mbarrier.fence_init
    hopper.mbarrier.fence_init
  }
  // CHECK: hopper.sync cluster
  hopper.sync cluster
  // CHECK-NEXT: hopper.cluster.arrive
  hopper.cluster.arrive
  // CHECK-NEXT: hopper.sync cluster arrived
  hopper.sync cluster arrived
  // CHECK: hopper.role "load" from 4 warps 1 registers 40 {
  hopper.role "load" from 4 warps 1 registers 40 {
    // CHECK-NEXT: %[[FULL:.+]] = hopper.shared_address 16384
    %full = hopper.shared_address 16384
    // CHECK-NEXT: %[[RANK:.+]] = hopper.special_register "cluster_ctarank"
    %rank = hopper.special_register "cluster_ctarank"
    // CHECK-NEXT: hopper.mbarrier.wait %[[FULL]] parity %[[C0:.+]]
    hopper.mbarrier.wait %full parity %c0
    // CHECK-NEXT: hopper.mbarrier.wait generic %[[FULL]] parity %[[C0]]
    hopper.mbarrier.wait generic %full parity %c0
    // CHECK-NEXT: hopper.mbarrier.test %[[FULL]] parity %[[C0]]
    %r0 = hopper.mbarrier.test %full parity %c0
    // CHECK-NEXT: hopper.mbarrier.test generic %[[FULL]] parity %[[C0]] agree 3
    %r1 = hopper.mbarrier.test generic %full parity %c0 agree 3
    // CHECK-NEXT: hopper.mbarrier.expect_bytes %[[FULL]], 8192
    hopper.mbarrier.expect_bytes %full, 8192
    // CHECK-NEXT: hopper.mbarrier.expect_bytes peer %[[FULL]], 8192
    hopper.mbarrier.expect_bytes peer %full, 8192
    // CHECK-NEXT: hopper.copy_to_peer %[[C0]], 8192 to %[[M]] on %[[FULL]]
    hopper.copy_to_peer %c0, 8192 to %M on %full
    // CHECK-NEXT: hopper.tma.load %[[MAP]][%[[C0]], %[[M]]] to %[[C0]] on %[[FULL]] : !hopper.tensor_map
    hopper.tma.load %map[%c0, %M] to %c0 on %full : !hopper.tensor_map
    // CHECK-NEXT: hopper.tma.load %[[MAP]][%[[C0]], %[[M]]] to %[[C0]] on %[[FULL]] multicast %[[RANK]] : !hopper.tensor_map
    hopper.tma.load %map[%c0, %M] to %c0 on %full multicast %rank : !hopper.tensor_map
    // CHECK-NEXT: hopper.mbarrier.arrive %[[FULL]]
    hopper.mbarrier.arrive %full
    // CHECK-NEXT: hopper.mbarrier.arrive %[[FULL]] of %[[RANK]]
    hopper.mbarrier.arrive %full of %rank
    // CHECK-NEXT: hopper.mbarrier.arrive cluster %[[FULL]] of %[[RANK]]
    hopper.mbarrier.arrive cluster %full of %rank
    // CHECK-NEXT: hopper.mbarrier.arrive_async %[[FULL]]
    hopper.mbarrier.arrive_async %full
    // CHECK-NEXT: hopper.tma.store %[[C0]] to %[[MAP]][%[[C0]], %[[M]]] : !hopper.tensor_map
    hopper.tma.store %c0 to %map[%c0, %M] : !hopper.tensor_map
    // CHECK-NEXT: hopper.tma.store %[[C0]] to %[[MAP]][%[[C0]], %[[M]]] reduce max : !hopper.tensor_map
    hopper.tma.store %c0 to %map[%c0, %M] reduce max : !hopper.tensor_map
    // CHECK-NEXT: hopper.bulk.commit
    hopper.bulk.commit
    // CHECK-NEXT: hopper.bulk.wait 1{{$}}
    hopper.bulk.wait 1
    // CHECK-NEXT: hopper.bulk.wait 0 read
    hopper.bulk.wait 0 read
    // CHECK-NEXT: hopper.named_barrier 1 threads 160
    hopper.named_barrier 1 threads 160
    // CHECK-NEXT: hopper.named_barrier arrive 2 threads 64
    hopper.named_barrier arrive 2 threads 64
    // CHECK-NEXT: %[[VIEW:.+]] = hopper.view %[[C0]] : <64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
    %view = hopper.view %c0 : !tile
    // CHECK-NEXT: hopper.tensor_map.prefetch %[[MAP]] : !hopper.tensor_map
    hopper.tensor_map.prefetch %map : !hopper.tensor_map
    // CHECK-NEXT: hopper.tma.prefetch %[[MAP]][%[[C0]], %[[M]]] : !hopper.tensor_map
    hopper.tma.prefetch %map[%c0, %M] : !hopper.tensor_map
    // CHECK-NEXT: hopper.mbarrier.wait cluster %[[FULL]] parity %[[C0]]
    hopper.mbarrier.wait cluster %full parity %c0
    // CHECK-NEXT: hopper.copy_tile %[[D]][%[[C0]], %[[C0]]] within[%[[M]], %[[M]]] strides[%[[STRIDE]], %{{.+}}] align 4 written to %[[VIEW]]
    hopper.copy_tile %D[%c0, %c0] within [%M, %M] strides [%stride, %one] align 4 written to %view : !hopper.pointer, !tile
  }
  // CHECK: hopper.role "math" from 0 warps 4 {
  hopper.role "math" from 0 warps 4 {
    %view = hopper.view %c0 : !tile
    // CHECK: %[[ZERO:.+]] = hopper.splat %[[ALPHA]] : f32 -> tensor<64x64xf32, #tile.fragment<
    %zero = hopper.splat %alpha : f32 -> !acc
    // CHECK-NEXT: %{{.+}} = hopper.mma %{{.+}}, %{{.+}} transposed, %[[ZERO]] :
    %x = hopper.mma %view, %view transposed, %zero : !tile, !tile, !acc
    // CHECK-NEXT: %[[ACC:.+]] = hopper.accumulator :
    %acc = hopper.accumulator : <!acc>
    // CHECK-NEXT: hopper.accumulator.write %[[ZERO]] to %[[ACC]] :
    hopper.accumulator.write %zero to %acc : !acc, <!acc>
    // CHECK-NEXT: hopper.wgmma %{{.+}} transposed, %{{.+}} into zeroed %[[ACC]] :
    hopper.wgmma %view transposed, %view into zeroed %acc : !tile, !tile, <!acc>
    // CHECK-NEXT: hopper.wgmma.commit
    hopper.wgmma.commit
    // CHECK-NEXT: hopper.wgmma.wait 1{{$}}
    hopper.wgmma.wait 1
    // CHECK-NEXT: hopper.wgmma.wait 0 twice
    hopper.wgmma.wait 0 twice
    // CHECK-NEXT: %{{.+}} = hopper.accumulator.read %[[ACC]] :
    %y = hopper.accumulator.read %acc : <!acc> -> !acc
    // CHECK-NEXT: hopper.accumulator.rescale %[[ACC]] by %[[ZERO]] :
    hopper.accumulator.rescale %acc by %zero : <!acc>, !acc
    // CHECK-NEXT: hopper.release %{{.+}} of 64 newer 0 {
    hopper.release %c0 of 64 newer 0 {
      %empty = hopper.shared_address 16416
      hopper.mbarrier.arrive %empty
    }
    // CHECK: hopper.once_per_warp {
    hopper.once_per_warp {
    }
    // CHECK: hopper.fence_proxy_async
    hopper.fence_proxy_async
    // CHECK-NEXT: hopper.fence_proxy_async cluster
    hopper.fence_proxy_async cluster
    // CHECK-NEXT: hopper.load %[[D]][%{{.+}}, %{{.+}}] within[%[[M]], %[[M]]] strides[%[[STRIDE]], %{{.+}}] align 16 : !hopper.pointer -> tensor<64x64xf32
    %l = hopper.load %D[%c0, %c0] within [%M, %M] strides [%stride, %one] align 16 : !hopper.pointer -> !acc
    // CHECK-NEXT: hopper.store %{{.+}} to %[[D]][%{{.+}}, %{{.+}}] within[%[[M]], %[[M]]] strides[%[[STRIDE]], %{{.+}}] align 16 : tensor<64x64xf32
    hopper.store %y to %D[%c0, %c0] within [%M, %M] strides [%stride, %one] align 16 : !acc, !hopper.pointer
    // CHECK-NEXT: hopper.store %{{.+}} to %[[D]][%{{.+}}, %{{.+}}] within[%[[M]], %[[M]]] strides[%[[STRIDE]], %{{.+}}] align 16 transposed : tensor<64x64xf32
    hopper.store %y to %D[%c0, %c0] within [%M, %M] strides [%stride, %one] align 16 transposed : !acc, !hopper.pointer
    // CHECK-NEXT: %[[LOADED:.+]] = hopper.shared_load %{{.+}} : <64x64xbf16
    %s = hopper.shared_load %view : !tile -> tensor<64x64xbf16>
    // CHECK-NEXT: hopper.shared_load %{{.+}} transposed : <64x64xbf16
    %turned = hopper.shared_load %view transposed : !tile -> tensor<64x64xbf16>
    // CHECK-NEXT: hopper.shared_store %[[LOADED]] to %{{.+}} : tensor<64x64xbf16>, <64x64xbf16
    hopper.shared_store %s to %view : tensor<64x64xbf16>, !tile
    // CHECK-NEXT: hopper.shared_store %[[LOADED]] to %{{.+}} transposed : tensor<64x64xbf16>, <64x64xbf16
    hopper.shared_store %s to %view transposed : tensor<64x64xbf16>, !tile
    // CHECK-NEXT: hopper.peer_address %{{.+}} of %{{.+}}
    %far = hopper.peer_address %c0 of %c0
    // CHECK-NEXT: hopper.shared_load peer %{{.+}} : <64x64xbf16
    %p = hopper.shared_load peer %view : !tile -> tensor<64x64xbf16>
    // CHECK-NEXT: hopper.shared_store %{{.+}} to peer %{{.+}} : tensor<64x64xbf16>, <64x64xbf16
    hopper.shared_store %p to peer %view : tensor<64x64xbf16>, !tile
    // CHECK-NEXT: hopper.copy_tile_out %{{.+}} to %[[D]][%{{.+}}, %{{.+}}] within[%[[M]], %[[M]]] strides[%[[STRIDE]], %{{.+}}] align 2 : <64x64xbf16
    hopper.copy_tile_out %view to %D[%c0, %c0] within [%M, %M] strides [%stride, %one] align 2 : !tile, !hopper.pointer
    // CHECK-NEXT: hopper.copy_tile_out per_warp %{{.+}} to %[[D]][%{{.+}}, %{{.+}}] within[%[[M]], %[[M]]] strides[%[[STRIDE]], %{{.+}}] align 16 reduce add : <64x64xbf16
    hopper.copy_tile_out per_warp %view to %D[%c0, %c0] within [%M, %M] strides [%stride, %one] align 16 reduce add : !tile, !hopper.pointer
    // CHECK-NEXT: hopper.slice %[[LOADED]] from [0, 16] : tensor<64x64xbf16> -> tensor<64x32xbf16>
    %part = hopper.slice %s from [0, 16] : tensor<64x64xbf16> -> tensor<64x32xbf16>
    // CHECK-NEXT: hopper.exchange.send %{{.+}} to %{{.+}} of %{{.+}} on %{{.+}} : tensor<64x64xf32
    hopper.exchange.send %y to %c0 of %M on %c0 : !acc
    // CHECK-NEXT: hopper.exchange.send %{{.+}} on %{{.+}} threads 2 : tensor<64x64xf32
    hopper.exchange.send %y to %c0 of %M on %c0 threads 2 : !acc
    // CHECK-NEXT: hopper.exchange.receive %{{.+}} : tensor<64x64xf32
    %other = hopper.exchange.receive %c0 : !acc
    %v = arith.constant dense<0.0> : tensor<64xf32>
    // CHECK: hopper.broadcast %{{.+}} along [1] : tensor<64xf32> -> tensor<64x64xf32>
    %w = hopper.broadcast %v along [1] : tensor<64xf32> -> tensor<64x64xf32>
  }
}

// CHECK: hopper.kernel @in_order threads 256 shared 0 cluster 1 programmatic_launch {
hopper.kernel @in_order threads 256 shared 0 cluster 1 programmatic_launch {
  // CHECK-NEXT: hopper.grid.release
  hopper.grid.release
  // CHECK-NEXT: hopper.grid.wait
  hopper.grid.wait
  // CHECK-NEXT: hopper.role "math" from 0 warps 4 instances 2 registers 232 {
  hopper.role "math" from 0 warps 4 instances 2 registers 232 {
    // CHECK-NEXT: hopper.special_register "instance"
    %i = hopper.special_register "instance"
    // CHECK-NEXT: hopper.special_register "warp"
    %w = hopper.special_register "warp"
    // CHECK-NEXT: hopper.named_barrier 1 per_instance threads 128
    hopper.named_barrier 1 per_instance threads 128
    // CHECK-NEXT: hopper.warp_sync
    hopper.warp_sync
  }
}

// CHECK: hopper.kernel @several_to_an_sm threads 128 shared 0 cluster 1 ctas_per_sm 16 {
hopper.kernel @several_to_an_sm threads 128 shared 0 cluster 1 ctas_per_sm 16 {
}

!values = !tile.shared<64x32xbf16, "S<2,4,3> o (64,32):(64,2)">
!held = tensor<64x32xbf16, #tile.fragment<"64x32 (4,8,4,1):(128,1,16,64) / (2,2,4,1):(64,8,512,64)">>
!places = tensor<64x4xi16, #tile.fragment<"64x4 (4,8,4,1):(64,1,16,64) / (2,1,1):(8,256,64)">>
!bytes = tensor<64x16xi8, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
!operand = tensor<64x16xi8, #tile.fragment<"64x16 (4,8,4,1):(256,1,16,64) / (4,2,1,1):(64,8,1024,64)">>
!pairs = tensor<64x32xvector<2xi4>, #tile.fragment<"64x32 (4,8,4,1):(64,1,16,64) / (1,2,8,1):(64,8,256,64)">>
!wide = tensor<64x64xf16, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK: hopper.kernel @operands threads 128
hopper.kernel @operands threads 128 shared 65536 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %a = hopper.view %at : !values
    %b = hopper.view %at : !tile
    %zero = arith.constant dense<0.0> : !acc
    %x = arith.constant dense<1.0> : !held
    %e = arith.constant dense<17476> : !places
    // CHECK: hopper.mma %{{.+}} sparse %{{.+}} : tensor<64x4xi16, #tile.fragment<{{.+}}>>, %{{.+}} transposed, %{{.+}} : !tile.shared<64x32xbf16
    %sum = hopper.mma %a sparse %e : !places, %b transposed, %zero : !values, !tile, !acc
    // CHECK: hopper.mma %{{.+}} sparse %{{.+}} : tensor<64x4xi16, #tile.fragment<{{.+}}>>, %{{.+}} transposed, %{{.+}} : tensor<64x32xbf16
    %both = hopper.mma %x sparse %e : !places, %b transposed, %sum : !held, !tile, !acc
    %named = hopper.accumulator : <!acc>
    %factor = hopper.accumulator : <!held>
    %metadata = hopper.accumulator : <!places>
    // CHECK: hopper.wgmma %{{.+}} sparse %{{.+}} : !hopper.accumulator<tensor<64x4xi16, {{.+}}>>, %{{.+}} transposed into zeroed %{{.+}} : !hopper.accumulator<tensor<64x32xbf16
    hopper.wgmma %factor sparse %metadata : !hopper.accumulator<!places>, %b transposed into zeroed %named : !hopper.accumulator<!held>, !tile, <!acc>
    %bytes = arith.constant dense<1> : !bytes
    // CHECK: hopper.warp_relay %{{.+}} : tensor<64x16xi8, {{.+}}> -> tensor<64x16xi8
    %operand = hopper.warp_relay %bytes : !bytes -> !operand
    %number = arith.constant dense<1.0> : !acc
    // CHECK: %[[PAIRS:.+]] = hopper.convert %{{.+}} : tensor<64x64xf32, {{.+}}> -> tensor<64x32xvector<2xi4>
    %pairs = hopper.convert %number : !acc -> !pairs
    // CHECK: hopper.convert %[[PAIRS]] : tensor<64x32xvector<2xi4>, {{.+}}> -> tensor<64x64xf16
    %halves = hopper.convert %pairs : !pairs -> !wide
  }
}
