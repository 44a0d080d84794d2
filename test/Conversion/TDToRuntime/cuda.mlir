// RUN: tdc-opt %s --td-to-runtime | FileCheck %s

// Queries of the GPUs.

// CHECK-LABEL: llvm.func internal @tdc_main
func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  // The name is allocated by the runtime: it is released in every iteration.
  // CHECK: %[[MARK:.*]] = llvm.call @tdrt_str_mark
  scf.for %i = %c0 to %c3 step %c1 : i64 {
    // CHECK: llvm.call @tdrt_cuda_device_name(%[[CTX:.*]], %[[I:.*]], %{{.*}}, %[[NAME:.*]]) :
    // CHECK: llvm.load %[[NAME]] {{.*}} -> !llvm.ptr
    %name = td.cuda_device_name %i
    // CHECK: llvm.call @tdrt_cuda_total_memory(%[[CTX]], %[[I]], %{{.*}}, %[[BYTES:.*]]) :
    // CHECK: llvm.load %[[BYTES]] {{.*}} -> i64
    %bytes = td.cuda_total_memory %i
    %s = td.format "{}: {}\n" (%name, %bytes) : !td.str, i64
    td.print %s
    // CHECK: llvm.call @tdrt_str_release(%[[CTX]], %[[MARK]])
  }
  // CHECK: llvm.call @tdrt_cuda_synchronize(%[[CTX]],
  td.cuda_synchronize
  return
}
