// The driver answers, as it answers compiled code.
// RUN: env TDC_SIM_CUDA=2 TDC_SIM_MEMORY=5000000 tdc-interpret %s | FileCheck %s
// RUN: env TDC_SIM_CUDA=1 not tdc-interpret %s 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error[TR103]: there is no cuda:1: 1 can be seen

func.func @main() {
  %c1 = arith.constant 1 : i64
  td.cuda_synchronize
  %name = td.cuda_device_name %c1
  %bytes = td.cuda_total_memory %c1
  // CHECK: tdc simulated GPU (sm_80): 5000000
  %s = td.format "{}: {}\n" (%name, %bytes) : !td.str, i64
  td.print %s
  return
}
