// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(hopper.kernel(hopper-insert-fences))' | FileCheck %s

// A stage written from registers and read by wgmma: one fence, before the
// arrival that tells of the writes.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @written_by_registers
hopper.kernel @written_by_registers threads 256 shared 16448 cluster 1 {
  %tile = hopper.shared_address 0
  %second = hopper.shared_address 8192
  %full = hopper.shared_address 16384
  %c0 = arith.constant 0 : index
  // CHECK: hopper.role "make"
  hopper.role "make" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !half
    %v = hopper.view %tile : !tile
    %w = hopper.view %second : !tile
    // CHECK: hopper.shared_store
    // CHECK-NEXT: hopper.shared_store
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: hopper.mbarrier.arrive
    // CHECK-NEXT: hopper.mbarrier.arrive
    // CHECK-NEXT: }
    hopper.shared_store %f to %v : !half, !tile
    hopper.shared_store %f to %w : !half, !tile
    hopper.mbarrier.arrive %full
    hopper.mbarrier.arrive %full
  }
  // CHECK: hopper.role "math"
  // CHECK-NOT: hopper.fence_proxy_async
  hopper.role "math" from 4 warps 4 {
    %x = hopper.accumulator : <!acc>
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %tile : !tile
    %w = hopper.view %second : !tile
    hopper.mbarrier.wait %full parity %c0
    hopper.wgmma %v, %w transposed into zeroed %x : !tile, !tile, <!acc>
  }
}

// -----

// Only ordinary loads read it: no fence.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @read_by_registers
// CHECK-NOT: hopper.fence_proxy_async
hopper.kernel @read_by_registers threads 256 shared 16448 cluster 1 {
  %tile = hopper.shared_address 0
  %full = hopper.shared_address 16384
  hopper.role "make" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !half
    %v = hopper.view %tile : !tile
    hopper.shared_store %f to %v : !half, !tile
    hopper.mbarrier.arrive %full
    %g = hopper.shared_load %v : !tile -> !half
  }
}

// -----

// A tile that TMA stores: the fence comes before the role's threads meet. What
// another tile holds needs none.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @stored_by_tma
hopper.kernel @stored_by_tma threads 128 shared 16448 cluster 1 {
  %map = hopper.tensor_map "D" box [64, 64] swizzle 128 : !hopper.tensor_map
  %tile = hopper.shared_address 0
  %other = hopper.shared_address 8192
  %c0 = arith.constant 0 : index
  hopper.role "store" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !half
    %v = hopper.view %tile : !tile
    %w = hopper.view %other : !tile
    // CHECK: hopper.shared_store
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: hopper.shared_store
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: hopper.once
    hopper.shared_store %f to %w : !half, !tile
    hopper.named_barrier 1 threads 128
    hopper.shared_store %f to %v : !half, !tile
    hopper.named_barrier 1 threads 128
    hopper.once {
      hopper.tma.store %tile to %map[%c0, %c0] : !hopper.tensor_map
    }
  }
}

// -----

// cp.async completes without its thread: the reader fences behind its wait, if
// it reads what has come so through the asynchronous proxy.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @cp_async
hopper.kernel @cp_async threads 512 shared 16448 cluster 1 {
  %M = hopper.size "M"
  %A = hopper.pointer "A" : !hopper.pointer
  %tile = hopper.shared_address 0
  %full = hopper.shared_address 16384
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  // CHECK: hopper.role "load"
  hopper.role "load" from 8 warps 4 {
    %v = hopper.view %tile : !tile
    // CHECK: hopper.copy_tile
    // CHECK-NEXT: hopper.mbarrier.arrive_async
    hopper.copy_tile %A[%c0, %c0] within [%M, %M] strides [%one, %one] align 4 to %v : !hopper.pointer, !tile
    hopper.mbarrier.arrive_async %full
  }
  // CHECK: hopper.role "math"
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %tile : !tile
    // CHECK: hopper.mbarrier.wait generic
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: hopper.wgmma
    hopper.mbarrier.wait generic %full parity %c0
    hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
  }
  // CHECK: hopper.role "read"
  hopper.role "read" from 4 warps 4 {
    %v = hopper.view %tile : !tile
    // CHECK: hopper.mbarrier.wait generic
    // CHECK-NEXT: hopper.shared_load
    hopper.mbarrier.wait generic %full parity %c0
    %f = hopper.shared_load %v : !tile -> !half
  }
  // What it multiplies does not come by cp.async.
  // CHECK: hopper.role "other"
  hopper.role "other" from 12 warps 4 {
    %other = hopper.shared_address 8192
    %x = hopper.accumulator : <!acc>
    %v = hopper.view %other : !tile
    // CHECK: hopper.mbarrier.wait generic
    // CHECK-NEXT: hopper.wgmma
    hopper.mbarrier.wait generic %full parity %c0
    hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
  }
}

