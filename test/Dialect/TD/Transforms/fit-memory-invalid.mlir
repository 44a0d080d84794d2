// RUN: tdc-opt %s --split-input-file --td-fit-memory --verify-diagnostics

#gpu = #td.dev<cuda, 0>
!g = tensor<4xf32, #gpu>

// fit_memory_operands
module attributes {td.memory = {"cuda:0" = 40 : i64}} {
// expected-note @below {{16 B: a parameter}}
func.func @operands(%x: !g) -> !g {
  // expected-note @below {{16 B: the result of `sin`}}
  %a = td.sin %x : !g
  // expected-note @+2 {{16 B: the result of `+`}}
  // expected-error @below {{TD512: out of memory on cuda:0: 48 bytes are needed here at the same time, and it has 40}}
  %b = td.add %a, %x : !g
  return %b : !g
}
}

// -----

#gpu = #td.dev<cuda, 0>
!g = tensor<4xf32, #gpu>

// fit_memory_slots
module attributes {td.memory = {"cuda:0" = 40 : i64}} {
td.slot @w param "w" of "m" : !g
func.func @main() {
  %w = td.read @w : !g
  // expected-note @below {{16 B: the result of `sin`}}
  %a = td.sin %w : !g
  // expected-note @+3 {{16 B: the result of `sin`}}
  // expected-error @+2 {{TD512: out of memory on cuda:0: 48 bytes are needed here at the same time, and it has 40}}
  // expected-note @below {{16 of these bytes are parameters, gradients and optimizer state, which stay there}}
  %b = td.sin %a : !g
  td.write %b, @w : !g
  return
}
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
!c = tensor<4xf32, #cpu>
!g = tensor<4xf32, #gpu>

// A loop takes what it starts from at once.
// fit_memory_loop
module attributes {td.memory = {"cuda:0" = 24 : i64}} {
func.func @loop(%x: !c, %n: i64) -> !c {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %a = td.to_device %x : !c to !g
  %b = td.to_device %x : !c to !g
  // expected-error @+2 {{TD512: out of memory on cuda:0: 32 bytes are needed here}}
  // expected-note @below {{16 B: a value of the turn before}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a, %t = %b) -> (!g, !g) : i64 {
    scf.yield %t, %s : !g, !g
  }
  %y = td.to_device %r#0 : !g to !c
  return %y : !c
}
}

// -----

// fit_memory_device
// expected-error @below {{expected a GPU in td.memory, such as "cuda:0", got "gpu"}}
module attributes {td.memory = {"gpu" = 24 : i64}} {
}

// -----

#cpu = #td.dev<cpu>
!c = tensor<4xf32, #cpu>

// What leaves a device goes to the cpu, which it cannot leave.
// fit_memory_cpu
// expected-error @below {{expected a GPU in td.memory, such as "cuda:0", got "cpu"}}
module attributes {td.memory = {"cpu" = 40 : i64}} {
func.func @cpu(%x: !c) -> !c {
  %a = td.sin %x : !c
  %b = td.sin %a : !c
  %c = td.add %b, %a : !c
  %d = td.add %c, %x : !c
  return %d : !c
}
}
