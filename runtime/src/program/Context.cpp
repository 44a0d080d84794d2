//===- Context.cpp - a program's start and end, and its errors ------------===//

#include "program/Context.h"
#include "base/Denormals.h"
#include "base/Dtype.h"
#include "program/Versions.h"
#include "tdc_text.h"
#include <cinttypes>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tdrt;

// Generated code reads these fields at fixed offsets.
static_assert(offsetof(tdrt_context, arena) == 0, "ABI");
static_assert(offsetof(tdrt_context, args) == 8, "ABI");
static_assert(offsetof(tdrt_context, attention) == 16, "ABI");
static_assert(offsetof(tdrt_context, loops) == 24, "ABI");
static_assert(offsetof(tdrt_context, devices) == 72, "ABI");
static_assert(offsetof(tdrt_context, state) == 80, "ABI");
static_assert(offsetof(tdrt_context, pinned) == 88, "ABI");

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

int32_t Context::setError(int32_t code, std::string &&message,
                          int32_t site) noexcept {
  if (errorCode == 0) {
    errorCode = code;
    errorSite = site;
    // The failure of a GPU is found later than it happens.
    errorLoops = code / 100 == 3 ? Loops() : getLoops();
    errorMessage = std::move(message);
  }
  return code;
}

int32_t Context::setOutOfMemory(int32_t site) noexcept {
  // Short enough for the string's own buffer: this must not allocate.
  return setError(201, "out of memory", site);
}

void Context::clearError() noexcept {
  errorCode = 0;
  errorSite = -1;
  errorMessage.clear();
  report.clear();
}

void Context::forgetLastCall() noexcept {
  clearError();
  // A poll that failed may have left a further report, and `attention` is
  // clear then.
  __atomic_store_n(&attention, 0, __ATOMIC_SEQ_CST);
  kernelError.taken.store(false, std::memory_order_release);
  kernelValue.taken.store(*kernelValue.isTold, std::memory_order_release);
  interruptRequested.store(false, std::memory_order_relaxed);
}

void Context::beginCall() noexcept {
  forgetLastCall();
  memory.beginCall();
  if (gpus)
    gpus->beginCall();
}

const char *Context::errorText() noexcept {
  if (errorCode == 0)
    return "";
  if (!report.empty())
    return report.c_str();
  try {
    if (errorCode == TDRT_HELP)
      return errorMessage.c_str();
    report = describe(getError());
    return report.c_str();
  } catch (const std::bad_alloc &) {
    return "error[TR201]: out of memory\n";
  }
}

std::string Context::describe(const tdrt_error &error) const {
  static const char *const words[] = {"error", "warning", "note"};
  std::string text = "interrupted\n";
  if (error.code != kInterrupted) {
    text = words[error.severity];
    if (error.code) {
      std::string number = std::to_string(error.code);
      text += "[TR" + std::string(3 - number.size(), '0') + number + "]";
    }
    text += std::string(": ") + error.message + "\n";
  }
  if (error.site) {
    text += "  --> " + tdc::printable(error.site->file) + ":" +
            std::to_string(error.site->line);
    if (error.site->column > 0)
      text += ":" + std::to_string(error.site->column);
    text += "\n";
    if (error.site->excerpt)
      text += error.site->excerpt;
  }
  if (error.note)
    text += "  note: " + std::string(error.note) + "\n";
  return text;
}

tdrt_error Context::getError() noexcept {
  return {errorCode, errorMessage.c_str(), findSite(errorSite), getNote(),
          TDRT_ERROR};
}

const tdrt_site *Context::findSite(int32_t site) const noexcept {
  return site >= 0 && site < program->num_sites ? &program->sites[site]
                                                : nullptr;
}

/// "after 2 of 10 iterations of the loop at line 12"; null outside of loops.
const char *Context::getNote() noexcept {
  if (errorLoops[0].total == 0)
    return nullptr;
  const auto &[outer, inner] = errorLoops;
  int length = snprintf(
      errorNote, sizeof errorNote,
      "after %" PRId64 " of %" PRId64 " iterations of the loop at line %d",
      outer.done, outer.total, program->sites[outer.site].line);
  if (inner.total != 0)
    snprintf(errorNote + length, sizeof errorNote - length,
             ", and %" PRId64 " of %" PRId64 " of that at line %d", inner.done,
             inner.total, program->sites[inner.site].line);
  return errorNote;
}

void tdrt_get_error(tdrt_context *ctx, tdrt_error *error) {
  *error = Context::of(ctx).getError();
}