// -----

// What cp.async fills is fenced for wgmma and TMA alone, and what is read before
// TMA overwrites it at the release, not at a wgmma.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @read_beside
hopper.kernel @read_beside threads 256 shared 32832 cluster 1 {
  %M = hopper.size "M"
  %A = hopper.pointer "A" : !hopper.pointer
  %map = hopper.tensor_map "B" box [64, 64] swizzle 128 : !hopper.tensor_map
  %tile = hopper.shared_address 0
  %beside = hopper.shared_address 8192
  %read = hopper.shared_address 16384
  %full = hopper.shared_address 32768
  %empty = hopper.shared_address 32776
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  hopper.role "load" from 4 warps 4 {
    %v = hopper.view %beside : !tile
    hopper.copy_tile %A[%c0, %c0] within [%M, %M] strides [%one, %one] align 4 to %v : !hopper.pointer, !tile
    hopper.mbarrier.arrive_async %full
    hopper.once {
      hopper.tma.load %map[%c0, %c0] to %tile on %full : !hopper.tensor_map
      hopper.tma.load %map[%c0, %c0] to %read on %full : !hopper.tensor_map
    }
  }
  // CHECK: hopper.role "math"
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %v = hopper.view %tile : !tile
    %w = hopper.view %beside : !tile
    %r = hopper.view %read : !tile
    // CHECK: hopper.mbarrier.wait generic
    // CHECK-NEXT: hopper.shared_load
    // CHECK-NEXT: hopper.shared_load
    // CHECK-NEXT: hopper.wgmma
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: hopper.release
    hopper.mbarrier.wait generic %full parity %c0
    %f = hopper.shared_load %w : !tile -> !half
    %g = hopper.shared_load %r : !tile -> !half
    hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
    hopper.release %c0 of 32768 newer 0 {
      hopper.mbarrier.arrive %empty
    }
  }
}

// -----

// Ordinary stores of a narrow copy are fenced by their thread.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @narrow_copy
hopper.kernel @narrow_copy threads 256 shared 16448 cluster 1 {
  %M = hopper.size "M"
  %A = hopper.pointer "A" : !hopper.pointer
  %tile = hopper.shared_address 0
  %full = hopper.shared_address 16384
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  hopper.role "load" from 4 warps 4 {
    %v = hopper.view %tile : !tile
    // CHECK: hopper.copy_tile
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: hopper.mbarrier.arrive
    hopper.copy_tile %A[%c0, %c0] within [%M, %M] strides [%one, %one] align 2 to %v : !hopper.pointer, !tile
    hopper.mbarrier.arrive %full
  }
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %tile : !tile
    hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
  }
}

// -----

// But of one to a stage by who has waited for it.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @narrow_copy_to_stage
hopper.kernel @narrow_copy_to_stage threads 256 shared 16448 cluster 1 {
  %M = hopper.size "M"
  %A = hopper.pointer "A" : !hopper.pointer
  %tile = hopper.shared_address 0
  %full = hopper.shared_address 16384
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  hopper.role "load" from 4 warps 4 {
    %v = hopper.view %tile of %c0 : !tile
    // CHECK: hopper.copy_tile
    // CHECK-NEXT: hopper.mbarrier.arrive
    hopper.copy_tile %A[%c0, %c0] within [%M, %M] strides [%one, %one] align 2 to %v : !hopper.pointer, !tile
    hopper.mbarrier.arrive %full
  }
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %v = hopper.view %tile of %c0 : !tile
    // CHECK: hopper.mbarrier.wait generic
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: hopper.wgmma
    hopper.mbarrier.wait generic %full parity %c0
    hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
  }
}

// -----

// What an iteration writes, the next one publishes: the fence is in the loop.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @next_iteration
hopper.kernel @next_iteration threads 128 shared 16448 cluster 1 {
  %M = hopper.size "M"
  %tile = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "all" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %zero = arith.constant dense<0.0> : !acc
    %f = arith.constant dense<1.0> : !half
    %v = hopper.view %tile : !tile
    %odd = arith.cmpi eq, %M, %c0 : index
    // Only the arm that writes has a fence.
    // CHECK: scf.for
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: hopper.wgmma
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: hopper.shared_store
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: }
    scf.for %i = %c0 to %M step %c1 {
      hopper.named_barrier 1 threads 128
      hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
      scf.if %odd {
        hopper.shared_store %f to %v : !half, !tile
      }
    }
    // CHECK: scf.for
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: hopper.wgmma
    // CHECK-NEXT: hopper.shared_store
    // CHECK-NEXT: }
    scf.for %i = %c0 to %M step %c1 {
      hopper.named_barrier 1 threads 128
      hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
      hopper.shared_store %f to %v : !half, !tile
    }
  }
}

