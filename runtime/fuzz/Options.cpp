//===- Options.cpp - how the sanitizers run under the fuzzers -------------===//
//
// Each refusal throws, and at a throw AddressSanitizer looks through all its
// heap copies of stack frames: most of the time would go there.
//
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("default"), used)) const char *
__asan_default_options() {
  return "detect_stack_use_after_return=0";
}
