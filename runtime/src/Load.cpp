//===- Load.cpp - single tensors in and out of files ----------------------===//

#include "Context.h"
#include "Dtype.h"
#include "FileFormats.h"
#include "Inspect.h"
#include "Layout.h"
#include "TensorData.h"
#include <algorithm>
#include <sys/stat.h>

using namespace tdrt;

void tdrt::refuseOddBools(const void *data, uint64_t bytes,
                          uint64_t fileOffset) {
  const uint8_t *values = static_cast<const uint8_t *>(data);
  for (uint64_t i = 0; i < bytes; ++i)
    if (values[i] > 1)
      failFile(706, fileOffset + i, "a bool is " + std::to_string(values[i]));
}

void tdrt::readTensorData(const InputFile &file, const FileTensor &tensor,
                          void *to) {
  if (tensor.columnMajor && tensor.dims.size() > 1) {
    std::vector<char> columns(tensor.bytes);
    file.read(tensor.offset, columns.data(), tensor.bytes);
    int32_t rank = tensor.dims.size();
    int32_t order[TDRT_MAX_RANK];
    for (int32_t d = 0; d < rank; ++d)
      order[d] = rank - 1 - d;
    toRowMajor(to, columns.data(), Layout(tensor.dims.data(), rank, order),
               elementBytes(tensor.dtype));
  } else {
    file.read(tensor.offset, to, tensor.bytes);
  }
  if (tensor.dtype == TDRT_BOOL)
    refuseOddBools(to, tensor.bytes, tensor.offset);
}

int32_t tdrt_load(tdrt_context *ctx, const char *path, const char *key,
                  int32_t dtype, int32_t rank, int64_t *dims, void **data,
                  int32_t site) {
  Context &context = Context::of(ctx);
  void *own = nullptr;
  int32_t status = context.guarded(site, [&] {
    aboutFile(path, [&] {
      InputFile file(path);
      FileTensor tensor = readTensorHeader(file, path, key);
      if (FileFault fault = checkTensorType(tensor, dtype, rank, dims))
        throw fault;
      if (!*data)
        own = context.memory.allocate(static_cast<int64_t>(tensor.bytes));
      readTensorData(file, tensor, *data ? *data : own);
      std::copy(tensor.dims.begin(), tensor.dims.end(), dims);
    });
  });
  if (status == 0 && !*data)
    *data = own;
  else if (status != 0)
    context.memory.release(own);
  return status;
}

namespace {

/// The header of a version 1.0 file, padded to a multiple of 64 bytes.
std::string npyHeader(const tdrt_tensor &tensor) {
  static const char *const names[] = {"<f8", "<f4", "<f2", nullptr, "<i8",
                                      "<i4", "<i2", "|i1", "|u1",   "|b1"};
  const char *name = names[tensor.dtype];
  if (!name)
    failFile(715, -1, "the npy format has no bf16: save f32");
  std::string text = std::string("{'descr': '") + name +
                     "', 'fortran_order': False, 'shape': (";
  for (int32_t d = 0; d < tensor.rank; ++d)
    text += (d ? ", " : "") + std::to_string(tensor.dims[d]);
  text += tensor.rank == 1 ? ",), }" : "), }";
  constexpr size_t preamble = 10;
  text.append(63 - (preamble + text.size()) % 64, ' ');
  text += '\n';
  std::string header = "\x93NUMPY";
  header += '\1';
  header += '\0';
  header += static_cast<char>(text.size() & 255);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

} // namespace

int32_t tdrt_save_tensor(tdrt_context *ctx, const char *path,
                         const tdrt_tensor *tensor, int32_t site) {
  if (int32_t status = tdrt_poll(ctx))
    return status;
  return Context::of(ctx).guarded(site, [&] {
    aboutFile(path, [&] {
      checkWritable(path, FileContents::Tensor);
      std::string header = npyHeader(*tensor);
      OutputFile file(path);
      file.write(header.data(), header.size());
      file.write(tensor->data,
                 tensorBytes(tensor->dtype, tensor->rank, tensor->dims));
      file.commit();
    });
  });
}

int32_t tdrt_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0;
}
