// RUN: tdc-opt %s --split-input-file --verify-diagnostics

#cpu = #td.dev<cpu>

func.func @mark() {
  // expected-error @below {{expected a GPU, got #td.dev<cpu>}}
  %m = td.mark #cpu : !td.ticket
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

func.func @type(%x: tensor<4xf32, #cpu>, %m: !td.ticket, %i: i64) {
  // expected-error @below {{expected operand and result of one shape and dtype}}
  %y, %t = td.copy_start %x after %m iteration %i : tensor<4xf32, #cpu> to tensor<4xf64, #gpu>
  return
}

// -----

#cpu = #td.dev<cpu>

func.func @host(%x: tensor<4xf32, #cpu>, %m: !td.ticket, %i: i64) {
  // expected-error @below {{expected two devices}}
  %y, %t = td.copy_start %x after %m iteration %i : tensor<4xf32, #cpu> to tensor<4xf32, #cpu>
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

func.func @upload(%x: tensor<4xf32, #cpu>) {
  // expected-error @below {{expected `after` for a copy from the cpu and for no other}}
  %y, %t = td.copy_start %x : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

func.func @once(%x: tensor<4xf32, #cpu>, %m: !td.ticket) {
  // expected-error @below {{expected `iteration` for a copy from the cpu, and for none between GPUs}}
  %y, %t = td.copy_start %x after %m : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

func.func @download(%x: tensor<4xf32, #gpu>, %m: !td.ticket) {
  // expected-error @below {{expected `after` for a copy from the cpu and for no other}}
  %y, %t = td.copy_start %x after %m : tensor<4xf32, #gpu> to tensor<4xf32, #cpu>
  return
}

// -----

#gpu = #td.dev<cuda, 0>
#peer = #td.dev<cuda, 1>

func.func @peer(%x: tensor<4xf32, #gpu>, %m: !td.ticket) {
  // expected-error @below {{expected `after` for a copy from the cpu and for no other}}
  %y, %t = td.copy_start %x after %m : tensor<4xf32, #gpu> to tensor<4xf32, #peer>
  return
}

// -----

#gpu = #td.dev<cuda, 0>
#peer = #td.dev<cuda, 1>

func.func @peer_iteration(%x: tensor<4xf32, #gpu>, %i: i64) {
  // expected-error @below {{expected `iteration` for a copy from the cpu, and for none between GPUs}}
  %y, %t = td.copy_start %x iteration %i : tensor<4xf32, #gpu> to tensor<4xf32, #peer>
  return
}
