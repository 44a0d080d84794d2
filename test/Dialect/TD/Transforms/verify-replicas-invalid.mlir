// RUN: tdc-opt --td-verify-replicas --split-input-file --verify-diagnostics %s

// Equal: the same ops on equal operands, and copies.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @equal(%g: tensor<2xf32, #td.dev<cuda, 0>>) {
  %w = td.read @w : tensor<2xf32, #td.dev<cuda, 0>>
  %r = td.read @r : tensor<2xf32, #td.dev<cuda, 1>>
  %h = td.to_device %g : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
  %x = td.sub %w, %g : tensor<2xf32, #td.dev<cuda, 0>>
  %y = td.sub %r, %h : tensor<2xf32, #td.dev<cuda, 1>>
  td.write %x, @w : tensor<2xf32, #td.dev<cuda, 0>>
  td.write %y, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @other_op(%g: tensor<2xf32, #td.dev<cuda, 0>>) {
  %w = td.read @w : tensor<2xf32, #td.dev<cuda, 0>>
  %r = td.read @r : tensor<2xf32, #td.dev<cuda, 1>>
  %h = td.to_device %g : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
  %x = td.sub %w, %g : tensor<2xf32, #td.dev<cuda, 0>>
  %y = td.add %r, %h : tensor<2xf32, #td.dev<cuda, 1>>
  td.write %x, @w : tensor<2xf32, #td.dev<cuda, 0>>
  // expected-error @+1 {{expected the value of 'w' for its replica}}
  td.write %y, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

// The second GPU adds its own part of the gradient only.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @own_part(%g: tensor<2xf32, #td.dev<cuda, 0>>, %h: tensor<2xf32, #td.dev<cuda, 1>>) {
  %w = td.read @w : tensor<2xf32, #td.dev<cuda, 0>>
  %r = td.read @r : tensor<2xf32, #td.dev<cuda, 1>>
  %x = td.sub %w, %g : tensor<2xf32, #td.dev<cuda, 0>>
  %y = td.sub %r, %h : tensor<2xf32, #td.dev<cuda, 1>>
  td.write %x, @w : tensor<2xf32, #td.dev<cuda, 0>>
  // expected-error @+1 {{expected the value of 'w' for its replica}}
  td.write %y, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

// The replica is read before the slot changes, the slot after it.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @old_value(%g: tensor<2xf32, #td.dev<cuda, 0>>) {
  %r = td.read @r : tensor<2xf32, #td.dev<cuda, 1>>
  %h = td.to_device %g : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
  td.write %g, @w : tensor<2xf32, #td.dev<cuda, 0>>
  td.write %h, @r : tensor<2xf32, #td.dev<cuda, 1>>
  %w = td.read @w : tensor<2xf32, #td.dev<cuda, 0>>
  %x = td.exp %w : tensor<2xf32, #td.dev<cuda, 0>>
  %y = td.exp %r : tensor<2xf32, #td.dev<cuda, 1>>
  td.write %x, @w : tensor<2xf32, #td.dev<cuda, 0>>
  // expected-error @+1 {{expected the value of 'w' for its replica}}
  td.write %y, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @forgotten(%g: tensor<2xf32, #td.dev<cuda, 0>>) {
  // expected-error @+1 {{expected a write of its replica 'r' to follow}}
  td.write %g, @w : tensor<2xf32, #td.dev<cuda, 0>>
  return
}

// -----

td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @alone(%h: tensor<2xf32, #td.dev<cuda, 1>>) {
  // expected-error @+1 {{expected a write of 'w' for this write of its replica}}
  td.write %h, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

// A file gives the slot its value; the replica gets a copy.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @restored(%path: !td.str) {
  td.restore %path [@w] as ["w"]
  %w = td.read @w : tensor<2xf32, #td.dev<cuda, 0>>
  %h = td.to_device %w : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
  td.write %h, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

// Casts have their dtype in the result type only.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @other_dtype() {
  %w = td.read @w : tensor<2xf32, #td.dev<cuda, 0>>
  %r = td.read @r : tensor<2xf32, #td.dev<cuda, 1>>
  %wn = td.cast %w : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xbf16, #td.dev<cuda, 0>>
  %rn = td.cast %r : tensor<2xf32, #td.dev<cuda, 1>> to tensor<2xf16, #td.dev<cuda, 1>>
  %x = td.cast %wn : tensor<2xbf16, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 0>>
  %y = td.cast %rn : tensor<2xf16, #td.dev<cuda, 1>> to tensor<2xf32, #td.dev<cuda, 1>>
  td.write %x, @w : tensor<2xf32, #td.dev<cuda, 0>>
  // expected-error @+1 {{expected the value of 'w' for its replica}}
  td.write %y, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

// The bits of 1.0 in f16 are other numbers in bf16.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @same_bits() {
  %a = td.constant dense<1.0> : tensor<2xf16, #td.dev<cuda, 0>>
  %b = td.constant dense<0x3C00> : tensor<2xbf16, #td.dev<cuda, 1>>
  %x = td.cast %a : tensor<2xf16, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 0>>
  %y = td.cast %b : tensor<2xbf16, #td.dev<cuda, 1>> to tensor<2xf32, #td.dev<cuda, 1>>
  td.write %x, @w : tensor<2xf32, #td.dev<cuda, 0>>
  // expected-error @+1 {{expected the value of 'w' for its replica}}
  td.write %y, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

// Equal: constants that differ only in their place.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @constants() {
  %x = td.constant dense<[1.0, 2.0]> : tensor<2xf32, #td.dev<cuda, 0>>
  %y = td.constant dense<[1.0, 2.0]> : tensor<2xf32, #td.dev<cuda, 1>>
  td.write %x, @w : tensor<2xf32, #td.dev<cuda, 0>>
  td.write %y, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

// The replica is read before it gets the new value of the slot.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @stale_step(%g: tensor<2xf32, #td.dev<cuda, 0>>) {
  %h = td.to_device %g : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
  // expected-note @+1 {{'w' gets the value here}}
  td.write %g, @w : tensor<2xf32, #td.dev<cuda, 0>>
  %w = td.read @w : tensor<2xf32, #td.dev<cuda, 0>>
  // expected-error @+1 {{expected a write of 'r' before this read: it is a replica of 'w', which has a new value}}
  %r = td.read @r : tensor<2xf32, #td.dev<cuda, 1>>
  td.write %h, @r : tensor<2xf32, #td.dev<cuda, 1>>
  %x = td.exp %w : tensor<2xf32, #td.dev<cuda, 0>>
  %y = td.exp %r : tensor<2xf32, #td.dev<cuda, 1>>
  td.write %x, @w : tensor<2xf32, #td.dev<cuda, 0>>
  td.write %y, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

// A forward pass reads a stale replica; no write depends on it.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @stale_forward(%g: tensor<2xf32, #td.dev<cuda, 0>>) -> tensor<2xf32, #td.dev<cuda, 1>> {
  %h = td.to_device %g : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
  // expected-note @+1 {{'w' gets the value here}}
  td.write %g, @w : tensor<2xf32, #td.dev<cuda, 0>>
  // expected-error @+1 {{expected a write of 'r' before this read: it is a replica of 'w', which has a new value}}
  %r = td.read @r : tensor<2xf32, #td.dev<cuda, 1>>
  td.write %h, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return %r : tensor<2xf32, #td.dev<cuda, 1>>
}

// -----

// Nor may a branch read it: the replica is written before any region.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @stale_branch(%c: i1, %g: tensor<2xf32, #td.dev<cuda, 0>>) {
  %h = td.to_device %g : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
  // expected-error @+1 {{expected a write of its replica 'r' to follow}}
  td.write %g, @w : tensor<2xf32, #td.dev<cuda, 0>>
  scf.if %c {
    %r = td.read @r : tensor<2xf32, #td.dev<cuda, 1>>
  }
  td.write %h, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

// Equal: reads after a loop that writes both.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @loop(%n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %w = td.read @w : tensor<2xf32, #td.dev<cuda, 0>>
    %r = td.read @r : tensor<2xf32, #td.dev<cuda, 1>>
    %x = td.exp %w : tensor<2xf32, #td.dev<cuda, 0>>
    %y = td.exp %r : tensor<2xf32, #td.dev<cuda, 1>>
    td.write %x, @w : tensor<2xf32, #td.dev<cuda, 0>>
    td.write %y, @r : tensor<2xf32, #td.dev<cuda, 1>>
  }
  %w = td.read @w : tensor<2xf32, #td.dev<cuda, 0>>
  %r = td.read @r : tensor<2xf32, #td.dev<cuda, 1>>
  td.write %w, @w : tensor<2xf32, #td.dev<cuda, 0>>
  td.write %r, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

