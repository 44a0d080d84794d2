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
  // expected-error @+1 {{expected a write of 'w' before that of its replica}}
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
