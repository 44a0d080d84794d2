// RUN: tdc-opt %s --td-to-runtime | FileCheck %s

// A training step consists of kernel calls with constant offsets and scalar
// code: no allocation, no copy, no look-up.

// Parameters, moments and gradients are contiguous whatever the order of their
// declaration: w at 0, b at 2048, m at 2112, g at 4160.
td.slot @w param "w" of "model" : tensor<50x10xf32>
td.slot @g grad "grad.w" of "model" : tensor<50x10xf32>
td.slot @m moment "opt.w" of "adam" : tensor<50x10xf32>
td.slot @b param "b" of "model" : tensor<10xf32>

llvm.func @grads(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)
llvm.func @update(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, f64, !llvm.ptr, !llvm.ptr)

// CHECK-LABEL: llvm.func internal @tdc_main(
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr) -> i32
func.func @main() {
  %from = arith.constant 0 : i64
  %to = arith.constant 5 : i64
  %step = arith.constant 1 : i64
  %lr = arith.constant 0.1 : f64
  // CHECK: %[[ARENA:.*]] = llvm.load %[[CTX]]
  // CHECK-NEXT: %[[AT_STATE:.*]] = llvm.getelementptr inbounds %[[CTX]][80]
  // CHECK-NEXT: %[[STATE:.*]] = llvm.load %[[AT_STATE]]
  // A loop of main reports its number of iterations, and counts them.
  // CHECK: %[[COUNT:.*]] = llvm.intr.smax
  // CHECK-NEXT: %[[TOTAL:.*]] = llvm.getelementptr inbounds %[[CTX]][32]
  // CHECK-NEXT: llvm.store %[[COUNT]], %[[TOTAL]]
  // CHECK: llvm.br ^[[HEAD:bb[0-9]+]](
  // CHECK: ^[[HEAD]](%[[I:.*]]: i64):
  // CHECK: llvm.icmp "slt" %[[I]]
  scf.for %i = %from to %to step %step : i64 {
    %w = td.read @w : tensor<50x10xf32>
    %b = td.read @b : tensor<10xf32>
    // CHECK: %[[B:.*]] = llvm.getelementptr inbounds %[[STATE]][2048]
    // CHECK-NEXT: %[[LOSS:.*]] = llvm.getelementptr inbounds %[[ARENA]][{{[0-9]+}}]
    // CHECK-NEXT: %[[GRAD:.*]] = llvm.getelementptr inbounds %[[ARENA]][{{[0-9]+}}]
    // CHECK-NEXT: llvm.call @grads(%[[CTX]], %[[STATE]], %[[B]], %[[LOSS]], %[[GRAD]])
    %loss, %g = td.launch @grads(%w, %b) in_place []
      : (tensor<50x10xf32>, tensor<10xf32>) -> (tensor<f32>, tensor<50x10xf32>)
    %m = td.read @m : tensor<50x10xf32>
    // CHECK-NEXT: %[[M:.*]] = llvm.getelementptr inbounds %[[STATE]][2112]
    // CHECK-NEXT: llvm.call @update(%[[CTX]], %[[STATE]], %[[GRAD]], %[[M]], %{{.*}}, %[[STATE]], %[[M]])
    %w1, %m1 = td.launch @update(%w, %g, %m, %lr) in_place [0, 0, 2, 1]
      : (tensor<50x10xf32>, tensor<50x10xf32>, tensor<50x10xf32>, f64)
      -> (tensor<50x10xf32>, tensor<50x10xf32>)
    td.write %w1, @w : tensor<50x10xf32>
    td.write %m1, @m : tensor<50x10xf32>
    // CHECK-NEXT: %[[DONE:.*]] = llvm.getelementptr inbounds %[[CTX]][24]
    // CHECK-NEXT: llvm.load %[[DONE]]
    // CHECK: llvm.store %{{.*}}, %[[DONE]]
    // Interrupts are checked at the loop's back edge.
    // CHECK-NEXT: llvm.getelementptr inbounds %[[CTX]][16]
    // CHECK-NEXT: %[[WANTED:.*]] = llvm.load volatile
    // CHECK: llvm.icmp "eq" %[[WANTED]]
    // CHECK: llvm.add %[[I]]
    // CHECK-NEXT: llvm.br ^[[HEAD]](
  }
  // CHECK: llvm.call @tdrt_poll
  // CHECK: llvm.return
  return
}