// A loop writes both between the reads.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @read_around_loop(%n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %w = td.read @w : tensor<2xf32, #td.dev<cuda, 0>>
  scf.for %i = %c0 to %n step %c1 : i64 {
    %v = td.read @w : tensor<2xf32, #td.dev<cuda, 0>>
    %x = td.exp %v : tensor<2xf32, #td.dev<cuda, 0>>
    %y = td.to_device %x : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
    td.write %x, @w : tensor<2xf32, #td.dev<cuda, 0>>
    td.write %y, @r : tensor<2xf32, #td.dev<cuda, 1>>
  }
  %r = td.read @r : tensor<2xf32, #td.dev<cuda, 1>>
  td.write %w, @w : tensor<2xf32, #td.dev<cuda, 0>>
  // expected-error @+1 {{expected the value of 'w' for its replica}}
  td.write %r, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

// The slot is read before the loop, the replica in each iteration.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @read_before_loop(%n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %w = td.read @w : tensor<2xf32, #td.dev<cuda, 0>>
  scf.for %i = %c0 to %n step %c1 : i64 {
    %r = td.read @r : tensor<2xf32, #td.dev<cuda, 1>>
    %x = td.exp %w : tensor<2xf32, #td.dev<cuda, 0>>
    %y = td.exp %r : tensor<2xf32, #td.dev<cuda, 1>>
    td.write %x, @w : tensor<2xf32, #td.dev<cuda, 0>>
    // expected-error @+1 {{expected the value of 'w' for its replica}}
    td.write %y, @r : tensor<2xf32, #td.dev<cuda, 1>>
  }
  return
}

