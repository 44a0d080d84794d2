//===- Stats.cpp - counters of a run --------------------------------------===//
//
// "peak" has the most bytes that were in use per device; "copies", "sites" and
// "loops" count copies between devices. A program on the cpu copies nothing, so
// those lists are empty; they are written all the same, because tools read them
// without asking which devices there were.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

using namespace tdrt;

const char *tdrt_stats_json(tdrt_context *ctx) {
  Context &context = Context::of(ctx);
  try {
    context.statsText =
        "{\"copies\":[],\"sites\":[],\"loops\":[],\"peak\":{\"cpu\":" +
        std::to_string(context.memory.peak()) + "}}\n";
    return context.statsText.c_str();
  } catch (const std::bad_alloc &) {
    return "{}\n";
  }
}
