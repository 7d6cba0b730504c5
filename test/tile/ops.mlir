// RUN: ashlar-opt %s | ashlar-opt | FileCheck %s

!smem = !tile.shared<64x64xbf16>

// CHECK: tile.kernel @every_operation cluster [2, 1] attributes {plan = #tile.plan<256 threads 58000 bytes tiles[0] rings[<8192 every 16384 tiles[0, 8192] barriers 57856>, <57344 every 256 tiles[0] barriers 57904>] roles[<0>, <4>] cluster_reductions[<57936 barriers 57968>, <57952 barriers 57984>]>} {
tile.kernel @every_operation cluster [2, 1] attributes {plan = #tile.plan<256 threads 58000 bytes tiles [0] rings [<8192 every 16384 tiles [0, 8192] barriers 57856>, <57344 every 256 tiles [0] barriers 57904>] roles [<0>, <4>] cluster_reductions [<57936 barriers 57968>, <57952 barriers 57984>]>} {
  // CHECK-NEXT: %[[M:.+]] = tile.size "M"
  %M = tile.size "M"
  // CHECK-NEXT: %[[C:.+]] = arith.constant 64 : index
  %c64 = arith.constant 64 : index
  // CHECK-NEXT: %[[A:.+]] = tile.tensor "A" input[%[[M]], %[[C]]] align 16 : <bf16, 2>
  %A = tile.tensor "A" input [%M, %c64] align 16 : !tile.tensor<bf16, 2>
  // CHECK-NEXT: %[[D:.+]] = tile.tensor "D" inout[%[[M]], %[[M]]] align 4 : <f32, 2>
  %D = tile.tensor "D" inout [%M, %M] align 4 : !tile.tensor<f32, 2>
  // CHECK-NEXT: %[[X:.+]] = tile.tensor "X" inout[%[[M]], %[[M]]] align 128 : <bf16, 2>
  %X = tile.tensor "X" inout [%M, %M] align 128 : !tile.tensor<bf16, 2>
  // CHECK-NEXT: %[[ALPHA:.+]] = tile.scalar "alpha" : f32
  %alpha = tile.scalar "alpha" : f32
  // CHECK-NEXT: %[[COUNT:.+]] = tile.scalar "count" : i32
  %count = tile.scalar "count" : i32
  // CHECK-NEXT: %[[TILES:.+]] = tile.schedule persistent[%[[M]], %[[M]]] by [64, 64] in <m:8, n, m> : <2>
  %tiles = tile.schedule persistent [%M, %M] by [64, 64] in <m:8, n, m> : !tile.schedule<2>
  // CHECK-NEXT: %[[RING:.+]] = tile.pipeline : <3, [!tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>]>
  %ring = tile.pipeline : !tile.pipeline<3, [!smem, !smem]>
  // CHECK-NEXT: %[[PLANNED:.+]] = tile.pipeline : <2, [!tile.shared<8x16xbf16, "S<1,4,3> o (8,16):(32,2)">]>
  %planned = tile.pipeline : !tile.pipeline<2, [!tile.shared<8x16xbf16, "S<1,4,3> o (8,16):(32,2)">]>
  // CHECK-NEXT: %[[STAGED:.+]] = tile.alloc : <64x64xbf16>
  %staged = tile.alloc : !smem
  // CHECK-NEXT: %[[BARRIER:.+]] = tile.barrier "done" : !tile.barrier
  %done = tile.barrier "done" : !tile.barrier

  // CHECK-NEXT: tile.role "load" warps 1 registers 40 {
  tile.role "load" warps 1 registers 40 {
    // CHECK-NEXT: %[[FIRST:.+]], %[[END:.+]], %[[STEP:.+]] = tile.schedule_range %[[TILES]] : <2>
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    // CHECK-NEXT: %[[AT:.+]]:2 = tile.schedule_coordinates %[[TILES]], %[[FIRST]] : <2> -> index, index
    %m, %n = tile.schedule_coordinates %tiles, %first : !tile.schedule<2> -> index, index
    // CHECK-NEXT: tile.multiple_of %[[AT]]#0, 8 : index
    %promised = tile.multiple_of %m, 8 : index
    // CHECK-NEXT: tile.at_most %[[M]], 100 : index
    %bounded = tile.at_most %M, 100 : index
    // CHECK-NEXT: %[[S:.+]] = tile.acquire %[[RING]]
    %s = tile.acquire %ring : !tile.pipeline<3, [!smem, !smem]>
    // CHECK-NEXT: %[[BUFFER:.+]] = tile.buffer %[[S]][1] : <64x64xbf16>
    %a = tile.buffer %s[1] : !smem
    // CHECK-NEXT: tile.copy %[[A]][%[[AT]]#0, %[[AT]]#1] to %[[BUFFER]] : <bf16, 2>, <64x64xbf16>
    tile.copy %A[%m, %n] to %a : !tile.tensor<bf16, 2>, !smem
    // CHECK-NEXT: tile.copy %[[A]][%[[AT]]#1, %[[AT]]#0] to %[[BUFFER]] multicast : <bf16, 2>, <64x64xbf16>
    tile.copy %A[%n, %m] to %a multicast : !tile.tensor<bf16, 2>, !smem
    // CHECK-NEXT: %{{.+}} = tile.part %[[BUFFER]] from [8, 0] : <64x64xbf16> -> <32x48xbf16>
    %part = tile.part %a from [8, 0] : !smem -> !tile.shared<32x48xbf16>
    // CHECK-NEXT: %{{.+}} = tile.part %[[BUFFER]] from [%[[AT]]#0, 0] checked : <64x64xbf16> -> <32x48xbf16>
    %chosen = tile.part %a from [%m, 0] checked : !smem -> !tile.shared<32x48xbf16>
    // CHECK-NEXT: %{{.+}} = tile.view %[[BUFFER]] number 1 : <64x64xbf16> -> <32x32xf32>
    %view = tile.view %a number 1 : !smem -> !tile.shared<32x32xf32>
    // CHECK-NEXT: tile.commit %[[RING]], %[[S]] : <3,
    tile.commit %ring, %s : !tile.pipeline<3, [!smem, !smem]>
    // CHECK-NEXT: %{{.+}}, %{{.+}} = tile.try_acquire %[[RING]]
    %ready, %t = tile.try_acquire %ring : !tile.pipeline<3, [!smem, !smem]>
    // CHECK-NEXT: tile.arrive %[[BARRIER]] : !tile.barrier
    tile.arrive %done : !tile.barrier
  }
  // CHECK: tile.role "math" warps 4 registers 232 {
  tile.role "math" warps 4 registers 232 {
    %c0 = arith.constant 0 : index
    // CHECK: %[[W:.+]] = tile.wait %[[RING]]
    %s = tile.wait %ring : !tile.pipeline<3, [!smem, !smem]>
    // CHECK: %{{.+}}, %{{.+}} = tile.try_wait %[[RING]]
    %ready, %t = tile.try_wait %ring : !tile.pipeline<3, [!smem, !smem]>
    // CHECK: %[[LEFT:.+]] = tile.buffer %[[W]][0]
    %a = tile.buffer %s[0] : !smem
    %b = tile.buffer %s[1] : !smem
    // CHECK: %[[ZERO:.+]] = tile.splat %{{.+}} : f32 -> tensor<64x64xf32>
    %f0 = arith.constant 0.0 : f32
    %zero = tile.splat %f0 : f32 -> tensor<64x64xf32>
    // CHECK: %[[ONE:.+]] = tile.mma %[[LEFT]], %{{.+}} transposed, %[[ZERO]] : !tile.shared<64x64xbf16>, <64x64xbf16>, tensor<64x64xf32>
    %acc = tile.mma %a, %b transposed, %zero : !smem, !smem, tensor<64x64xf32>
    // CHECK: tile.mma %[[LEFT]] transposed, %{{.+}}, %[[ONE]] : !tile.shared<64x64xbf16>
    %acc2 = tile.mma %a transposed, %b, %acc : !smem, !smem, tensor<64x64xf32>
    // CHECK: tile.release %[[RING]], %[[W]]
    tile.release %ring, %s : !tile.pipeline<3, [!smem, !smem]>
    // CHECK: %[[BIAS:.+]] = tile.load %{{.+}}[%{{.+}}, %{{.+}}] : <f32, 2> -> tensor<64xf32>
    %bias = tile.load %D[%c0, %c0] : !tile.tensor<f32, 2> -> tensor<64xf32>
    // CHECK: tile.broadcast %[[BIAS]] along [1] : tensor<64xf32> -> tensor<64x64xf32>
    %wide = tile.broadcast %bias along [1] : tensor<64xf32> -> tensor<64x64xf32>
    %sum = arith.addf %acc2, %wide : tensor<64x64xf32>
    // CHECK: tile.store %{{.+}} to %[[D]][%{{.+}}, %{{.+}}] : tensor<64x64xf32>, <f32, 2>
    tile.store %sum to %D[%c0, %c0] : tensor<64x64xf32>, !tile.tensor<f32, 2>
    // CHECK: tile.store %{{.+}} to %[[D]][%{{.+}}, %{{.+}}] transposed : tensor<64x64xf32>, <f32, 2>
    tile.store %sum to %D[%c0, %c0] transposed : tensor<64x64xf32>, !tile.tensor<f32, 2>
    %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xbf16>
    // CHECK: tile.write %[[HALF:.+]] to %[[STAGED]] : tensor<64x64xbf16>, <64x64xbf16>
    tile.write %half to %staged : tensor<64x64xbf16>, !smem
    // CHECK: tile.sync %[[BARRIER]] : !tile.barrier
    tile.sync %done : !tile.barrier
    // CHECK: tile.read %[[STAGED]] : <64x64xbf16> -> tensor<64x64xbf16>
    %again = tile.read %staged : !smem -> tensor<64x64xbf16>
    // CHECK: tile.read %[[STAGED]] transposed : <64x64xbf16> -> tensor<64x64xbf16>
    %turned = tile.read %staged transposed : !smem -> tensor<64x64xbf16>
    // CHECK: tile.write %[[HALF]] to %[[STAGED]] transposed : tensor<64x64xbf16>, <64x64xbf16>
    tile.write %half to %staged transposed : tensor<64x64xbf16>, !smem
    // CHECK: tile.slice %[[HALF]] from [0, 48] : tensor<64x64xbf16> -> tensor<64x16xbf16>
    %part = tile.slice %half from [0, 48] : tensor<64x64xbf16> -> tensor<64x16xbf16>
    // CHECK: tile.cluster_reduce %{{.+}} add along 0 : tensor<64x64xf32> -> tensor<64x32xf32>
    %columns = tile.cluster_reduce %sum add along 0 : tensor<64x64xf32> -> tensor<64x32xf32>
    // CHECK: tile.cluster_reduce %{{.+}} max along 1 : tensor<64x64xf32> -> tensor<64x64xf32>
    %largest = tile.cluster_reduce %sum max along 1 : tensor<64x64xf32> -> tensor<64x64xf32>
    // CHECK: tile.copy_out %[[STAGED]] to %[[X]][%{{.+}}, %{{.+}}] : <64x64xbf16>, <bf16, 2>
    tile.copy_out %staged to %X[%c0, %c0] : !smem, !tile.tensor<bf16, 2>
    // CHECK: tile.copy_out %[[STAGED]] to %[[X]][%{{.+}}, %{{.+}}] reduce add : <64x64xbf16>, <bf16, 2>
    tile.copy_out %staged to %X[%c0, %c0] reduce add : !smem, !tile.tensor<bf16, 2>
  }
}

