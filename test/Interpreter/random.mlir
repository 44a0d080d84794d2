// The first words of Philox4x32-10 for key 0 and counter 0 are those of the
// known-answer tests of Random123: 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
// RUN: tdc-interpret %s | FileCheck %s

func.func @main() {
  %zero = arith.constant 0 : i64
  %high = arith.constant 4294967296 : i64
  // CHECK: tensor([1713891541, 3781805453, 3159862348, 2600524760])
  %0 = td.random randint %zero, %zero bounds(%zero, %high) : tensor<4xi64>
  // The upper 24 bits, and all 32.
  // CHECK-NEXT: 0.399046
  // CHECK-NEXT: 0.399046
  %1 = td.random uniform %zero, %zero : tensor<4xf32>
  %2 = td.random uniform %zero, %zero : tensor<4xf64>
  %3 = td.slice %1[%zero] dim 0 step 1 : tensor<4xf32> to tensor<1xf32>
  %4 = td.slice %2[%zero] dim 0 step 1 : tensor<4xf64> to tensor<1xf64>
  %5 = td.item %3 : tensor<1xf32> -> f64
  %6 = td.item %4 : tensor<1xf64> -> f64
  %s = td.format "{}\n{:.6f}\n{:.6f}\n" (%0, %5, %6) : tensor<4xi64>, f64, f64
  td.print %s

  // A second Philox, so the runtime's cannot be wrong in the same way.
  // CHECK-NEXT: tensor([0, 1, 2, 3, 4, 5, 6, 7, 8])
  %p = td.random permutation %zero, %high : tensor<9xi64>
  %seven = arith.constant 9 : i64
  %one = arith.constant 1 : i64
  %i = td.iota %zero, %one sizes(%seven) : i64 -> tensor<?xi64>
  %z = td.fill %zero : i64 -> tensor<9xi64>
  %q = td.scatter %z, %p, %p dim 0 combine sum : tensor<9xi64>, tensor<9xi64>, tensor<9xi64>

  // seed() sets the counter back.
  // CHECK-NEXT: 0 0
  // CHECK-NEXT: 0 1
  // CHECK-NEXT: 7 0
  %s0, %c0 = td.next_random
  %s1, %c1 = td.next_random
  %n = arith.constant 7 : i64
  td.seed %n
  %s2, %c2 = td.next_random
  %t = td.format "{}\n{} {}\n{} {}\n{} {}\n" (%q, %s0, %c0, %s1, %c1, %s2, %c2) : tensor<9xi64>, i64, i64, i64, i64, i64, i64
  td.print %t
  return
}
