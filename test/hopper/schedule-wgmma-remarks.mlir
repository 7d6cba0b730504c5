// RUN: ashlar-opt %s --pass-pipeline='builtin.module(hopper.kernel(hopper-schedule-wgmma))' --verify-diagnostics

// The author is told where each iteration waits for all of wgmma, and why; not
// of what is behind the loop, or of waits that leave some in flight.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
hopper.kernel @waits threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    scf.for %k = %c0 to %K step %c1 {
      %full = hopper.shared_address 64
      hopper.mbarrier.wait %full parity %c0
      %v = hopper.view %at of %k : !tile
      hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
      // expected-remark@+1 {{each iteration waits here for all of wgmma: a stage that it reads is released, and that its pipeline has one to spare while the role waits for the next is not known; with one more stage, or where all roles take their stages in one order, or where this one takes the next before, it would go on}}
      hopper.release %k of 64 newer 0 {
        hopper.mbarrier.arrive %k
      }
    }
    scf.for %k = %c0 to %K step %c1 {
      %v = hopper.view %at : !tile
      hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
    }
    scf.for %k = %c0 to %K step %c1 {
      %v = hopper.view %at : !tile
      hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
      // expected-remark@+1 {{each iteration waits here for all of wgmma: a result of it is read}}
      %r = hopper.accumulator.read %x : <!acc> -> !acc
    }
    scf.for %m = %c0 to %K step %c1 {
      %v = hopper.view %at : !tile
      hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
      // expected-remark@+1 {{all of wgmma is waited for here, outside of the loop inside: a result of it is read}}
      %r = hopper.accumulator.read %x : <!acc> -> !acc
      scf.for %k = %c0 to %K step %c1 {
        hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
      }
    }
  }
}