// CHECK: tile.kernel @in_order programmatic_launch {
tile.kernel @in_order programmatic_launch {
  // CHECK: tile.role "math" warps 4 instances 2 registers 232 {
  tile.role "math" warps 4 instances 2 registers 232 {
  }
  // CHECK: tile.role "store" warps 4 instances 3 {
  tile.role "store" warps 4 instances 3 {
  }
}

// CHECK: tile.kernel @launches programmatic_launch {
tile.kernel @launches programmatic_launch {
  %M = tile.size "M"
  %B = tile.tensor "B" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    // CHECK: tile.prefetch %{{.+}}[%{{.+}}, %{{.+}}] [64, 64] : <bf16, 2>
    tile.prefetch %B[%c0, %c0] [64, 64] : !tile.tensor<bf16, 2>
    // CHECK-NEXT: tile.wait_launch
    tile.wait_launch
    // CHECK-NEXT: tile.allow_launch
    tile.allow_launch
  }
}

// CHECK: tile.kernel @one_dimension {
tile.kernel @one_dimension {
  %M = tile.size "M"
  // CHECK: tile.schedule[%{{.+}}] by [128] : <1>
  %tiles = tile.schedule [%M] by [128] : !tile.schedule<1>
}

// Loops of which only the device knows how long they are, one after another.
// CHECK: tile.kernel @loops_in_a_role {
tile.kernel @loops_in_a_role {
  %M = tile.size "M"
  tile.role "math" warps 4 {
    %f = arith.constant dense<0> : tensor<64xi32>
    %holds = arith.constant dense<true> : tensor<64xi1>
    // CHECK: %[[TILES:.+]] = tile.schedule persistent[%[[M:.+]]] by [128] : <1>
    %tiles = tile.schedule persistent [%M] by [128] : !tile.schedule<1>
    // CHECK: tile.schedule_range %[[TILES]] after %[[M]] : <1>
    %first, %end, %step = tile.schedule_range %tiles after %M : !tile.schedule<1>
    // CHECK: tile.print "{} of {}"(%{{.+}}, %[[M]]) : tensor<64xi32>, index where %{{.+}} : tensor<64xi1>
    tile.print "{} of {}" (%f, %M) : tensor<64xi32>, index where %holds : tensor<64xi1>
  }
}

