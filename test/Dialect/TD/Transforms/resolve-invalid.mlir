// RUN: not tdc-opt %s --td-resolve=symbols=device=gpu 2>&1 | FileCheck %s

// CHECK: error: expected name=cpu or name=cuda:N, got 'device=gpu'
func.func @main() {
  return
}
