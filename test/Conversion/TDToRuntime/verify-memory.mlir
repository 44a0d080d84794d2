// RUN: tdc-opt %s --split-input-file --td-verify-memory --verify-diagnostics

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
!c = tensor<4xf32, #cpu>
!g = tensor<4xf32, #gpu>

// Each tensor starts at a multiple of 64 bytes, and the runtime needs 168 itself.
// rounded
module attributes {td.memory = {"cuda:0" = 295 : i64, "cuda:1" = 0 : i64}} {
// expected-note @below {{16 B: w}}
td.slot @w param "w" of "m" : !g
func.func @main(%x: !c) {
  // expected-note @+2 {{16 B: a parameter}}
  // expected-error @below {{TD512: out of memory on cuda:0: 296 bytes are needed in all, most of them here, and it has 295}}
  %a = td.to_device %x : !c to !g
  %b = td.to_device %a : !g to !c
  return
}
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
!c = tensor<4xf32, #cpu>
!g = tensor<4xf32, #gpu>

// enough
module attributes {td.memory = {"cuda:0" = 296 : i64}} {
td.slot @w param "w" of "m" : !g
func.func @main(%x: !c) {
  %a = td.to_device %x : !c to !g
  %b = td.to_device %a : !g to !c
  return
}
}