// -----

// A branch that tells of a write and has no other arm leaves the write to be
// fenced where it is not taken.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @told_in_one_arm
hopper.kernel @told_in_one_arm threads 256 shared 16448 cluster 1 {
  %M = hopper.size "M"
  %tile = hopper.shared_address 0
  %full = hopper.shared_address 16384
  %c0 = arith.constant 0 : index
  // CHECK: hopper.role "make"
  hopper.role "make" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !half
    %v = hopper.view %tile : !tile
    %some = arith.cmpi eq, %M, %c0 : index
    // CHECK: hopper.shared_store
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: hopper.mbarrier.arrive
    // CHECK-NEXT: }
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: hopper.mbarrier.arrive
    hopper.shared_store %f to %v : !half, !tile
    scf.if %some {
      hopper.mbarrier.arrive %full
    }
    hopper.mbarrier.arrive %full
  }
  hopper.role "math" from 4 warps 4 {
    %x = hopper.accumulator : <!acc>
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %tile : !tile
    hopper.mbarrier.wait %full parity %c0
    hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
  }
}

// -----

// What is read is fenced where TMA overwrites it, before the release and not
// where the role meets or tells others something else, and not where nothing but
// ordinary stores do.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @read_before_tma_overwrites
hopper.kernel @read_before_tma_overwrites threads 160 shared 16448 cluster 1 {
  %map = hopper.tensor_map "A" box [64, 64] swizzle 128 : !hopper.tensor_map
  %filled = hopper.shared_address 0
  %other = hopper.shared_address 8192
  %full = hopper.shared_address 16384
  %empty = hopper.shared_address 16392
  %told = hopper.shared_address 16400
  %c0 = arith.constant 0 : index
  hopper.role "load" from 4 warps 1 {
    hopper.once {
      hopper.tma.load %map[%c0, %c0] to %filled on %full : !hopper.tensor_map
    }
  }
  // CHECK: hopper.role "read"
  hopper.role "read" from 0 warps 4 {
    %v = hopper.view %filled : !tile
    %w = hopper.view %other : !tile
    // CHECK: hopper.shared_load
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: hopper.once_per_warp
    // CHECK-NEXT: hopper.mbarrier.arrive
    // CHECK-NEXT: }
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: hopper.release
    // CHECK-NEXT: hopper.mbarrier.arrive
    // CHECK-NEXT: }
    %f = hopper.shared_load %v : !tile -> !half
    hopper.named_barrier 1 threads 128
    hopper.once_per_warp {
      hopper.mbarrier.arrive %told
    }
    hopper.release %c0 of 16384 newer 0 {
      hopper.mbarrier.arrive %empty
    }
    // CHECK-NEXT: hopper.shared_load
    // CHECK-NEXT: hopper.release
    %g = hopper.shared_load %w : !tile -> !half
    hopper.release %c0 of 16384 newer 0 {
      hopper.mbarrier.arrive %empty
    }
  }
}

// -----

// TMA under a condition: the fence stands before it, where every thread passes,
// and neither the other arm nor the releases of the next iteration need one.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @stored_under_a_condition
hopper.kernel @stored_under_a_condition threads 128 shared 16448 cluster 1 {
  %map = hopper.tensor_map "D" box [64, 64] swizzle 128 : !hopper.tensor_map
  %M = hopper.size "M"
  %D = hopper.pointer "D" : !hopper.pointer
  %one = arith.constant 1 : i64
  %tile = hopper.shared_address 0
  %empty = hopper.shared_address 16384
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "store" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !half
    %v = hopper.view %tile : !tile
    // CHECK: scf.for
    // CHECK: scf.for
    // CHECK-NEXT: hopper.once_per_warp
    // CHECK-NEXT: hopper.mbarrier.arrive
    // CHECK: hopper.shared_store
    // CHECK-NEXT: arith.cmpi
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: scf.if
    // CHECK-NOT: hopper.fence_proxy_async
    scf.for %i = %c0 to %M step %c1 {
      scf.for %k = %c0 to %M step %c1 {
        hopper.once_per_warp {
          hopper.mbarrier.arrive %empty
        }
      }
      hopper.shared_store %f to %v : !half, !tile
      %whole = arith.cmpi eq, %M, %i : index
      scf.if %whole {
        hopper.once_per_warp {
          hopper.tma.store %tile to %map[%c0, %c0] : !hopper.tensor_map
        }
      } else {
        hopper.warp_sync
        hopper.copy_tile_out per_warp %v to %D[%c0, %c0] within [%M, %M] strides [%one, %one] align 16 : !tile, !hopper.pointer
      }
      hopper.once_per_warp {
        hopper.bulk.commit
      }
    }
  }
}