void tdrt_forget_last_call(tdrt_context *ctx) {
  Context::of(ctx).forgetLastCall();
}

const char *tdrt_error_text(tdrt_context *ctx) {
  return ctx ? Context::of(ctx).errorText() : "error[TR201]: out of memory\n";
}

void tdrt::tellError(tdrt_context *ctx) {
  tdrt_error error = {201, "out of memory", nullptr, nullptr, TDRT_ERROR};
  if (ctx) {
    tdrt_get_error(ctx, &error);
    Context::of(ctx).output.endLine();
  }
  tellError(error, tdrt_error_text(ctx));
}

int tdrt_exit_code(int32_t status) {
  if (status == 0 || status == TDRT_HELP)
    return tdc::ExitOk;
  if (status == kInterrupted)
    return tdc::ExitInterrupted;
  return status < 100 ? tdc::ExitUsage : tdc::ExitRunTime;
}

/// Puts `value` in the place of `name` in a message.
static void put(std::string &text, const char *name, const std::string &value) {
  if (size_t at = text.find(name); at != std::string::npos)
    text.replace(at, strlen(name), value);
}

static void failIndex(int64_t index, int64_t size, const char *words) {
  std::string text =
      words ? words : "index {index} is out of range for size {size}";
  put(text, "{index}", std::to_string(index));
  put(text, "{size}", std::to_string(size));
  put(text, "{last}", std::to_string(size - 1));
  fail(103, std::move(text));
}

