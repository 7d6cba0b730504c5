// RUN: ashlar-opt %s --thread-to-llvm | FileCheck %s

// Loops and branches are jumps, arithmetic is LLVM's, an index has 32 bits.

// CHECK-LABEL: llvm.func @sum(%{{.+}}: i32, %{{.+}}: i32) -> i32
// CHECK-NOT: {{(arith|cf|scf|builtin)\.}}
// CHECK: llvm.br ^[[HEAD:bb[0-9]+]](
// CHECK: ^[[HEAD]](%[[I:.+]]: i32, %{{.+}}: i32):
// CHECK: %[[MORE:.+]] = llvm.icmp "slt" %[[I]],
// CHECK: llvm.cond_br %[[MORE]],
// A division by what may be zero stays where it is.
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "div.s32 $0, $1, $2;", "=r,r,r" %[[ROUNDED:.+]], %{{.+}} :
// CHECK: llvm.add %[[I]],
// CHECK: llvm.br ^[[HEAD]](
// CHECK: llvm.return
llvm.func @sum(%count: i32, %divisor: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%partial = %c0) -> i32 : i32 {
    %part = arith.ceildivsi %i, %divisor : i32
    %number = arith.index_cast %part : i32 to index
    %whole = arith.index_cast %number : index to i32
    %more = arith.addi %partial, %whole : i32
    scf.yield %more : i32
  }
  llvm.return %sum : i32
}