// CHECK: tile.kernel @raster {
tile.kernel @raster {
  %M = tile.size "M"
  // CHECK: in <alternating m:4, n:2, m, n> : <2>
  %tiles = tile.schedule [%M, %M] by [128, 128] in <alternating m:4, n:2, m, n> : !tile.schedule<2>
}

// A fragment carries its layout as the encoding of its type.
// CHECK: tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
tile.kernel @fragment_layout {
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
  }
}

// What the passes that expand the tile level write.

!staged = !tile.shared<64x32xbf16, "S<2,4,3> o (64,32):(64,2)">
!pair = !tile.pipeline<2, [!staged]>
// CHECK: tile.kernel @expanded {
tile.kernel @expanded {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !tile.tensor<bf16, 2>
  %ring = tile.pipeline : !pair
  %tile = tile.alloc : !staged
  // CHECK: tile.mbarrier 16 count 4
  tile.mbarrier 16 count 4
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    // CHECK: %[[ROW:.+]] = tile.tile_coordinate %c0 along 0
    %row = tile.tile_coordinate %c0 along 0
    // CHECK: tile.skip %{{.+}}, %c0 :
    tile.skip %ring, %c0 : !pair
    // CHECK: tile.skip filling %{{.+}}, %c0 :
    tile.skip filling %ring, %c0 : !pair
    // CHECK: tile.acquire %{{.+}} at %c0, %c0 holds [1] :
    %s = tile.acquire %ring at %c0, %c0 holds [1] : !pair
    // CHECK: tile.wait %{{.+}} at %c0, %c0 holds [2] :
    %t = tile.wait %ring at %c0, %c0 holds [2] : !pair
    // CHECK: tile.try_acquire %{{.+}} at %c0, %c0 agree 1 :
    %ready, %u = tile.try_acquire %ring at %c0, %c0 agree 1 : !pair
    // CHECK: tile.try_wait %{{.+}} agree 2 :
    %there, %v = tile.try_wait %ring agree 2 : !pair
    // CHECK: tile.release %{{.+}}, %{{.+}} newer 1 :
    tile.release %ring, %t newer 1 : !pair
    // CHECK: tile.copy_out %{{.+}} to %{{.+}}[%[[ROW]], %c0] by_warps <"64x32
    tile.copy_out %tile to %D[%row, %c0] by_warps <"64x32 (4,8,4,1):(128,1,16,64) / (2,2,4,1):(64,8,512,64)"> : !staged, !tile.tensor<bf16, 2>
  }
}

