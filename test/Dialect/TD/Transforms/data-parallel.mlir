// RUN: tdc-opt --td-data-parallel --split-input-file %s | FileCheck %s

// A batch that only rows are taken from does not go through the first GPU.
// CHECK-LABEL: func @rows
// CHECK-DAG: %[[ZERO:.*]] = td.slice %arg0[%c0_i64] {{.*}} : tensor<4x2xf32, #td.dev<cpu>> to tensor<2x2xf32, #td.dev<cpu>>
// CHECK-DAG: td.to_device %[[ZERO]] {{.*}}role = #td<role rows>{{.*}} to tensor<2x2xf32, #td.dev<cuda, 0>>
// CHECK-DAG: %[[ONE:.*]] = td.slice %arg0[%c2_i64] {{.*}} : tensor<4x2xf32, #td.dev<cpu>> to tensor<2x2xf32, #td.dev<cpu>>
// CHECK-DAG: td.to_device %[[ONE]]
func.func @rows(%x: tensor<4x2xf32, #td.dev<cpu>>) -> (tensor<2x2xf32, #td.dev<cuda, 0>>, tensor<2x2xf32, #td.dev<cuda, 1>>) {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %moved = td.to_device %x : tensor<4x2xf32, #td.dev<cpu>> to tensor<4x2xf32, #td.dev<cuda, 0>>
  %a = td.slice %moved[%c0] dim 0 step 1 : tensor<4x2xf32, #td.dev<cuda, 0>> to tensor<2x2xf32, #td.dev<cuda, 0>>
  %b = td.slice %moved[%c2] dim 0 step 1 : tensor<4x2xf32, #td.dev<cuda, 0>> to tensor<2x2xf32, #td.dev<cuda, 0>>
  %c = td.to_device %b {implied, role = #td<role rows>} : tensor<2x2xf32, #td.dev<cuda, 0>> to tensor<2x2xf32, #td.dev<cuda, 1>>
  return %a, %c : tensor<2x2xf32, #td.dev<cuda, 0>>, tensor<2x2xf32, #td.dev<cuda, 1>>
}

// -----

// The first GPU needs all of this batch: it keeps its rows.
// CHECK-LABEL: func @whole
// CHECK: %[[MOVED:.*]] = td.to_device %arg0
// CHECK: td.slice %[[MOVED]]
// CHECK: td.slice %arg0
// CHECK-NOT: td.slice %[[MOVED]]
// CHECK: td.exp %[[MOVED]]
func.func @whole(%x: tensor<4x2xf32, #td.dev<cpu>>) -> (tensor<2x2xf32, #td.dev<cuda, 0>>, tensor<2x2xf32, #td.dev<cuda, 1>>, tensor<4x2xf32, #td.dev<cuda, 0>>) {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %moved = td.to_device %x : tensor<4x2xf32, #td.dev<cpu>> to tensor<4x2xf32, #td.dev<cuda, 0>>
  %a = td.slice %moved[%c0] dim 0 step 1 : tensor<4x2xf32, #td.dev<cuda, 0>> to tensor<2x2xf32, #td.dev<cuda, 0>>
  %b = td.slice %moved[%c2] dim 0 step 1 : tensor<4x2xf32, #td.dev<cuda, 0>> to tensor<2x2xf32, #td.dev<cuda, 0>>
  %c = td.to_device %b {implied, role = #td<role rows>} : tensor<2x2xf32, #td.dev<cuda, 0>> to tensor<2x2xf32, #td.dev<cuda, 1>>
  %d = td.exp %moved : tensor<4x2xf32, #td.dev<cuda, 0>>
  return %a, %c, %d : tensor<2x2xf32, #td.dev<cuda, 0>>, tensor<2x2xf32, #td.dev<cuda, 1>>, tensor<4x2xf32, #td.dev<cuda, 0>>
}

// -----

// Three GPUs sum a section each, in the order of the GPUs. Neither the original
// sum nor the copies for it are left.
// CHECK-LABEL: func @sections
// CHECK-COUNT-6: td.to_device
// CHECK: %[[A:.*]] = td.add {{.*}} : tensor<1xf32, #td.dev<cuda, 0>>
// CHECK: td.add %[[A]], {{.*}} : tensor<1xf32, #td.dev<cuda, 0>>
// CHECK: td.add {{.*}} : tensor<1xf32, #td.dev<cuda, 1>>
// CHECK: td.add {{.*}} : tensor<1xf32, #td.dev<cuda, 2>>
// CHECK-COUNT-6: td.to_device
// CHECK-NOT: td.to_device
// CHECK: td.concat
// CHECK: return
func.func @sections(%a: tensor<3xf32, #td.dev<cuda, 0>>, %b: tensor<3xf32, #td.dev<cuda, 1>>, %c: tensor<3xf32, #td.dev<cuda, 2>>) -> tensor<3xf32, #td.dev<cuda, 0>> {
  %x = td.exp %a : tensor<3xf32, #td.dev<cuda, 0>>
  %y = td.exp %b : tensor<3xf32, #td.dev<cuda, 1>>
  %z = td.exp %c : tensor<3xf32, #td.dev<cuda, 2>>
  %copy2 = td.to_device %z {implied, role = #td<role gradient>} : tensor<3xf32, #td.dev<cuda, 2>> to tensor<3xf32, #td.dev<cuda, 0>>
  %copy1 = td.to_device %y {implied, role = #td<role gradient>} : tensor<3xf32, #td.dev<cuda, 1>> to tensor<3xf32, #td.dev<cuda, 0>>
  %both = td.add %copy2, %copy1 : tensor<3xf32, #td.dev<cuda, 0>>
  %all = td.add %both, %x : tensor<3xf32, #td.dev<cuda, 0>>
  %sum = td.sum_parts @w, %all : tensor<3xf32, #td.dev<cuda, 0>>
  return %sum : tensor<3xf32, #td.dev<cuda, 0>>
}

// -----

// The first GPU adds its part of an embedding's gradient in place: it becomes a
// tensor of its own.
// CHECK-LABEL: func @embedding
// CHECK: %[[ZERO:.*]] = td.fill {{.*}} -> tensor<4x1xf32, #td.dev<cuda, 0>>
// CHECK: td.scatter %[[ZERO]]
// CHECK-NOT: td.scatter
func.func @embedding(%ids: tensor<2xi64, #td.dev<cuda, 0>>, %d: tensor<2x1xf32, #td.dev<cuda, 0>>, %b: tensor<4x1xf32, #td.dev<cuda, 1>>) -> tensor<4x1xf32, #td.dev<cuda, 0>> {
  %y = td.exp %b : tensor<4x1xf32, #td.dev<cuda, 1>>
  %copy = td.to_device %y {implied, role = #td<role gradient>} : tensor<4x1xf32, #td.dev<cuda, 1>> to tensor<4x1xf32, #td.dev<cuda, 0>>
  %all = td.scatter %copy, %ids, %d dim 0 combine sum : tensor<4x1xf32, #td.dev<cuda, 0>>, tensor<2xi64, #td.dev<cuda, 0>>, tensor<2x1xf32, #td.dev<cuda, 0>>
  %sum = td.sum_parts @w, %all : tensor<4x1xf32, #td.dev<cuda, 0>>
  return %sum : tensor<4x1xf32, #td.dev<cuda, 0>>
}

// -----

// A gradient that is read before the next one is known is not summed with it.
// CHECK-LABEL: func @read_early
// CHECK: td.concat {{.*}} -> tensor<2xf32, #td.dev<cuda, 0>>
// CHECK: td.sqrt
// CHECK: td.concat {{.*}} -> tensor<2xf32, #td.dev<cuda, 0>>
func.func @read_early(%a: tensor<2xf32, #td.dev<cuda, 0>>, %b: tensor<2xf32, #td.dev<cuda, 1>>) -> (tensor<2xf32, #td.dev<cuda, 0>>, tensor<2xf32, #td.dev<cuda, 0>>) {
  %copy = td.to_device %b {implied, role = #td<role gradient>} : tensor<2xf32, #td.dev<cuda, 1>> to tensor<2xf32, #td.dev<cuda, 0>>
  %all = td.add %copy, %a : tensor<2xf32, #td.dev<cuda, 0>>
  %sum = td.sum_parts @w, %all : tensor<2xf32, #td.dev<cuda, 0>>
  %root = td.sqrt %sum : tensor<2xf32, #td.dev<cuda, 0>>
  %x = td.exp %root : tensor<2xf32, #td.dev<cuda, 0>>
  %copy2 = td.to_device %b {implied, role = #td<role gradient>} : tensor<2xf32, #td.dev<cuda, 1>> to tensor<2xf32, #td.dev<cuda, 0>>
  %all2 = td.add %copy2, %x : tensor<2xf32, #td.dev<cuda, 0>>
  %sum2 = td.sum_parts @v, %all2 : tensor<2xf32, #td.dev<cuda, 0>>
  return %root, %sum2 : tensor<2xf32, #td.dev<cuda, 0>>, tensor<2xf32, #td.dev<cuda, 0>>
}

// -----

// The step reads another tensor of the first GPU, as large as the parameter:
// the parameter is sent instead, as before.
// CHECK-NOT: replica1
// CHECK-LABEL: func @sent
// CHECK: td.to_device %{{.*}} {implied, role = #td<role replica>}
td.slot @m.w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
func.func @sent(%other: tensor<2xf32, #td.dev<cuda, 0>>) {
  %w = td.read @m.w : tensor<2xf32, #td.dev<cuda, 0>>
  %copy = td.to_device %w {implied, role = #td<role replica>} : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
  %own = td.exp %w : tensor<2xf32, #td.dev<cuda, 0>>
  %part = td.exp %copy : tensor<2xf32, #td.dev<cuda, 1>>
  %sent = td.to_device %part {implied, role = #td<role gradient>} : tensor<2xf32, #td.dev<cuda, 1>> to tensor<2xf32, #td.dev<cuda, 0>>
  %both = td.add %sent, %own : tensor<2xf32, #td.dev<cuda, 0>>
  %sum = td.sum_parts @m.w, %both : tensor<2xf32, #td.dev<cuda, 0>>
  %scaled = td.mul %sum, %other : tensor<2xf32, #td.dev<cuda, 0>>
  %next = td.sub %w, %scaled : tensor<2xf32, #td.dev<cuda, 0>>
  td.write %next, @m.w : tensor<2xf32, #td.dev<cuda, 0>>
  return
}

// -----

// The program has a model of its own with the name of the replica.
// CHECK-LABEL: td.slot @m.w
// CHECK-NEXT: td.slot @[[REPLICA:[^ ]*]] buffer "w" of "replica1.m" {td.replica_of = "m.w"}
// CHECK: td.write %{{.*}}, @[[REPLICA]]
td.slot @m.w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @replica1.m.w param "m.w" of "replica1" : tensor<2xf32, #td.dev<cuda, 1>>
func.func @taken() -> tensor<2xf32, #td.dev<cuda, 1>> {
  %user = td.read @replica1.m.w : tensor<2xf32, #td.dev<cuda, 1>>
  %w = td.read @m.w : tensor<2xf32, #td.dev<cuda, 0>>
  %copy = td.to_device %w {implied, role = #td<role replica>} : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
  %own = td.exp %w : tensor<2xf32, #td.dev<cuda, 0>>
  %part = td.exp %copy : tensor<2xf32, #td.dev<cuda, 1>>
  %sent = td.to_device %part {implied, role = #td<role gradient>} : tensor<2xf32, #td.dev<cuda, 1>> to tensor<2xf32, #td.dev<cuda, 0>>
  %both = td.add %sent, %own : tensor<2xf32, #td.dev<cuda, 0>>
  %sum = td.sum_parts @m.w, %both : tensor<2xf32, #td.dev<cuda, 0>>
  %next = td.sub %w, %sum : tensor<2xf32, #td.dev<cuda, 0>>
  td.write %next, @m.w : tensor<2xf32, #td.dev<cuda, 0>>
  return %user : tensor<2xf32, #td.dev<cuda, 1>>
}

// -----

// Copies as written: the sums stay where td-grad made them.
// CHECK-LABEL: module attributes {td.as_written}
// CHECK: %[[ALL:.*]] = td.add
// CHECK-NEXT: return %[[ALL]]
module attributes {td.as_written} {
  func.func @written(%a: tensor<2xf32, #td.dev<cuda, 0>>, %b: tensor<2xf32, #td.dev<cuda, 1>>) -> tensor<2xf32, #td.dev<cuda, 0>> {
    %copy = td.to_device %b {implied, kept, role = #td<role gradient>} : tensor<2xf32, #td.dev<cuda, 1>> to tensor<2xf32, #td.dev<cuda, 0>>
    %all = td.add %copy, %a : tensor<2xf32, #td.dev<cuda, 0>>
    %sum = td.sum_parts @w, %all : tensor<2xf32, #td.dev<cuda, 0>>
    return %sum : tensor<2xf32, #td.dev<cuda, 0>>
  }
}
