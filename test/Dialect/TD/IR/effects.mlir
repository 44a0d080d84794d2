// What generic passes may do, and may not do, given the effects of state ops.
// RUN: tdc-opt %s --cse | FileCheck %s

td.slot @w param "w" of "m" : tensor<4xf32>
td.slot @v param "v" of "m" : tensor<4xf32>

// CHECK-LABEL: func @reads
// CHECK: %[[A:.*]] = td.read @w
// CHECK-NEXT: td.write %{{.*}}, @w
// CHECK-NEXT: %[[B:.*]] = td.read @w
// CHECK-NEXT: return %[[A]], %[[A]], %[[B]]
func.func @reads(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = td.read @w : tensor<4xf32>
  %b = td.read @w : tensor<4xf32>
  td.write %x, @w : tensor<4xf32>
  %c = td.read @w : tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A restore writes slots, a backward pass the gradients.
// CHECK-LABEL: func @other_writers
// CHECK: td.read @w
// CHECK: td.restore
// CHECK: td.read @w
// CHECK: td.backward
// CHECK: td.read @w
func.func @other_writers(%path: !td.str, %l: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = td.read @w : tensor<4xf32>
  td.restore %path [@w] as ["w"]
  %b = td.read @w : tensor<4xf32>
  td.backward %l [@v] into [@w] : tensor<f32>
  %c = td.read @w : tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Calls of the random stream are counted: two calls are not merged, and none is
// removed. The same call always draws the same numbers.
// CHECK-LABEL: func @random
// CHECK: %[[SEED:.*]], %[[CALL:.*]] = td.next_random
// CHECK-NEXT: td.next_random
// CHECK-NEXT: %[[R:.*]] = td.random normal %[[SEED]], %[[CALL]]
// CHECK-NEXT: return %[[R]], %[[R]]
func.func @random() -> (tensor<4xf32>, tensor<4xf32>) {
  %seed, %call = td.next_random
  %seed2, %call2 = td.next_random
  %a = td.random normal %seed, %call : tensor<4xf32>
  %b = td.random normal %seed, %call : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @dead
// CHECK-NEXT: td.print
// CHECK-NEXT: return
func.func @dead(%path: !td.str, %x: tensor<f32>) {
  %a = td.read @w : tensor<4xf32>
  %b = td.item %x : tensor<f32> -> f64
  td.print %path
  return
}