static std::string describeValue(double value, const tdrt_site *site) {
  std::string text = site && site->words
                         ? site->words
                         : "the value to differentiate is {value}";
  put(text, "{value}", std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
  return text;
}

int32_t tdrt_poll(tdrt_context *ctx) {
  // Cleared before the causes are read, so that the next poll sees a cause that
  // arises meanwhile.
  __atomic_store_n(&ctx->attention, 0, __ATOMIC_SEQ_CST);
  Context &context = Context::of(ctx);
  KernelError &error = context.kernelError;
  if (error.taken.load(std::memory_order_acquire)) {
    const tdrt_site *site = context.findSite(error.site);
    int32_t status = context.guarded(error.site, [&] {
      failIndex(error.index, error.size, site ? site->words : nullptr);
    });
    // Kernels of GPUs run later than main.
    context.setErrorLoops(context.gpus ? Loops() : error.loops);
    error.taken.store(false, std::memory_order_release);
    return status;
  }
  if (context.kernelValue.taken.load(std::memory_order_acquire) &&
      !*context.kernelValue.isTold)
    if (int32_t status = context.tellValue())
      return status;
  if (context.interruptRequested.exchange(false, std::memory_order_relaxed))
    return context.setError(kInterrupted, "", -1);
  if (progressDue.exchange(false, std::memory_order_relaxed) &&
      context.output.isAtLineStart())
    context.progress.show(context, context.program->sites);
  return 0;
}

int32_t Context::tellValue() noexcept {
  double value = kernelValue.value;
  const tdrt_site *site = findSite(kernelValue.site);
  // Kernels of GPUs run later than main.
  errorLoops = gpus ? Loops() : kernelValue.loops;
  if (program->strict_numerics) {
    Loops at = errorLoops;
    int32_t status = guarded(kernelValue.site,
                             [&] { fail(109, describeValue(value, site)); });
    setErrorLoops(at);
    kernelValue.taken.store(false, std::memory_order_release);
    return status;
  }
  if (kernelValue.isTold->exchange(true))
    return 0;
  return guarded(-1, [&] {
    std::string message = describeValue(value, site);
    tell({109, message.c_str(), site, getNote(), TDRT_WARNING});
  });
}

void Context::tell(const tdrt_error &remark) {
  progress.hide();
  output.flush();
  output.endLine();
  tdrt::tellError(remark, describe(remark).c_str());
}

void Context::tellNote(const std::string &message) {
  if (isProcess && !isQuiet)
    tell({0, message.c_str(), nullptr, nullptr, TDRT_NOTE});
}

void tdrt_interrupt(tdrt_context *ctx) {
  Context::of(ctx).interruptRequested.store(true, std::memory_order_relaxed);
  __atomic_store_n(&ctx->attention, 1, __ATOMIC_SEQ_CST);
}

int32_t tdrt_fail_check(tdrt_context *ctx, int32_t code, const char *message,
                        int32_t site) {
  return Context::of(ctx).guarded(site, [&] {
    std::string text = message;
    if (code == 101)
      text = text.empty() ? "assertion failed" : "assertion failed: " + text;
    fail(code, std::move(text));
  });
}

int32_t tdrt_fail_sizes(tdrt_context *ctx, int64_t lhs, int64_t rhs,
                        const char *what, int32_t site) {
  return Context::of(ctx).guarded(site, [&] {
    fail(104, "sizes do not agree: " + std::string(what) + ": " +
                  std::to_string(lhs) + " and " + std::to_string(rhs));
  });
}

int32_t tdrt_fail_index(tdrt_context *ctx, int64_t index, int64_t size,
                        int32_t site) {
  return Context::of(ctx).guarded(site,
                                  [&] { failIndex(index, size, nullptr); });
}

void tdrt_kernel_error(tdrt_context *ctx, int64_t index, int64_t size,
                       int32_t site) {
  KernelError &error = Context::of(ctx).kernelError;
  if (!error.taken.exchange(true, std::memory_order_acq_rel)) {
    error.index = index;
    error.size = size;
    error.site = site;
    error.loops = Context::of(ctx).getLoops();
  }
  __atomic_store_n(&ctx->attention, 1, __ATOMIC_SEQ_CST);
}

void tdrt_kernel_value(tdrt_context *ctx, double value, int32_t site) {
  KernelValue &found = Context::of(ctx).kernelValue;
  if (found.taken.exchange(true, std::memory_order_acq_rel))
    return;
  found.value = value;
  found.site = site;
  found.loops = Context::of(ctx).getLoops();
  __atomic_store_n(&ctx->attention, 1, __ATOMIC_SEQ_CST);
}

//===----------------------------------------------------------------------===//
// Opening, running and closing
//===----------------------------------------------------------------------===//

int32_t tdrt_open(const tdrt_program *program, int argc,
                  const char *const *argv, tdrt_context **ctx) {
  return openProgram(*program, argc, argv, /*isProcess=*/false, ctx);
}

int32_t tdrt::openProgram(const tdrt_program &program, int argc,
                          const char *const *argv, bool isProcess,
                          tdrt_context **ctx) {
  auto *context = new (std::nothrow) Context(program, isProcess);
  *ctx = context;
  if (!context)
    return 201;
  return context->guarded(-1, [&] {
    // Only the program's first member may be read before this check.
    if (program.abi_version != TDRT_ABI_VERSION)
      fail(601, "the program was compiled for version " +
                    std::to_string(program.abi_version) +
                    " of the runtime, this is version " +
                    std::to_string(TDRT_ABI_VERSION));
    context->parseArguments(argc, argv);
    checkReports();
    context->openDevices();
  });
}

void Context::openDevices() {
  const char *device = nullptr;
  for (int32_t i = 0; i < program->num_args; ++i)
    if (program->args[i].kind == TDRT_ARG_DEVICE)
      device = args[i].s;
  program = &chooseVersion(*this, device);
  if (const char *path = getenv("TDC_TRACE"); path && *path)
    trace = std::make_unique<Trace>(*program);
  arena = state = memory.allocateArena(program->arena_bytes);
  if (!program->gpu)
    return;
  gpus = program->gpu->backend()->open(*this);
  devices = gpus->getTable();
  pinned = gpus->getPinned();
}

int32_t tdrt_share(tdrt_context *ctx, tdrt_context **shared) {
  const Context &context = Context::of(ctx);
  auto *made =
      new (std::nothrow) Context(*context.program, /*isProcess=*/false);
  *shared = made;
  return made ? made->guarded(-1, [&] { made->share(context); }) : 201;
}

void Context::share(const Context &other) {
  args = other.args;
  state = other.state;
  kernelValue.isTold = other.kernelValue.isTold;
  // Offsets of buffers count from the start of the state, which is elsewhere.
  char *buffers =
      memory.allocateArena(program->arena_bytes - program->state_bytes);
  arena = reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(buffers) -
                                   program->state_bytes);
}

int32_t Context::finishDevices() noexcept {
  if (!gpus)
    return 0;
  HostSpan span(*this, "wait", -1);
  return guarded(-1, [&] { gpus->synchronize(); });
}

namespace {
/// Makes this thread ready to run the program while it lives: enters its GPUs.
struct Running {
  /// Does nothing if `error` is not 0.
  Running(Context &context, int32_t error)
      : devices(error ? nullptr : context.gpus.get()), status(error) {
    if (devices)
      status = context.guarded(-1, [&] { devices->enter(); });
  }
  ~Running() {
    if (devices && status == 0)
      devices->leave();
  }
  Running(const Running &) = delete;

  Devices *devices;
  int32_t status; ///< 0, or why the program cannot run
};
} // namespace