// CHECK: tile.kernel @several_to_an_sm ctas_per_sm 4 {
tile.kernel @several_to_an_sm ctas_per_sm 4 {
}

!values = !tile.shared<64x32xbf16>
// CHECK: tile.kernel @operands {
tile.kernel @operands {
  %a = tile.alloc : !values
  %b = tile.alloc : !smem
  tile.role "math" warps 4 {
    %e = arith.constant dense<17476> : tensor<64x4xi16>
    %x = arith.constant dense<1.0> : tensor<64x32xbf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    // CHECK: %[[SUM:.+]] = tile.mma %{{.+}} sparse %[[PLACES:.+]] : tensor<64x4xi16>, %{{.+}} transposed, %{{.+}} : !tile.shared<64x32xbf16>, <64x64xbf16>, tensor<64x64xf32>
    %sum = tile.mma %a sparse %e : tensor<64x4xi16>, %b transposed, %zero : !values, !smem, tensor<64x64xf32>
    // CHECK: tile.mma %{{.+}} sparse %[[PLACES]] : tensor<64x4xi16>, %{{.+}} transposed, %[[SUM]] : tensor<64x32xbf16>, <64x64xbf16>, tensor<64x64xf32>
    %both = tile.mma %x sparse %e : tensor<64x4xi16>, %b transposed, %sum : tensor<64x32xbf16>, !smem, tensor<64x64xf32>
    // CHECK: tile.relay %{{.+}} : tensor<64x64xf32> -> tensor<64x64xf32>
    %lies = tile.relay %both : tensor<64x64xf32> -> tensor<64x64xf32>
    // CHECK: %[[PAIRS:.+]] = tile.convert %{{.+}} : tensor<64x64xf32> -> tensor<64x32xvector<2xf4E2M1FN>>
    %pairs = tile.convert %lies : tensor<64x64xf32> -> tensor<64x32xvector<2xf4E2M1FN>>
    // CHECK: tile.convert %[[PAIRS]] : tensor<64x32xvector<2xf4E2M1FN>> -> tensor<64x64xbf16>
    %wide = tile.convert %pairs : tensor<64x32xvector<2xf4E2M1FN>> -> tensor<64x64xbf16>
    %scale = arith.constant dense<1.0> : tensor<64xf32>
    // CHECK: tile.convert %{{.+}} : tensor<64xf32> -> tensor<64xf8E8M0FNU>
    %power = tile.convert %scale : tensor<64xf32> -> tensor<64xf8E8M0FNU>
  }
}
