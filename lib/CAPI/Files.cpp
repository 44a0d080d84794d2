//===- Files.cpp - tensors in files ---------------------------------------===//

#include "Handles.h"
#include "Tensors.h"
#include "tdc_files.h"
#include <utility>

using namespace tdc;

namespace {

/// A context without a program, for functions of the runtime that need one.
class NoProgram {
public:
  NoProgram() {
    static const tdrt_program program = [] {
      tdrt_program empty = {};
      empty.abi_version = TDRT_ABI_VERSION;
      empty.name = "";
      empty.main = [](tdrt_context *) -> int32_t { return 0; };
      return empty;
    }();
    const char *name = "";
    status = tdrt_open(&program, 1, &name, &context);
  }
  ~NoProgram() { tdrt_close(context); }
  NoProgram(const NoProgram &) = delete;

  int32_t status;
  tdrt_context *context;
};

} // namespace

tdc_status tdc_load_tensor(const char *path, const char *key,
                           const tdc_tensor_type *type, tdc_tensor *tensor,
                           tdc_error **error) {
  *tensor = {};
  if (type)
    if (std::string fault = findTypeFault(type->dtype, type->rank, type->shape);
        !fault.empty())
      return fail(error, TDC_USAGE_ERROR, "the type " + fault);
  NoProgram none;
  if (none.status)
    return fail(error, none.context, none.status);
  // If the file cannot be read, tdrt_load() below fails, too, with an error.
  tdrt::FileTensor found;
  int32_t dtype = TDC_F32;
  std::vector<int64_t> shape;
  if (type) {
    dtype = type->dtype;
    shape.assign(type->shape, type->shape + type->rank);
  } else if (!tdrt::inspectTensorFile(path, key, found)) {
    if (found.dtype >= 0)
      dtype = found.dtype; // else the file fits any dtype, or tdc has none
    shape = std::move(found.dims);
  }
  void *data = nullptr;
  if (int32_t status =
          tdrt_load(none.context, path, key, dtype, int32_t(shape.size()),
                    shape.data(), &data, -1))
    return fail(error, none.context, status);
  if (!allocate(*tensor, dtype, int32_t(shape.size()), shape.data()))
    return fail(error, TDC_RUN_ERROR,
                std::string("out of memory for `") + path + "`");
  if (int64_t bytes = countBytes(dtype, tensor->rank, tensor->shape))
    memcpy(tensor->data, data, bytes);
  return TDC_OK;
}

tdc_status tdc_save_tensor(const char *path, const tdc_tensor *tensor,
                           tdc_error **error) {
  if (std::string fault = findFault(*tensor); !fault.empty())
    return fail(error, TDC_USAGE_ERROR, "the tensor " + fault);
  Input input;
  NoProgram none;
  if (none.status)
    return fail(error, none.context, none.status);
  if (!input.take(*tensor))
    return fail(error, TDC_RUN_ERROR,
                std::string("out of memory to write `") + path + "`");
  int32_t status = tdrt_save_tensor(none.context, path, &input.get(), -1);
  return status ? fail(error, none.context, status) : TDC_OK;
}
