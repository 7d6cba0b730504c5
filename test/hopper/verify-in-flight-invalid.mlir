// RUN: ashlar-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(hopper.kernel(hopper-verify-in-flight))'

// An accumulator is read in flight.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
hopper.kernel @read threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %v = hopper.view %at : !tile
    // expected-note@+1 {{issued here}}
    hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
    hopper.wgmma.commit
    // expected-error@+1 {{'hopper.accumulator.read' stands where wgmma in flight still writes its accumulator: a hopper.wgmma.wait before it is missing, or leaves too many groups}}
    %r = hopper.accumulator.read %x : <!acc> -> !acc
    hopper.wgmma.wait 0
  }
}

// -----

// A wait that leaves one group covers the one before, and no wait what has no
// group.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
hopper.kernel @left threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %y = hopper.accumulator : <!acc>
    %v = hopper.view %at : !tile
    hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
    hopper.wgmma.commit
    // expected-note@+1 {{issued here}}
    hopper.wgmma %v, %v transposed into zeroed %y : !tile, !tile, <!acc>
    hopper.wgmma.commit
    hopper.wgmma.wait 1
    %r = hopper.accumulator.read %x : <!acc> -> !acc
    // expected-error@+1 {{'hopper.accumulator.write' stands where wgmma in flight still writes}}
    hopper.accumulator.write %r to %y : !acc, <!acc>
    // expected-note@+1 {{issued here}}
    hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
    hopper.wgmma.wait 0
    // expected-error@+1 {{'hopper.accumulator.read' stands where wgmma in flight still writes}}
    %s = hopper.accumulator.read %x : <!acc> -> !acc
    hopper.wgmma.commit
    hopper.wgmma.wait 0
  }
}

// -----

// A stage is released under its reader, of the iteration before.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
hopper.kernel @released threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %last = scf.for %k = %c0 to %K step %c1 iter_args(%before = %c0) -> index {
      %v = hopper.view %k of %k : !tile
      // expected-error@+1 {{'hopper.release' stands where wgmma in flight still reads this memory}}
      hopper.release %before of 64 newer 0 {
        hopper.mbarrier.arrive %before
      }
      // expected-note@+1 {{issued here}}
      hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
      hopper.wgmma.commit
      scf.yield %k : index
    }
    // expected-error@+1 {{'hopper.release' stands where wgmma in flight still reads this memory}}
    hopper.release %last of 64 newer 0 {
      hopper.mbarrier.arrive %last
    }
    hopper.wgmma.wait 0
  }
}

// -----

// A tile is overwritten under its reader, or handed to others over a barrier,
// and a role ends.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
hopper.kernel @rewritten threads 128 shared 65536 cluster 1 {
  %at = hopper.shared_address 0
  // expected-error@+2 {{'hopper.role' ends while wgmma in flight still writes its accumulator}}
  // expected-error@+1 {{'hopper.role' ends while wgmma in flight still reads this memory}}
  hopper.role "math" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !half
    %x = hopper.accumulator : <!acc>
    %v = hopper.view %at : !tile
    // expected-note@+1 {{issued here}}
    hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
    hopper.wgmma.commit
    // expected-error@+1 {{'hopper.shared_store' stands where wgmma in flight still reads this memory}}
    hopper.shared_store %f to %v : !half, !tile
    // expected-error@+1 {{'hopper.named_barrier' stands where wgmma in flight still reads this memory}}
    hopper.named_barrier 1 threads 128
  }
}