// -----

// A stage that TMA fills in other rounds: what the consumer wrote into it when
// it reused it comes before what TMA writes.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @written_by_tma_later
hopper.kernel @written_by_tma_later threads 160 shared 8208 cluster 1 {
  %map = hopper.tensor_map "A" box [64, 64] swizzle 128 : !hopper.tensor_map
  %tile = hopper.shared_address 0
  %full = hopper.shared_address 8192
  %empty = hopper.shared_address 8200
  %c0 = arith.constant 0 : index
  hopper.role "load" from 4 warps 1 {
    hopper.once {
      hopper.tma.load %map[%c0, %c0] to %tile on %full : !hopper.tensor_map
    }
  }
  hopper.role "use" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !half
    %v = hopper.view %tile : !tile
    // CHECK: hopper.shared_store
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: hopper.mbarrier.arrive
    hopper.shared_store %f to %v : !half, !tile
    hopper.mbarrier.arrive %empty
  }
}

// -----

// What is written to a peer, and read there by TMA, is fenced for the cluster.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @written_to_a_peer
hopper.kernel @written_to_a_peer threads 128 shared 8200 cluster 2 {
  %map = hopper.tensor_map "D" box [64, 64] swizzle 128 : !hopper.tensor_map
  %tile = hopper.shared_address 0
  %met = hopper.shared_address 8192
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "all" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !half
    %far = hopper.peer_address %tile of %c1
    %v = hopper.view %far : !tile
    // CHECK: hopper.shared_store
    // CHECK-NEXT: hopper.fence_proxy_async cluster
    // CHECK-NEXT: hopper.once_per_warp
    hopper.shared_store %f to peer %v : !half, !tile
    hopper.once_per_warp {
      hopper.mbarrier.arrive cluster %met of %c1
    }
    hopper.mbarrier.wait cluster %met parity %c0
    // CHECK: hopper.mbarrier.wait cluster
    // CHECK-NOT: hopper.fence_proxy_async
    hopper.once {
      hopper.tma.store %tile to %map[%c0, %c0] : !hopper.tensor_map
    }
  }
}

// -----

// A copy to a peer reads what is written before, and writes at the peer what is
// read before: also what a third CTA reads there.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @copied_to_a_peer
hopper.kernel @copied_to_a_peer threads 128 shared 16400 cluster 2 {
  %out = hopper.shared_address 0
  %in = hopper.shared_address 8192
  %met = hopper.shared_address 16384
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "all" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !half
    %far = hopper.peer_address %in of %c1
    %there = hopper.peer_address %met of %c1
    %v = hopper.view %out : !tile
    %w = hopper.view %far : !tile
    // CHECK: hopper.shared_store
    // CHECK-NEXT: hopper.fence_proxy_async cluster
    // CHECK-NEXT: hopper.once
    hopper.shared_store %f to %v : !half, !tile
    hopper.once {
      hopper.mbarrier.expect_bytes peer %there, 8192
      hopper.copy_to_peer %out, 8192 to %far on %there
    }
    // CHECK: hopper.shared_load
    // CHECK-NEXT: hopper.fence_proxy_async cluster
    // CHECK-NEXT: hopper.once_per_warp
    %g = hopper.shared_load peer %w : !tile -> !half
    hopper.once_per_warp {
      hopper.mbarrier.arrive cluster %met of %c1
    }
  }
}

// -----

// The warps of a role meet in a take: what they have written is fenced before.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
!row = tensor<128xf32, #tile.fragment<"128 128:1 / (1,1):(1,128)">>
// CHECK-LABEL: hopper.kernel @met_in_a_take
hopper.kernel @met_in_a_take threads 128 shared 8192 cluster 1 {
  %tile = hopper.shared_address 0
  %box = hopper.pointer "Box" : !hopper.pointer
  %one = arith.constant 1 : i64
  %c128 = arith.constant 128 : index
  hopper.role "math" from 0 warps 4 {
    %c0 = arith.constant 0 : index
    %f = arith.constant dense<1.0> : !half
    %x = hopper.accumulator : <!acc>
    %v = hopper.view %tile : !tile
    // CHECK: hopper.shared_store
    // CHECK-NEXT: hopper.fence_proxy_async
    // CHECK-NEXT: hopper.take
    // CHECK-NOT: hopper.fence_proxy_async
    hopper.shared_store %f to %v : !half, !tile
    %t = hopper.take %box[%c0] within [%c128] strides [%one] ranks [1] align [4] barrier 1 : !hopper.pointer -> !row
    hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
  }
}
