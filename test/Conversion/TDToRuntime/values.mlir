// RUN: tdc-opt %s --td-to-runtime | FileCheck %s
// RUN: tdc-opt %s --td-print-memory-plan 2>&1 | FileCheck %s --check-prefix=PLAN

// Values of @main that exported functions use. A slot of a run-time size is a
// pointer and that size, on the cpu, without a row in the table of slots; a
// value written to it is not freed.
td.slot @rows value "rows" of "rows" : tensor<?x3xf32>
td.slot @mean value "mean" of "mean" : tensor<3xf32>
llvm.func @make(!llvm.ptr, !llvm.ptr, i64)
llvm.func @unary(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64)
llvm.func @reduce(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64)

// CHECK: @tdc_slots() {{.*}} !llvm.array<1 x

// CHECK: llvm.func internal @tdc_main(%[[CTX:.*]]: !llvm.ptr)
func.func @main() {
  %n = arith.constant 5 : i64
  // CHECK: llvm.call @tdrt_alloc_tensor
  // CHECK: %[[ROWS:.*]] = llvm.load
  // CHECK: llvm.call @make(%[[CTX]], %[[ROWS]], %[[N:[^)]*]])
  // PLAN: result 0: heap
  %rows = td.launch @make() sizes(%n) in_place [] : () -> tensor<?x3xf32>
  // CHECK: llvm.call @reduce(%[[CTX]], %[[ROWS]],
  // PLAN: result 0: slot 64 + 12
  %mean = td.launch @reduce(%rows) in_place [] : (tensor<?x3xf32>) -> tensor<3xf32>
  // PLAN: operand 0: handed over
  // CHECK-NOT: memcpy
  // CHECK: llvm.store %[[ROWS]], %[[SLOT:.*]] :
  // CHECK: %[[SIZE:.*]] = llvm.getelementptr inbounds %[[SLOT]][8]
  // CHECK: llvm.store %[[N]], %[[SIZE]]
  // CHECK-NOT: tdrt_free
  td.write %rows, @rows : tensor<?x3xf32>
  td.write %mean, @mean : tensor<3xf32>
  // CHECK: llvm.return
  return
}

// CHECK: llvm.func internal @tdc_export_f(
func.func @f(%x: tensor<3xf32>) -> tensor<?x3xf32> attributes {td.export} {
  // CHECK: %[[BASE:.*]] = llvm.getelementptr inbounds %{{.*}}[80]
  // CHECK: %[[STATE:.*]] = llvm.load %[[BASE]]
  // CHECK: %[[READ:.*]] = llvm.load %[[STATE]]
  // CHECK: %[[AT:.*]] = llvm.getelementptr inbounds %[[STATE]][8]
  // CHECK: %[[M:.*]] = llvm.load %[[AT]]
  // PLAN: result 0: input
  %rows = td.read @rows : tensor<?x3xf32>
  %m = td.dim %rows, 0 : tensor<?x3xf32>
  // CHECK: llvm.call @unary(%{{.*}}, %[[READ]], %{{.*}}, %[[M]], %[[M]])
  // CHECK-NOT: tdrt_free
  // CHECK: llvm.return
  %r = td.launch @unary(%rows) sizes(%m) in_place [0, 0] : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// CHECK: llvm.func internal @tdc_export_g(
func.func @g() -> tensor<?x3xf32> attributes {td.export} {
  // The program keeps its value: the caller gets a copy.
  // CHECK: llvm.call @tdrt_alloc_tensor
  // CHECK: "llvm.intr.memcpy"
  %rows = td.read @rows : tensor<?x3xf32>
  return %rows : tensor<?x3xf32>
}
