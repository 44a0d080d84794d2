//===- Options.cpp - options of the sanitizers under the fuzzers ----------===//
//
// Each refusal throws. At a throw AddressSanitizer clears the shadow of the
// stack (with new pages from the kernel, which then cost one page fault each)
// and all its heap copies of stack frames. Most of the time would be spent
// there.
//
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("default"), used)) const char *
__asan_default_options() {
  return "detect_stack_use_after_return=0:clear_shadow_mmap_threshold=16777216";
}
