//===- Options.cpp - how the sanitizers run under the fuzzers -------------===//
//
// Each refusal throws, and at a throw AddressSanitizer clears the shadow of the
// stack: by new pages from the kernel, which then come one fault at a time, and
// in all its heap copies of stack frames. Most of the time would go there.
//
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("default"), used)) const char *
__asan_default_options() {
  return "detect_stack_use_after_return=0:clear_shadow_mmap_threshold=16777216";
}
