// RUN: tdc-opt %s --td-to-runtime --split-input-file | FileCheck %s

// A tensor of static size is read into its buffer; others are allocated.
td.slot @w param "w" of "m" : tensor<2x3xf32>
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr
func.func @main() {
  // CHECK: %[[SCRATCH:.*]] = llvm.alloca
  // CHECK: %[[AT:.*]] = llvm.getelementptr inbounds %[[CTX]][80]
  // CHECK-NEXT: %[[STATE:.*]] = llvm.load %[[AT]]
  %p = td.format "x.npy"
  // CHECK: llvm.store %[[STATE]], %[[SCRATCH]] : !llvm.ptr
  // CHECK: %[[PATH:.*]] = llvm.mlir.addressof
  // CHECK: llvm.call @tdrt_load_npy(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[SCRATCH]], %{{.*}})
  %x = td.load %p key "w" : tensor<2x3xf32>
  td.write %x, @w : tensor<2x3xf32>
  // CHECK: %[[ANY:.*]] = llvm.mlir.constant(-1 : i64)
  // CHECK: llvm.store %[[ANY]], %[[DIMS:.*]] : i64
  // CHECK: %[[NULL:.*]] = llvm.mlir.zero
  // CHECK: llvm.store %[[NULL]], %[[SCRATCH]]
  // CHECK: llvm.call @tdrt_load_npy
  // CHECK: %[[DATA:.*]] = llvm.load %[[SCRATCH]] : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[SIZE:.*]] = llvm.load %[[DIMS]]
  %y = td.load %p : tensor<?x64xui8>
  // CHECK: llvm.load volatile
  // CHECK: llvm.store %[[SIZE]]
  // CHECK: llvm.store %[[DATA]]
  // CHECK: llvm.call @tdrt_save_tensor
  // CHECK: llvm.call @tdrt_free(%[[CTX]], %{{.*}}, %[[DATA]])
  td.save_tensor %p, %y : tensor<?x64xui8>
  return
}

// -----

// CHECK: @tdc_checkpoint_1() {{.*}} !llvm.array<1 x struct<(i32, i32, ptr, ptr, ptr, ptr, i32, i32, i32, i32, ptr)>>
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: @tdc_checkpoint()
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: llvm.mlir.addressof @[[SLOTS:tdc_data_.*]] :
// CHECK: llvm.mlir.addressof @tdc_texts
// CHECK: llvm.mlir.addressof @tdc_texts_1
// CHECK: llvm.mlir.addressof @[[TYPES:tdc_data_.*]] :
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.addressof @tdc_aliases
// The alias names the first of its slots.
// CHECK: @tdc_aliases() {{.*}} !llvm.array<1 x struct<(ptr, ptr, i32)>>
// CHECK: llvm.mlir.addressof @[[ALIAS:tdc_data_.*]] :
// CHECK: llvm.mlir.zero
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK-DAG: @[[ALIAS]]("head.w\00")
// CHECK-DAG: @[[SLOTS]]("\01\00\00\00")
// CHECK-DAG: @[[TYPES]]("\00\00\00\00\02\00\00\00")
td.slot @v param "v" of "m" : tensor<2xf32>
td.slot @w param "w" of "m" : tensor<2xf32>
// CHECK-LABEL: llvm.func internal @tdc_main
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr
func.func @main() {
  %p = td.format "x.safetensors"
  // CHECK: llvm.call @tdrt_restore_value(%[[CTX]],
  // CHECK: %[[E:.*]] = llvm.load
  %e = td.restore_scalar %p "epoch" : i64
  %b = td.exists %p
  // CHECK: llvm.store %[[E]], %[[VALUES:.*]] : i64
  // CHECK: %[[WIDE:.*]] = llvm.zext
  // CHECK: llvm.store %[[WIDE]]
  // CHECK: llvm.call @tdrt_checkpoint_save(%[[CTX]], %{{.*}}, %{{.*}}, %[[VALUES]],
  td.save %p [@w] as ["w"] full ["epoch", "fine"] (%e, %b) : i64, i1 {aliases = {head.w = "w"}}
  // CHECK: %[[WHAT:.*]] = llvm.mlir.addressof @tdc_checkpoint_1
  // CHECK: llvm.call @tdrt_checkpoint_restore(%[[CTX]], %{{.*}}, %[[WHAT]],
  td.restore %p [@w] as ["w"] lenient cast
  // CHECK: llvm.call @tdrt_env
  %name = td.format "HOME"
  %env = td.env %name, %p
  td.print %env
  // CHECK: %[[ORDER:.*]] = llvm.call @strcmp(%{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr) -> i32
  // CHECK: %[[SAME:.*]] = llvm.icmp "eq" %[[ORDER]]
  // CHECK: llvm.zext %[[SAME]]
  %same = td.str_equal %env, %name
  %s = td.format "{}" (%same) : i1
  td.print %s
  return
}

// -----

// The format that the path ends with, if it is known, selects the function that
// loads. Tensors as large as mapped files get no buffer.
// CHECK-LABEL: llvm.func internal @tdc_main
func.func @main() {
  %one = arith.constant 1 : i64
  %png = td.format "{}.csv/x.PNG"(%one) : i64
  // CHECK: llvm.call @tdrt_load_png
  %a = td.load %png : tensor<2x3xui8>
  td.save_tensor %png, %a : tensor<2x3xui8>
  %any = td.format "x.png{}"(%one) : i64
  // CHECK-NOT: llvm.call @tdrt_free
  // CHECK: llvm.call @tdrt_load(
  %b = td.load %any : tensor<65536x256xf32>
  td.save_tensor %any, %b : tensor<65536x256xf32>
  // CHECK: llvm.call @tdrt_free
  return
}
