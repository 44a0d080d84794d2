// RUN: tdc-opt %s --kernel-to-cpu --split-input-file --verify-diagnostics

// Stages are cut into blocks of rows, whose number the compiler must know.
func.func @run_time_rows(%x: tensor<?x64xf32>, %n: i64) -> tensor<?x64xf32> {
  // expected-error @+1 {{expected stages that share rows of known sizes}}
  %y = td.kernel(%x, %n) sizes(%n) : (tensor<?x64xf32>, i64) -> tensor<?x64xf32> {
  ^bb0(%a: tensor<?x64xf32>, %s: i64):
    %e = td.exp %a : tensor<?x64xf32>
    %p = td.stage %e : tensor<?x64xf32>
    %r = td.neg %p : tensor<?x64xf32>
    td.yield %r : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}
