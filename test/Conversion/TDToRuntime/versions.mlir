// RUN: tdc-opt %s --split-input-file --td-to-runtime | FileCheck %s

// One of several versions: for two GPUs, of which it uses the second. The next
// version is in another object file.
module attributes {
  td.gpus = 2 : i64, td.otherwise = "tdc_program_0",
  td.sim_library = "/lib/sim.so"} {

// CHECK: llvm.mlir.global external constant @tdc_program()
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: llvm.mlir.addressof @tdc_gpu_program
// CHECK: llvm.mlir.addressof @tdc_program_0
// CHECK: llvm.mlir.global external constant @tdc_program_0() {{.*}}: i8
// CHECK: llvm.mlir.global internal constant @tdc_gpu_program()
// CHECK: llvm.mlir.addressof @tdrt_cuda_backend
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: llvm.mlir.addressof @[[BYTES:tdc_data_.*]] :
// CHECK: llvm.mlir.addressof @[[LIBRARY:tdc_data_.*]] :
// CHECK-DAG: @[[LIBRARY]]("/lib/sim.so\00")
// -1 and 64: the arenas.
// CHECK-DAG: @[[BYTES]]("\FF\FF\FF\FF\FF\FF\FF\FF@\00\00\00\00\00\00\00")

td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 1>>
func.func @main() {
  return
}
}

// -----

// The last version has another name, and requires no device.
module attributes {td.gpus = 0 : i64, td.symbol = "tdc_program_0"} {

// CHECK: llvm.mlir.global external constant @tdc_program_0()
// CHECK-NOT: tdrt_cuda_backend
// CHECK-NOT: tdc_gpu_program
func.func @main() {
  return
}
}
