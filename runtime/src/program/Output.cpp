//===- Output.cpp - standard output and strings ---------------------------===//

#include "program/Output.h"
#include "base/Descriptor.h"
#include "base/Failure.h"
#include "program/Context.h"
#include "tdc_prints.h"
#include "text/Format.h"
#include "text/TensorPrint.h"
#include <cerrno>
#include <cstring>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

using namespace tdrt;

namespace {
/// Bytes that are written at once: enough that system calls do not matter, few
/// enough that a log file is up to date.
constexpr size_t kBuffer = 64 << 10;

void (*watcher)(std::string_view text) = nullptr;

template <class Append> void append(tdrt_context *ctx, Append append) noexcept {
  Context::of(ctx).output.add(append);
}
} // namespace

void tdrt::watchPrints(void (*watch)(std::string_view text)) noexcept {
  watcher = watch;
}

void Output::endPrint(bool flushNow) {
  if (failed) {
    dropPrint();
    throw std::bad_alloc();
  }
  if (watcher)
    watcher(std::string_view(pending).substr(ended));
  ended = pending.size();
  if (terminal < 0)
    terminal = isatty(STDOUT_FILENO) == 1;
  if (flushNow || terminal || pending.size() >= kBuffer)
    flush();
}

void Output::flush() {
  if (ended > 0)
    atLineStart = pending[ended - 1] == '\n';
  int error = writeAll(STDOUT_FILENO, pending.data(), ended);
  pending.erase(0, ended);
  ended = 0;
  noReader |= error == EPIPE;
  if (error)
    fail(752, "cannot write to standard output: " + systemText(error));
}

void Output::endLine() noexcept {
  struct stat out, err;
  if (atLineStart || fstat(STDOUT_FILENO, &out) != 0 ||
      fstat(STDERR_FILENO, &err) != 0 || out.st_dev != err.st_dev ||
      out.st_ino != err.st_ino)
    return;
  atLineStart = true;
  writeText(STDERR_FILENO, "\n");
}

void Output::beginString() noexcept {
  if (lost) {
    ++lost;
    return;
  }
  try {
    building.emplace_back();
  } catch (const std::bad_alloc &) {
    ++lost;
  }
}

const char *Output::endString() {
  if (lost) {
    --lost;
    throw std::bad_alloc();
  }
  std::string text = std::move(building.back());
  building.pop_back();
  if (failed) {
    failed = false;
    throw std::bad_alloc();
  }
  std::unique_ptr<char[]> copy(new char[text.size() + 1]);
  memcpy(copy.get(), text.c_str(), text.size() + 1);
  strings.push_back(std::move(copy));
  return strings.back().get();
}

void Output::release(int64_t mark) {
  if (mark >= 0 && static_cast<size_t>(mark) < strings.size())
    strings.resize(mark);
}

//===----------------------------------------------------------------------===//
// ABI
//===----------------------------------------------------------------------===//

void tdrt_out_text(tdrt_context *ctx, const char *text, int64_t length) {
  append(ctx, [&](std::string &out) {
    out.append(text, length < 0 ? strlen(text) : static_cast<size_t>(length));
  });
}

void tdrt_out_i64(tdrt_context *ctx, int64_t value, const tdrt_format *format) {
  append(ctx, [&](std::string &out) { appendInt(out, value, format); });
}

void tdrt_out_u64(tdrt_context *ctx, int64_t bits, const tdrt_format *format) {
  append(ctx, [&](std::string &out) {
    appendUnsigned(out, static_cast<uint64_t>(bits), format);
  });
}

void tdrt_out_f64(tdrt_context *ctx, double value, const tdrt_format *format) {
  append(ctx, [&](std::string &out) { appendFloat(out, value, format); });
}

void tdrt_out_bool(tdrt_context *ctx, int32_t value,
                   const tdrt_format *format) {
  append(ctx, [&](std::string &out) { appendBool(out, value != 0, format); });
}

void tdrt_out_str(tdrt_context *ctx, const char *value,
                  const tdrt_format *format) {
  append(ctx, [&](std::string &out) {
    appendString(out, value, strlen(value), format);
  });
}

void tdrt_out_tensor(tdrt_context *ctx, const tdrt_tensor *tensor) {
  append(ctx, [&](std::string &out) { appendTensor(out, *tensor); });
}

int32_t tdrt_out_end(tdrt_context *ctx, int32_t flush, int32_t site) {
  Context &context = Context::of(ctx);
  if (int32_t status = tdrt_poll(ctx)) {
    context.output.dropPrint();
    return status;
  }
  context.progress.hide();
  HostSpan span(context, "print", site);
  return context.guarded(-1, [&] { context.output.endPrint(flush != 0); });
}

void tdrt_str_begin(tdrt_context *ctx) {
  Context::of(ctx).output.beginString();
}

int32_t tdrt_str_end(tdrt_context *ctx, const char **text) {
  *text = "";
  Context &context = Context::of(ctx);
  return context.guarded(-1, [&] { *text = context.output.endString(); });
}

int64_t tdrt_str_mark(tdrt_context *ctx) {
  return Context::of(ctx).output.mark();
}

void tdrt_str_release(tdrt_context *ctx, int64_t mark) {
  Context::of(ctx).output.release(mark);
}
