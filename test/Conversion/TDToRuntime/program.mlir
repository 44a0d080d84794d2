// RUN: tdc-opt %s --td-to-runtime | FileCheck %s

// The table of the program that the runtime reads at its start.
module attributes {
  td.name = "train", td.help = "trains",
  td.arguments = [
    {name = "epochs", type = i64, default = "5", help = "training epochs"},
    {name = "path", type = !td.str, help = ""}]} {

// CHECK: llvm.mlir.global external constant @tdc_program()
// CHECK-SAME: !llvm.struct<(i32, i32, i32, i32, i32, i32, i32, i32, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr)>
// Header: the ABI version, two slots, two arguments, one site, no export, one alias,
// no GPU, not strict.
// CHECK: llvm.mlir.constant(12 : i32)
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.constant(128 : i64)
// CHECK: llvm.mlir.constant(128 : i64)
// CHECK: llvm.mlir.addressof @[[NAME:tdc_data_.*]] :
// CHECK: llvm.mlir.addressof @[[HELP:tdc_data_.*]] :
// CHECK: llvm.mlir.addressof @tdc_slots
// CHECK: llvm.mlir.addressof @tdc_aliases
// CHECK: llvm.mlir.addressof @tdc_args
// CHECK: llvm.mlir.addressof @tdc_sites
// CHECK: llvm.mlir.zero
// CHECK: llvm.mlir.addressof @tdc_main

// CHECK: @tdc_sites() {{.*}} !llvm.array<1 x struct<(ptr, i32, i32, ptr, ptr)>>
// CHECK: llvm.mlir.constant(4 : i32)
// CHECK: llvm.mlir.constant(2 : i32)

// An argument without a default is required; an empty help text is null.
// CHECK: @tdc_args() {{.*}} !llvm.array<2 x struct<(ptr, ptr, ptr, i32, i32)>>
// CHECK: llvm.mlir.addressof @[[EPOCHS:tdc_data_.*]] :
// CHECK: llvm.mlir.addressof @[[FIVE:tdc_data_.*]] :
// CHECK: llvm.mlir.addressof
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.addressof @[[PATH:tdc_data_.*]] :
// CHECK: llvm.mlir.zero
// CHECK: llvm.mlir.zero
// CHECK: llvm.mlir.constant(3 : i32)
// CHECK-DAG: @[[EPOCHS]]("epochs\00")
// CHECK-DAG: @[[FIVE]]("5\00")
// CHECK-DAG: @[[PATH]]("path\00")

// Slots are listed in the order of their declaration, with sizes, order and offset.
// CHECK: @tdc_slots() {{.*}} !llvm.array<2 x struct<(ptr, ptr, i32, i32, i32, i32, ptr, ptr, i64, i64)>>
// CHECK: llvm.mlir.addressof @[[M:tdc_data_.*]] :
// CHECK: llvm.mlir.addressof @[[FULL:tdc_data_.*]] :
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.addressof @[[SIZE:tdc_data_.*]] :
// CHECK: llvm.mlir.zero
// CHECK: llvm.mlir.constant(64 : i64)
// CHECK: llvm.mlir.addressof @[[W:tdc_data_.*]] :
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: llvm.mlir.addressof @[[SIZES:tdc_data_.*]] :
// CHECK: llvm.mlir.addressof @[[ORDER:tdc_data_.*]] :
// CHECK: llvm.mlir.constant(0 : i64)
// CHECK-DAG: @[[ORDER]]("\01\00\00\00\00\00\00\00") {{.*}}alignment = 4
// CHECK-DAG: @[[SIZES]]("\02\00\00\00\00\00\00\00\03\00\00\00\00\00\00\00") {{.*}}alignment = 8
// CHECK-DAG: @[[SIZE]]("\04\00\00\00\00\00\00\00") {{.*}}alignment = 8
// CHECK-DAG: @[[M]]("opt.w\00")
// CHECK-DAG: @[[W]]("fc.w\00")
// CHECK-DAG: @[[HELP]]("trains\00")
// The alias is the second name of the second slot.
// CHECK: @tdc_aliases() {{.*}} !llvm.array<1 x struct<(ptr, ptr, i32)>>
// CHECK: llvm.mlir.addressof @[[KEY:tdc_data_.*]] :
// CHECK: llvm.mlir.addressof @[[OTHER:tdc_data_.*]] :
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK-DAG: @[[KEY]]("head.w\00")
// CHECK-DAG: @[[OTHER]]("model.head.w\00")
// CHECK-DAG: @[[NAME]]("train\00")
td.slot @m moment "opt.w" of "adam" : tensor<4xf64>
td.slot @w param "fc.w" of "model" {aliases = {model.head.w = "head.w"}, layout = array<i64: 1, 0>} : tensor<2x3xf32>

// CHECK-NOT: td.
// CHECK: llvm.func @kernel
llvm.func @kernel(%context: !llvm.ptr) {
  // A kernel's error code gets the number of its source location.
  // CHECK: %[[SITE:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @tdrt_kernel_error({{.*}}, %[[SITE]])
  %index = llvm.mlir.constant(7 : i64) : i64
  %none = llvm.mlir.constant(-1 : i32) : i32
  llvm.call @tdrt_kernel_error(%context, %index, %index, %none)
    : (!llvm.ptr, i64, i64, i32) -> () loc("x.tdsl":4:2)
  llvm.return
}
llvm.func @tdrt_kernel_error(!llvm.ptr, i64, i64, i32)

// CHECK: llvm.func internal @tdc_main(%[[CTX:[^:]*]]: !llvm.ptr)
func.func @main() {
  // CHECK: %[[TABLE:.*]] = llvm.getelementptr inbounds %[[CTX]][8]
  // CHECK: %[[ARGS:.*]] = llvm.load %[[TABLE]]
  // CHECK: %[[AT:.*]] = llvm.getelementptr inbounds %[[ARGS]][8]
  // CHECK: %[[PATH:.*]] = llvm.load %[[AT]] : !llvm.ptr -> !llvm.ptr
  // CHECK: llvm.call @tdrt_exists(%[[PATH]])
  %path = td.arg "path" : !td.str
  %e = td.exists %path
  return
}
}
