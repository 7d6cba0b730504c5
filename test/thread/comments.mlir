// RUN: ashlar-opt %s --hopper-to-thread | FileCheck %s
// RUN: ashlar-opt %s --hopper-to-thread=comments=false | FileCheck %s --check-prefix=PLAIN

// Each statement names its operation and the author's line.

// CHECK: "// acquire, gemm.cpp:21\0A\09{
// PLAIN: mbarrier.try_wait
// PLAIN-NOT: acquire, gemm.cpp
hopper.kernel @comments threads 32 shared 64 cluster 1 {
  %c0 = arith.constant 0 : index
  hopper.role "load" from 0 warps 1 {
    %full = hopper.shared_address 0
    hopper.mbarrier.wait %full parity %c0 loc("acquire"("src/gemm.cpp":21:5))
  }
}
