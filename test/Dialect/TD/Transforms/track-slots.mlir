// RUN: tdc-opt %s --td-track-slots --split-input-file | FileCheck %s

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A slot that moves becomes a slot of handles, which the move changes; one that
// never moves stays as it is.
// CHECK-LABEL: td.as_written
module attributes {td.as_written} {
  // CHECK: td.slot @w {{.*}} : !td.handle<tensor<4xf32>>
  td.slot @w param "w" of "m" : tensor<4xf32>
  // CHECK: td.slot @stays {{.*}} : tensor<4xf32, #td.dev<cuda, 0>>
  td.slot @stays param "stays" of "m" : tensor<4xf32, #gpu>
  func.func @main() {
    %f = arith.constant 1.5 : f64
    %a = td.fill %f : f64 -> tensor<4xf32, #cpu>
    // CHECK: %[[A:.*]] = td.handle %{{.*}} : tensor<4xf32, #td.dev<cpu>>
    // CHECK: td.write_handle %[[A]], @w
    td.write %a, @w : tensor<4xf32, #cpu>
    // CHECK: td.move @w to <cuda, 0>
    td.move @w to <cuda, 0>
    // CHECK-NOT: td.move @stays
    td.move @stays to <cuda, 0>
    // CHECK: %[[H:.*]] = td.read_handle @w
    // CHECK: %[[W:.*]] = td.replica_get %[[H]] : {{.*}} -> tensor<4xf32, #td.dev<cuda, 0>>
    %w = td.read @w : tensor<4xf32, #gpu>
    // CHECK: td.write %[[W]], @stays
    td.write %w, @stays : tensor<4xf32, #gpu>
    return
  }
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// Files are read into and written from slots on the cpu. A restored value is
// copied to the slot's device; a lenient restore may leave it unchanged.
// CHECK-LABEL: td.as_written
module attributes {td.as_written} {
  // CHECK: td.slot @w {{.*}} : !td.handle<tensor<4xf32>>
  // CHECK: td.slot @"w@cpu" param "w" of "m" : tensor<4xf32, #td.dev<cpu>>
  td.slot @w param "w" of "m" : tensor<4xf32>
  // CHECK: td.slot @"v@cpu" param "v" of "m" : tensor<4xf32, #td.dev<cpu>>
  td.slot @v param "v" of "m" : tensor<4xf32, #gpu>
  td.slot @u param "u" of "m" : tensor<4xf32, #cpu>
  func.func @main() {
    %path = td.format "m.safetensors"
    %f = arith.constant 1.5 : f64
    // CHECK: td.write_handle
    %a = td.fill %f : f64 -> tensor<4xf32, #cpu>
    td.write %a, @w : tensor<4xf32, #cpu>
    td.move @w to <cuda, 0>
    // CHECK: %[[W:.*]] = td.replica_get {{.*}} -> tensor<4xf32, #td.dev<cuda, 0>>
    // CHECK: %[[WC:.*]] = td.to_device %[[W]] {implied}
    // CHECK: td.write %[[WC]], @"w@cpu"
    // CHECK: %[[V:.*]] = td.read @v
    // CHECK: %[[VC:.*]] = td.to_device %[[V]] {implied}
    // CHECK: td.write %[[VC]], @"v@cpu"
    // CHECK: td.save %{{.*}} [@"w@cpu", @"v@cpu", @u]
    td.save %path [@w, @v, @u] as ["w", "v", "u"] []
    // CHECK: td.restore %{{.*}} [@"w@cpu"]
    // CHECK: %[[R:.*]] = td.read @"w@cpu"
    // CHECK: %[[RG:.*]] = td.to_device %[[R]] {implied} : {{.*}} to tensor<4xf32, #td.dev<cuda, 0>>
    // CHECK: %[[H:.*]] = td.handle %[[RG]]
    // CHECK: td.write_handle %[[H]], @w
    td.restore %path [@w] as ["w"]
    // CHECK: td.write %{{.*}}, @"v@cpu"
    // CHECK: td.restore %{{.*}} [@"v@cpu"]
    // CHECK: td.write %{{.*}}, @v
    td.restore %path [@v] as ["v"] lenient
    return
  }
}

// -----

// Without td.as_written, transfers are placed already: nothing to do.
// CHECK-LABEL: module {
module {
  // CHECK: td.slot @w {{.*}} : tensor<4xf32>
  td.slot @w param "w" of "m" : tensor<4xf32>
}
