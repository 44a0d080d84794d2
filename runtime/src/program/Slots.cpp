//===- Slots.cpp - copies of a program's state in row-major order ---------===//

#include "base/Dtype.h"
#include "base/Layout.h"
#include "program/Context.h"
#include <cstring>

using namespace tdrt;

void tdrt_slot_read(const tdrt_context *ctx, int32_t slot, void *to) {
  const tdrt_slot &s = Context::of(ctx).program->slots[slot];
  const char *from = ctx->state + s.offset;
  if (s.order)
    toRowMajor(to, from, Layout(s.dims, s.rank, s.order, s.block),
               elementBytes(s.dtype));
  else
    memcpy(to, from, tensorBytes(s.dtype, s.rank, s.dims));
}

void tdrt_slot_write(tdrt_context *ctx, int32_t slot, const void *from) {
  const tdrt_slot &s = Context::of(ctx).program->slots[slot];
  char *to = ctx->state + s.offset;
  if (s.order)
    fromRowMajor(to, from, Layout(s.dims, s.rank, s.order, s.block),
                 elementBytes(s.dtype));
  else
    memcpy(to, from, tensorBytes(s.dtype, s.rank, s.dims));
}
