// RUN: tdc-opt %s --split-input-file --td-verify-schedule --verify-diagnostics

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

func.func @read(%x: tensor<4xf32, #cpu>) -> tensor<4xf32, #gpu> {
  %c0 = arith.constant 0 : i64
  %m = td.mark #gpu : !td.ticket
  // expected-note @below {{the copy}}
  %y, %t = td.copy_start %x after %m iteration %c0 : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  // The host has waited, the GPU has not.
  td.copy_wait %t by #cpu for %y : tensor<4xf32, #gpu>
  // expected-error @below {{reads what is still being copied to cuda:0}}
  %z = td.kernel (%y) : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
  ^bb0(%a: tensor<4xf32, #gpu>):
    %e = td.exp %a : tensor<4xf32, #gpu>
    td.yield %e : tensor<4xf32, #gpu>
  }
  return %z : tensor<4xf32, #gpu>
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// The ticket of an earlier copy does not cover a later one.
func.func @other(%x: tensor<f32, #gpu>, %y: tensor<f32, #gpu>) -> f64 {
  %a, %t = td.copy_start %x : tensor<f32, #gpu> to tensor<f32, #cpu>
  // expected-note @below {{the copy}}
  %b, %s = td.copy_start %y : tensor<f32, #gpu> to tensor<f32, #cpu>
  td.copy_wait %t by #cpu for %a, %x : tensor<f32, #cpu>, tensor<f32, #gpu>
  // expected-error @below {{reads what is still being copied to cpu}}
  %i = td.item %b : tensor<f32, #cpu> -> f64
  td.copy_wait %s by #cpu for %b, %y : tensor<f32, #cpu>, tensor<f32, #gpu>
  return %i : f64
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

func.func @mark(%x: tensor<4xf32, #cpu>, %m: !td.ticket) {
  %c0 = arith.constant 0 : i64
  // expected-error @below {{may overwrite what is still read}}
  %y, %t = td.copy_start %x after %m iteration %c0 : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

func.func @download(%x: tensor<f32, #gpu>) -> f64 {
  // expected-error @below {{may find its operand overwritten}}
  %a, %t = td.copy_start %x : tensor<f32, #gpu> to tensor<f32, #cpu>
  td.copy_wait %t by #cpu for %a : tensor<f32, #cpu>
  %i = td.item %a : tensor<f32, #cpu> -> f64
  return %i : f64
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// The mark before the loop does not cover the previous iteration.
func.func @iteration(%x: tensor<4xf32, #cpu>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %m = td.mark #gpu : !td.ticket
  %y0, %t0 = td.copy_start %x after %m iteration %c0 : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%y = %y0, %t = %t0) -> (tensor<4xf32, #gpu>, !td.ticket) : i64 {
    td.copy_wait %t by #gpu for %y : tensor<4xf32, #gpu>
    %z = td.kernel (%y) : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
    ^bb0(%a: tensor<4xf32, #gpu>):
      %e = td.exp %a : tensor<4xf32, #gpu>
      td.yield %e : tensor<4xf32, #gpu>
    }
    %next = arith.addi %i, %c1 : i64
    // expected-error @below {{may overwrite what is still read}}
    %yn, %tn = td.copy_start %x after %m iteration %next : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    scf.yield %yn, %tn : tensor<4xf32, #gpu>, !td.ticket
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// The mark that an iteration passes on precedes a use.
func.func @early(%x: tensor<4xf32, #cpu>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %m0 = td.mark #gpu : !td.ticket
  %y0, %t0 = td.copy_start %x after %m0 iteration %c0 : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %r:3 = scf.for %i = %c0 to %c5 step %c1 iter_args(%y = %y0, %t = %t0, %m = %m0) -> (tensor<4xf32, #gpu>, !td.ticket, !td.ticket) : i64 {
    td.copy_wait %t by #gpu for %y : tensor<4xf32, #gpu>
    %n = td.mark #gpu : !td.ticket
    %z = td.kernel (%y) : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
    ^bb0(%a: tensor<4xf32, #gpu>):
      %e = td.exp %a : tensor<4xf32, #gpu>
      td.yield %e : tensor<4xf32, #gpu>
    }
    %next = arith.addi %i, %c1 : i64
    // expected-error @below {{may overwrite what is still read}}
    %yn, %tn = td.copy_start %x after %m iteration %next : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
    scf.yield %yn, %tn, %n : tensor<4xf32, #gpu>, !td.ticket, !td.ticket
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// After the branch that yields no ticket, the outer loop passes on a copy without
// a wait; that is found in either order of visits.
func.func @assumed(%x: tensor<4xf32, #cpu>, %n: i64, %c: i1) {
  %l = arith.constant 0 : i64
  %s = arith.constant 1 : i64
  %m = td.mark #gpu : !td.ticket
  %y, %t = td.copy_start %x after %m iteration %l : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
  %r:3 = scf.for %i = %l to %n step %s iter_args(%Ax = %y, %At = %t, %Au = %t)
      -> (tensor<4xf32, #gpu>, !td.ticket, !td.ticket) : i64 {
    %b:3 = scf.if %c -> (tensor<4xf32, #gpu>, !td.ticket, !td.ticket) {
      // expected-note @below {{the copy}}
      %q:3 = scf.for %j = %l to %n step %s iter_args(%Bx = %Ax, %Bt = %At, %Bu = %Au)
          -> (tensor<4xf32, #gpu>, !td.ticket, !td.ticket) : i64 {
        td.copy_wait %Bt by #gpu
        // expected-error @below {{reads what is still being copied to cuda:0}}
        %k1 = td.kernel (%Bx) : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
        ^bb0(%a: tensor<4xf32, #gpu>):
          %e = td.exp %a : tensor<4xf32, #gpu>
          td.yield %e : tensor<4xf32, #gpu>
        }
        scf.yield %Bx, %Bt, %Bu : tensor<4xf32, #gpu>, !td.ticket, !td.ticket
      }
      scf.yield %q#0, %q#1, %q#2 : tensor<4xf32, #gpu>, !td.ticket, !td.ticket
    } else {
      %m2 = td.mark #gpu : !td.ticket
      %z, %zt = td.copy_start %x after %m2 iteration %l : tensor<4xf32, #cpu> to tensor<4xf32, #gpu>
      %no = td.no_ticket : !td.ticket
      scf.yield %z, %no, %zt : tensor<4xf32, #gpu>, !td.ticket, !td.ticket
    }
    td.copy_wait %At by #gpu
    td.copy_wait %Au by #gpu
    %k2 = td.kernel (%Ax) : (tensor<4xf32, #gpu>) -> tensor<4xf32, #gpu> {
    ^bb0(%a: tensor<4xf32, #gpu>):
      %e = td.exp %a : tensor<4xf32, #gpu>
      td.yield %e : tensor<4xf32, #gpu>
    }
    scf.yield %b#0, %b#1, %b#2 : tensor<4xf32, #gpu>, !td.ticket, !td.ticket
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// `iteration` selects the buffer, so it must count a loop's iterations.
func.func @same_iteration(%x: tensor<f32, #gpu>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    // expected-error @below {{has two buffers and no iterations of a loop}}
    %y, %t = td.copy_start %x iteration %c1 : tensor<f32, #gpu> to tensor<f32, #cpu>
    td.copy_wait %t by #gpu for %x : tensor<f32, #gpu>
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// The iteration after next copies to the same buffer.
func.func @too_late(%x: tensor<f32, #gpu>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %p = ub.poison : tensor<f32, #cpu>
  %no = td.no_ticket : !td.ticket
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %ta = %no, %b = %p, %tb = %no)
      -> (tensor<f32, #cpu>, !td.ticket, tensor<f32, #cpu>, !td.ticket) : i64 {
    // expected-error @below {{may be overwritten before it is read}}
    %y, %t = td.copy_start %x iteration %i : tensor<f32, #gpu> to tensor<f32, #cpu>
    td.copy_wait %t by #gpu for %x : tensor<f32, #gpu>
    td.copy_wait %tb by #cpu for %b : tensor<f32, #cpu>
    %f = td.item %b : tensor<f32, #cpu> -> f64
    scf.yield %y, %t, %a, %ta : tensor<f32, #cpu>, !td.ticket, tensor<f32, #cpu>, !td.ticket
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// Kernels of the next iteration may overwrite the source of the copy.
func.func @overwritten(%x: tensor<f32, #gpu>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %p = ub.poison : tensor<f32, #cpu>
  %no = td.no_ticket : !td.ticket
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %ta = %no)
      -> (tensor<f32, #cpu>, !td.ticket) : i64 {
    %k = td.kernel (%x) : (tensor<f32, #gpu>) -> tensor<f32, #gpu> {
    ^bb0(%v: tensor<f32, #gpu>):
      %e = td.exp %v : tensor<f32, #gpu>
      td.yield %e : tensor<f32, #gpu>
    }
    // expected-error @below {{may find its operand overwritten}}
    %y, %t = td.copy_start %k iteration %i : tensor<f32, #gpu> to tensor<f32, #cpu>
    td.copy_wait %ta by #cpu for %a : tensor<f32, #cpu>
    %f = td.item %a : tensor<f32, #cpu> -> f64
    scf.yield %y, %t : tensor<f32, #cpu>, !td.ticket
  }
  return
}

// -----

#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>

// A wait by the GPU is none by the host.
func.func @not_by_host(%x: tensor<f32, #gpu>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %p = ub.poison : tensor<f32, #cpu>
  %no = td.no_ticket : !td.ticket
  // expected-note @below {{the copy}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %ta = %no)
      -> (tensor<f32, #cpu>, !td.ticket) : i64 {
    %y, %t = td.copy_start %x iteration %i : tensor<f32, #gpu> to tensor<f32, #cpu>
    td.copy_wait %t by #gpu for %x : tensor<f32, #gpu>
    // expected-error @below {{reads what is still being copied to cpu}}
    %f = td.item %a : tensor<f32, #cpu> -> f64
    scf.yield %y, %t : tensor<f32, #cpu>, !td.ticket
  }
  return
}

// -----

#one = #td.dev<cuda, 0>
#two = #td.dev<cuda, 1>

// The source GPU has waited, the GPU that reads has not.
func.func @peer_read(%x: tensor<4xf32, #one>) -> tensor<4xf32, #two> {
  // expected-note @below {{the copy}}
  %y, %t = td.copy_start %x : tensor<4xf32, #one> to tensor<4xf32, #two>
  td.copy_wait %t by #one for %x : tensor<4xf32, #one>
  // expected-error @below {{reads what is still being copied to cuda:1}}
  %z = td.kernel (%y) : (tensor<4xf32, #two>) -> tensor<4xf32, #two> {
  ^bb0(%v: tensor<4xf32, #two>):
    %e = td.exp %v : tensor<4xf32, #two>
    td.yield %e : tensor<4xf32, #two>
  }
  td.copy_wait %t by #two for %y : tensor<4xf32, #two>
  return %z : tensor<4xf32, #two>
}

// -----

#one = #td.dev<cuda, 0>
#two = #td.dev<cuda, 1>

// The destination GPU's wait does not keep the source.
func.func @peer_operand(%x: tensor<4xf32, #one>) -> tensor<4xf32, #two> {
  // expected-error @below {{may find its operand overwritten}}
  %y, %t = td.copy_start %x : tensor<4xf32, #one> to tensor<4xf32, #two>
  td.copy_wait %t by #two for %y : tensor<4xf32, #two>
  %z = td.kernel (%y) : (tensor<4xf32, #two>) -> tensor<4xf32, #two> {
  ^bb0(%v: tensor<4xf32, #two>):
    %e = td.exp %v : tensor<4xf32, #two>
    td.yield %e : tensor<4xf32, #two>
  }
  return %z : tensor<4xf32, #two>
}

// -----

#one = #td.dev<cuda, 0>
#two = #td.dev<cuda, 1>

// A wait that does not list the operand does not keep it.
func.func @peer_name(%x: tensor<4xf32, #one>) -> tensor<4xf32, #two> {
  // expected-error @below {{may find its operand overwritten}}
  %y, %t = td.copy_start %x : tensor<4xf32, #one> to tensor<4xf32, #two>
  td.copy_wait %t by #two for %y : tensor<4xf32, #two>
  td.copy_wait %t by #one
  %z = td.kernel (%y) : (tensor<4xf32, #two>) -> tensor<4xf32, #two> {
  ^bb0(%v: tensor<4xf32, #two>):
    %e = td.exp %v : tensor<4xf32, #two>
    td.yield %e : tensor<4xf32, #two>
  }
  return %z : tensor<4xf32, #two>
}

// -----

#one = #td.dev<cuda, 0>
#two = #td.dev<cuda, 1>

// The result has no use, but the copy is made.
func.func @peer_result(%x: tensor<4xf32, #one>) -> tensor<4xf32, #two> {
  // expected-error @below {{may come when its result's memory is another's}}
  %y, %t = td.copy_start %x : tensor<4xf32, #one> to tensor<4xf32, #two>
  td.copy_wait %t by #one for %x : tensor<4xf32, #one>
  %z = td.to_device %x : tensor<4xf32, #one> to tensor<4xf32, #two>
  return %z : tensor<4xf32, #two>
}

// -----

#one = #td.dev<cuda, 0>
#two = #td.dev<cuda, 1>

// Copies between the same two GPUs in the other direction have a queue of their
// own.
func.func @peer_queue(%x: tensor<4xf32, #one>, %v: tensor<4xf32, #two>) -> tensor<4xf32, #two> {
  // expected-note @below {{the copy}}
  %y, %t = td.copy_start %x : tensor<4xf32, #one> to tensor<4xf32, #two>
  %w, %s = td.copy_start %v : tensor<4xf32, #two> to tensor<4xf32, #one>
  td.copy_wait %s by #two for %v, %y : tensor<4xf32, #two>, tensor<4xf32, #two>
  td.copy_wait %s by #one for %w : tensor<4xf32, #one>
  // expected-error @below {{reads what is still being copied to cuda:1}}
  %z = td.kernel (%y) : (tensor<4xf32, #two>) -> tensor<4xf32, #two> {
  ^bb0(%q: tensor<4xf32, #two>):
    %e = td.exp %q : tensor<4xf32, #two>
    td.yield %e : tensor<4xf32, #two>
  }
  return %z : tensor<4xf32, #two>
}

// -----

#one = #td.dev<cuda, 0>
#two = #td.dev<cuda, 1>

// A mark before the wait for a copy does not cover the memory of its operand.
func.func @mark_before_wait(%x: tensor<4xf32, #one>, %h: tensor<4xf32, #td.dev<cpu>>) {
  %c0 = arith.constant 0 : i64
  %y, %t = td.copy_start %x : tensor<4xf32, #one> to tensor<4xf32, #two>
  %m = td.mark #one : !td.ticket
  td.copy_wait %t by #one for %x : tensor<4xf32, #one>
  td.copy_wait %t by #two for %y : tensor<4xf32, #two>
  // expected-error @below {{may overwrite what is still read}}
  %u, %s = td.copy_start %h after %m iteration %c0 : tensor<4xf32, #td.dev<cpu>> to tensor<4xf32, #one>
  return
}
