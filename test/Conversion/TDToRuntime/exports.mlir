// RUN: tdc-opt %s --td-to-runtime --split-input-file | FileCheck %s

// Inputs are described by descriptors; the program owns the outputs.
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64)

func.func @main() {
  return
}

// CHECK: @tdc_exports() {{.*}} !llvm.array<1 x struct<(ptr, i32, i32, ptr, ptr, ptr, i32, i32, ptr)>>
// CHECK: llvm.mlir.addressof @[[NAME:tdc_data_.*]] :
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: llvm.mlir.constant(3 : i32)
// CHECK: llvm.mlir.addressof @tdc_ports
// CHECK: llvm.mlir.addressof @tdc_ports_1
// CHECK: llvm.mlir.addressof @tdc_export_f
// It changes no state.
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: @tdc_ports_1() {{.*}} !llvm.array<3 x struct<(ptr, i32, i32, ptr)>>
// CHECK: llvm.mlir.addressof @[[P:tdc_data_.*]] :
// CHECK: llvm.mlir.addressof @[[PSIZES:tdc_data_.*]] :
// CHECK: llvm.mlir.addressof @[[OUT:tdc_data_.*]] :
// CHECK-DAG: @[[OUT]]("out1\00")
// CHECK-DAG: @[[P]]("p\00")
// CHECK: @tdc_ports() {{.*}} !llvm.array<2 x struct<(ptr, i32, i32, ptr)>>
// CHECK: llvm.mlir.addressof @[[X:tdc_data_.*]] :
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: llvm.mlir.addressof @[[PSIZES]] :
// CHECK-DAG: @[[PSIZES]]("\FF\FF\FF\FF\FF\FF\FF\FF\02\00\00\00\00\00\00\00")
// CHECK-DAG: @[[X]]("x\00")

// CHECK: llvm.func internal @tdc_export_f(%[[CTX:[^:]*]]: !llvm.ptr, %[[IN:[^:]*]]: !llvm.ptr, %[[OUTS:[^:]*]]: !llvm.ptr) -> i32
// CHECK: %[[ARENA:.*]] = llvm.load %[[CTX]]
// CHECK: %[[XDATA:.*]] = llvm.load %[[IN]]
// CHECK: %[[XDIMS:.*]] = llvm.getelementptr inbounds %[[IN]][16]
// CHECK: %[[DIMS:.*]] = llvm.load %[[XDIMS]]
// CHECK: %[[N:.*]] = llvm.load %[[DIMS]] : !llvm.ptr -> i64
// CHECK: %[[Y:.*]] = llvm.getelementptr inbounds %[[IN]][24]
// CHECK: %[[YDATA:.*]] = llvm.load %[[Y]]
func.func @f(%x: tensor<?x2xf32> {td.name = "x"}, %y: tensor<4xf32> {td.name = "y"})
    -> (tensor<?x2xf32> {td.name = "p"}, tensor<?x2xf32>, tensor<4xf32>) attributes {td.export} {
  %n = td.dim %x, 0 : tensor<?x2xf32>
  // CHECK: llvm.call @tdrt_alloc_tensor
  // CHECK: %[[R:.*]] = llvm.load
  // CHECK: llvm.call @unary(%[[CTX]], %[[XDATA]], %[[R]], %[[N]], %[[N]])
  %r = td.launch @unary(%x) sizes(%n) in_place [0, 0] : (tensor<?x2xf32>) -> tensor<?x2xf32>
  // The first result is the launch's buffer, its sizes are in the arena.
  // CHECK: llvm.load volatile
  // CHECK-NOT: memcpy
  // CHECK: llvm.store %[[N]], %[[ROOM:.*]] : i64
  // CHECK: llvm.store %[[R]], %[[OUTS]]
  // CHECK: llvm.store %[[ROOM]]
  // The other two are inputs, so they are copied.
  // CHECK: llvm.call @tdrt_alloc_tensor
  // CHECK: "llvm.intr.memcpy"(%{{.*}}, %[[XDATA]],
  // CHECK: "llvm.intr.memcpy"(%[[OWN:[^,]*]], %[[YDATA]],
  // CHECK: llvm.store %[[OWN]]
  // CHECK-NOT: tdrt_free
  return %r, %x, %y : tensor<?x2xf32>, tensor<?x2xf32>, tensor<4xf32>
}

// -----

// A function that writes slots or draws random numbers changes the state.
// CHECK: @tdc_exports() {{.*}} !llvm.array<2 x
// CHECK: llvm.mlir.addressof @tdc_export_keep
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.addressof @tdc_export_draw
// CHECK: llvm.mlir.constant(1 : i32)
td.slot @w buffer "w" of "m" : tensor<4xf32>
func.func @main() {
  return
}
func.func @keep(%x: tensor<4xf32>) attributes {td.export} {
  td.write %x, @w : tensor<4xf32>
  return
}
func.func @draw() -> tensor<4xf32> attributes {td.export} {
  %seed, %call = td.next_random
  %n = td.random normal %seed, %call : tensor<4xf32>
  return %n : tensor<4xf32>
}