int32_t tdrt_main(tdrt_context *ctx) {
  Context &context = Context::of(ctx);
  ScopedDenormals flush(Denormals::Flush);
  Running running(context, /*error=*/0);
  int32_t status = running.status;
  if (status == 0)
    status = context.program->main(ctx);
  int32_t finished = context.finishDevices();
  status = status ? status : finished;
  // A bad index in the last kernel is an error, too. Prints are written before
  // the error is reported.
  if (status == 0)
    status = tdrt_poll(ctx);
  context.progress.hide();
  int32_t flushed = context.guarded(-1, [&] { context.output.flush(); });
  return status ? status : flushed;
}

int32_t tdrt_call(tdrt_context *ctx, int32_t index, const tdrt_tensor *inputs,
                  tdrt_tensor *outputs) {
  Context &context = Context::of(ctx);
  context.beginCall();
  const tdrt_program &program = *context.program;
  int32_t status = context.guarded(-1, [&] {
    if (index < 0 || index >= program.num_exports)
      fail(107, "there is no exported function " + std::to_string(index));
    const tdrt_export &function = program.exports[index];
    for (int32_t i = 0; i < function.num_inputs; ++i) {
      const tdrt_port &port = function.inputs[i];
      const tdrt_tensor &tensor = inputs[i];
      bool fits = tensor.dtype == port.dtype && tensor.rank == port.rank;
      for (int32_t d = 0; fits && d < port.rank; ++d)
        fits = tensor.dims[d] >= 0 &&
               (port.dims[d] < 0 || port.dims[d] == tensor.dims[d]);
      if (fits)
        continue;
      bool readable = tensor.dtype >= TDRT_F64 && tensor.dtype <= TDRT_U64 &&
                      tensor.rank >= 0 && tensor.rank <= TDRT_MAX_RANK;
      fail(107, "input `" + std::string(port.name) + "` of `" + function.name +
                    "` is " + typeText(port.dtype, port.dims, port.rank) +
                    (readable ? ", not " + typeText(tensor.dtype, tensor.dims,
                                                    tensor.rank)
                              : std::string()));
    }
  });
  Running running(context, status);
  status = running.status;
  if (status == 0) {
    ScopedDenormals flush(Denormals::Flush);
    // Results are tensors, so strings made in the call do not escape.
    int64_t strings = context.output.mark();
    status = program.exports[index].entry(ctx, inputs, outputs);
    context.output.release(strings);
    int32_t finished = context.finishDevices();
    status = status ? status : finished;
    if (status == 0)
      status = tdrt_poll(ctx);
  }
  int32_t flushed = context.guarded(-1, [&] { context.output.flush(); });
  status = status ? status : flushed;
  context.memory.endCall(status != 0);
  if (context.gpus)
    context.gpus->endCall(status != 0);
  return status;
}

void tdrt_close(tdrt_context *ctx) { delete static_cast<Context *>(ctx); }

//===----------------------------------------------------------------------===//
// Memory, random state
//===----------------------------------------------------------------------===//

/// The memory of the cpu or of a GPU.
static Memory &memoryOf(Context &context, int32_t device) {
  return device == 0 ? context.memory : context.gpus->getMemory(device);
}

int32_t tdrt_alloc_tensor(tdrt_context *ctx, int32_t device, int32_t dtype,
                          int32_t rank, const int64_t *dims, int32_t site,
                          void **data) {
  *data = nullptr;
  Context &context = Context::of(ctx);
  return context.guarded(site, [&] {
    for (int32_t i = 0; i < rank; ++i)
      if (dims[i] < 0)
        fail(104, "a size is negative: " + std::to_string(dims[i]));
    int64_t bytes = tensorBytes(dtype, rank, dims);
    if (bytes < 0)
      fail(202, typeText(dtype, dims, rank) + " is too large for any memory");
    *data = memoryOf(context, device).allocate(bytes);
  });
}

void tdrt_free(tdrt_context *ctx, int32_t device, void *data) {
  memoryOf(Context::of(ctx), device).release(data);
}

int64_t tdrt_bytes_in_use(const tdrt_context *ctx) {
  const Context &context = Context::of(ctx);
  return context.memory.inUse() +
         (context.gpus ? context.gpus->countBytesInUse() : 0);
}

void tdrt_seed(tdrt_context *ctx, int64_t n) {
  Context::of(ctx).random = {n, 0};
}

int64_t tdrt_next_random(tdrt_context *ctx, int64_t *seed) {
  RandomState &random = Context::of(ctx).random;
  *seed = random.seed;
  return random.calls++;
}
