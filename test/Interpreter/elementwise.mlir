// The edges of elementwise ops; the rest is compared with NumPy in test/OpTable.
// RUN: tdc-interpret %s | FileCheck %s

func.func @main() {
  %a = td.constant dense<[7, -7, 7, -7, 5, -2147483648]> : tensor<6xi32>
  %b = td.constant dense<[2, 2, -2, -2, 0, -1]> : tensor<6xi32>
  // CHECK:      tensor([          3,          -4,          -4,           3,           0,
  // CHECK-NEXT:         -2147483648], dtype=torch.int32)
  %0 = td.floordiv %a, %b : tensor<6xi32>
  // CHECK-NEXT: tensor([ 1,  1, -1, -1,  0,  0], dtype=torch.int32)
  %1 = td.mod %a, %b : tensor<6xi32>
  // CHECK-NEXT: tensor([255,   0], dtype=torch.uint8)
  %u = td.constant dense<[1, 0]> : tensor<2xui8>
  %2 = td.neg %u : tensor<2xui8>
  %s = td.format "{}\n{}\n{}\n" (%0, %1, %2) : tensor<6xi32>, tensor<6xi32>, tensor<2xui8>
  td.print %s

  %x = td.constant dense<[1.5, -1.5, 0x7FC00000, 1.0e20, -1.0e20, 0.25]> : tensor<6xf32>
  // CHECK-NEXT: tensor([                   1,                   -1,                    0,
  // CHECK-NEXT:          9223372036854775807, -9223372036854775808,                    0])
  %3 = td.cast %x : tensor<6xf32> to tensor<6xi64>
  // CHECK-NEXT: tensor([  1,   0,   0, 255,   0,   0], dtype=torch.uint8)
  %4 = td.cast %x : tensor<6xf32> to tensor<6xui8>
  // CHECK-NEXT: tensor([True, True, True, True, True, True])
  %5 = td.cast %x : tensor<6xf32> to tensor<6xi1>
  // 2^24 + 1 lies between two floats: to the even one.
  // CHECK-NEXT: 16777216.0
  %6 = td.constant dense<16777217> : tensor<i64>
  %7 = td.cast %6 : tensor<i64> to tensor<f32>
  %8 = td.item %7 : tensor<f32> -> f64
  %t = td.format "{}\n{}\n{}\n{}\n" (%3, %4, %5, %8) : tensor<6xi64>, tensor<6xui8>, tensor<6xi1>, f64
  td.print %t

  // NaN wins, whichever side it is on.
  // CHECK-NEXT: tensor([nan, nan, 2.])
  %nan = td.constant dense<[0x7FC00000, 1.0, 2.0]> : tensor<3xf32>
  %one = td.constant dense<[1.0, 0x7FC00000, 1.0]> : tensor<3xf32>
  %9 = td.max %nan, %one : tensor<3xf32>
  // CHECK-NEXT: tensor([True, True, True])
  %10 = td.compare ne %nan, %one : tensor<3xf32> -> tensor<3xi1>
  %v = td.format "{}\n{}\n" (%9, %10) : tensor<3xf32>, tensor<3xi1>
  td.print %v

  // bf16 keeps 8 bits: 1 + 1/256 and 1 + 3/256 are ties, to the even one. Sums
  // are rounded once, not at every step.
  // CHECK-NEXT: tensor([1.0000, 1.0156, 0.3340], dtype=torch.bfloat16)
  // CHECK-NEXT: tensor(2.3438, dtype=torch.bfloat16)
  // CHECK-NEXT: tensor([1.0039, 1.0117, 0.3333], dtype=torch.float16)
  %h = td.constant dense<[1.00390625, 1.01171875, 0.333333333]> : tensor<3xf32>
  %11 = td.cast %h : tensor<3xf32> to tensor<3xbf16>
  %12 = td.reduce sum %11 [0] : tensor<3xbf16> to tensor<bf16>
  %13 = td.cast %h : tensor<3xf32> to tensor<3xf16>
  %w = td.format "{}\n{}\n{}\n" (%11, %12, %13) : tensor<3xbf16>, tensor<bf16>, tensor<3xf16>
  td.print %w
  return
}