// -----

// The replica gets a second value, the slot does not.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @twice(%g: tensor<2xf32, #td.dev<cuda, 0>>, %other: tensor<2xf32, #td.dev<cuda, 1>>) {
  %h = td.to_device %g : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
  td.write %g, @w : tensor<2xf32, #td.dev<cuda, 0>>
  td.write %h, @r : tensor<2xf32, #td.dev<cuda, 1>>
  // expected-error @+1 {{expected a write of 'w' for this write of its replica}}
  td.write %other, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

// The slot gets a second value before the replica has the first.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
func.func @skipped(%g: tensor<2xf32, #td.dev<cuda, 0>>) {
  %h = td.to_device %g : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
  // expected-error @+1 {{expected a write of its replica 'r' to follow}}
  td.write %g, @w : tensor<2xf32, #td.dev<cuda, 0>>
  td.write %g, @w : tensor<2xf32, #td.dev<cuda, 0>>
  td.write %h, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}

// -----

// Of two replicas, one gets no value.
td.slot @w param "w" of "m" : tensor<2xf32, #td.dev<cuda, 0>>
td.slot @r buffer "w" of "r" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 1>>
td.slot @s buffer "w" of "s" {td.replica_of = "w"} : tensor<2xf32, #td.dev<cuda, 2>>
func.func @one_of_two(%g: tensor<2xf32, #td.dev<cuda, 0>>) {
  %h = td.to_device %g : tensor<2xf32, #td.dev<cuda, 0>> to tensor<2xf32, #td.dev<cuda, 1>>
  // expected-error @+1 {{expected a write of its replica 's' to follow}}
  td.write %g, @w : tensor<2xf32, #td.dev<cuda, 0>>
  td.write %h, @r : tensor<2xf32, #td.dev<cuda, 1>>
  return
}
