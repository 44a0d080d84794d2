//===- Calls.cpp - tdc_call -----------------------------------------------===//

#include "Handles.h"
#include "Tensors.h"
#include "tdc_text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace tdc;

namespace {

/// Holds the context of one call and the lock of the state, until the call is
/// over and its results are copied.
class CallContext {
public:
  CallContext(tdc_module &module, const Function &function) : module(module) {
    if (function.runs_alone) {
      exclusiveLock = std::unique_lock(module.stateLock);
      context = module.context;
      return;
    }
    sharedLock = std::shared_lock(module.stateLock);
    std::lock_guard guard(module.idleLock);
    if (module.idle.empty())
      return;
    context = module.idle.back();
    module.idle.pop_back();
  }

  ~CallContext() {
    if (!context || context == module.context)
      return;
    std::lock_guard guard(module.idleLock);
    module.idle.push_back(context);
  }

  /// Makes a context if none was idle. Returns 0 or a status; on failure sets
  /// `failed` to a context that has the error, which the caller must close.
  int32_t open(tdrt_context *&failed) {
    if (context)
      return 0;
    int32_t status = tdrt_share(module.context, &context);
    if (status) {
      failed = std::exchange(context, nullptr);
      return status;
    }
    auto *entry = new tdc_module::Shared{context, module.shared};
    while (!module.shared.compare_exchange_weak(entry->next, entry)) {
    }
    return 0;
  }

  tdrt_context *get() const { return context; }

private:
  tdc_module &module;
  std::unique_lock<FairSharedMutex> exclusiveLock;
  std::shared_lock<FairSharedMutex> sharedLock;
  tdrt_context *context = nullptr;
};

std::string describe(const Function &function, const char *what,
                     const tdc_tensor_type &type) {
  return std::string(what) + " `" + type.name + "` of `" + function.name + "`";
}

bool overlap(const void *one, int64_t oneBytes, const void *other,
             int64_t otherBytes) {
  auto a = reinterpret_cast<uintptr_t>(one),
       b = reinterpret_cast<uintptr_t>(other);
  return a < b + otherBytes && b < a + oneBytes;
}

int64_t countBytes(const tdc_tensor &tensor) {
  return tdc::countBytes(tensor.dtype, tensor.rank, tensor.shape);
}

/// The error in the tensor descriptors of a call, or "".
std::string findFault(const Function &function, const tdc_tensor *inputs,
                      const tdc_tensor *outputs) {
  for (size_t i = 0; i < function.num_inputs; ++i)
    if (std::string fault = tdc::findFault(inputs[i]); !fault.empty())
      return describe(function, "input", function.inputs[i]) + " " + fault;
  for (size_t i = 0; i < function.num_outputs; ++i) {
    const tdc_tensor &output = outputs[i];
    if (!output.data)
      continue;
    std::string fault = tdc::findFault(output);
    if (fault.empty() && output.strides)
      fault = "is written row by row: it cannot have strides";
    for (size_t j = 0; fault.empty() && j < i; ++j)
      if (outputs[j].data && overlap(output.data, countBytes(output),
                                     outputs[j].data, countBytes(outputs[j])))
        fault = std::string("shares memory with output `") +
                function.outputs[j].name + "`";
    if (!fault.empty())
      return describe(function, "output", function.outputs[i]) + " " + fault;
  }
  return "";
}

/// Whether writing an output may overwrite this result before it is copied. A
/// result may be in the memory of an input, which an output may share.
bool isOverwritten(const tdrt_tensor &result, const tdc_tensor *outputs,
                   size_t count) {
  int64_t bytes = tdc::countBytes(result.dtype, result.rank, result.dims);
  return llvm::any_of(llvm::ArrayRef(outputs, count), [&](auto &output) {
    return output.data &&
           overlap(result.data, bytes, output.data, countBytes(output));
  });
}

} // namespace

/// Copies the results to the caller: all, or none if it fails.
static tdc_status giveResults(const Function &function,
                              llvm::MutableArrayRef<tdrt_tensor> results,
                              tdc_tensor *outputs, tdc_error **error) {
  for (auto [i, result] : llvm::enumerate(results))
    if (outputs[i].data)
      if (std::string mismatch =
              findMismatch(result.dtype, result.rank, result.dims, outputs[i]);
          !mismatch.empty())
        return fail(error, TDC_USAGE_ERROR,
                    describe(function, "output", function.outputs[i]) + " " +
                        mismatch);
  llvm::SmallVector<std::unique_ptr<char[]>, 4> aside;
  for (tdrt_tensor &result : results) {
    if (!isOverwritten(result, outputs, function.num_outputs))
      continue;
    int64_t bytes = countBytes(result.dtype, result.rank, result.dims);
    aside.emplace_back(new (std::nothrow) char[bytes]);
    if (!aside.back())
      return fail(error, TDC_RUN_ERROR,
                  std::string("out of memory for the results of `") +
                      function.name + "`");
    memcpy(aside.back().get(), result.data, bytes);
    result.data = aside.back().get();
  }
  llvm::SmallVector<size_t, 4> made;
  for (auto [i, result] : llvm::enumerate(results)) {
    if (outputs[i].data)
      continue;
    if (allocate(outputs[i], result.dtype, result.rank, result.dims)) {
      made.push_back(i);
      continue;
    }
    for (size_t index : made)
      tdc_tensor_free(&outputs[index]);
    return fail(error, TDC_RUN_ERROR,
                "out of memory for " +
                    describe(function, "output", function.outputs[i]));
  }
  for (auto [i, result] : llvm::enumerate(results))
    if (int64_t bytes = countBytes(result.dtype, result.rank, result.dims))
      memcpy(outputs[i].data, result.data, bytes);
  return TDC_OK;
}

tdc_status tdc_call(tdc_module *module, const tdc_function *called,
                    size_t numInputs, const tdc_tensor *inputs,
                    size_t numOutputs, tdc_tensor *outputs, tdc_error **error) {
  const auto &function = *static_cast<const Function *>(called);
  if (function.owner != module->interface.get())
    return fail(error, TDC_USAGE_ERROR,
                std::string("`") + function.name +
                    "` is a function of another program than the module's");
  if (numInputs != function.num_inputs || numOutputs != function.num_outputs)
    return fail(error, TDC_USAGE_ERROR,
                std::string("`") + function.name + "` has " +
                    countOf(function.num_inputs, "input") + " and " +
                    countOf(function.num_outputs, "output") +
                    "; the call has " + countOf(numInputs, "input") + " and " +
                    countOf(numOutputs, "output"));
  if (std::string fault = findFault(function, inputs, outputs); !fault.empty())
    return fail(error, TDC_USAGE_ERROR, fault);
  llvm::SmallVector<Input, 4> readable(function.num_inputs);
  llvm::SmallVector<tdrt_tensor, 4> arguments;
  for (size_t i = 0; i < function.num_inputs; ++i) {
    if (!readable[i].take(inputs[i]))
      return fail(error, TDC_RUN_ERROR,
                  "out of memory for a copy of " +
                      describe(function, "input", function.inputs[i]));
    arguments.push_back(readable[i].get());
  }
  CallContext callContext(*module, function);
  tdrt_context *failed = nullptr;
  if (int32_t status = callContext.open(failed)) {
    tdc_status result = fail(error, failed, status);
    tdrt_close(failed);
    return result;
  }
  llvm::SmallVector<tdrt_tensor, 4> results(function.num_outputs);
  if (int32_t status = tdrt_call(callContext.get(), function.index,
                                 arguments.data(), results.data()))
    return fail(error, callContext.get(), status);
  return giveResults(function, results, outputs, error);
}
