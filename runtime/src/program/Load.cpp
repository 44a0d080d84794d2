//===- Load.cpp - loads and saves of single tensors -----------------------===//

#include "base/Dtype.h"
#include "formats/FileFormats.h"
#include "formats/NpyData.h"
#include "formats/TensorFormat.h"
#include "formats/ZipWriter.h"
#include "program/Context.h"
#include <algorithm>
#include <sys/stat.h>

using namespace tdrt;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Whether the data is mapped and not read: large data that is in the file as
/// in memory. A program that iterates over its rows then reads only the rows
/// that it needs, from a file that may be larger than memory.
bool canMap(const TensorFormat &format, const FileTensor &tensor) {
  return format.isPlain && tensor.bytes >= TDRT_MAP_FROM &&
         tensor.dtype != TDRT_BOOL &&
         !(tensor.columnMajor && tensor.dims.size() > 1);
}

int32_t load(tdrt_context *ctx, const TensorFormat &format, const char *path,
             const char *key, int32_t dtype, int32_t rank, int64_t *dims,
             void **data, int32_t site) {
  Context &context = Context::of(ctx);
  HostSpan span(context, "load", site);
  void *own = nullptr;
  int32_t status = context.guarded(site, [&] {
    aboutFile(path, [&] {
      InputFile file(path);
      FileTensor tensor = format.inspect(file, key);
      throwIf(checkTensorType(tensor, dtype, rank, dims));
      if (tensor.anyDtype) {
        tensor.dtype = dtype;
        int64_t bytes = tensorBytes(dtype, rank, tensor.dims.data());
        tensor.bytes = static_cast<uint64_t>(bytes);
      }
      if (!*data && canMap(format, tensor))
        own = context.memory.map(file, path, tensor.offset);
      if (!own) {
        if (!*data)
          own = context.memory.allocate(static_cast<int64_t>(tensor.bytes));
        format.read(file, tensor, *data ? *data : own);
      }
      std::copy(tensor.dims.begin(), tensor.dims.end(), dims);
    });
  });
  if (status == 0 && !*data)
    *data = own;
  else if (status != 0)
    context.memory.release(own);
  return status;
}

} // namespace

// Loaders that choose the format of a path. A program carries the code of the
// formats that its loader can choose.
#define PICKING_LOADER(NAME, FIND)                                             \
  int32_t NAME(tdrt_context *ctx, const char *path, const char *key,           \
               int32_t dtype, int32_t rank, int64_t *dims, void **data,        \
               int32_t site) {                                                 \
    const TensorFormat *format = nullptr;                                      \
    int32_t status = Context::of(ctx).guarded(site, [&] {                      \
      format = aboutFile(path, [&] { return &FIND(path, key); });              \
    });                                                                        \
    return status                                                              \
               ? status                                                        \
               : load(ctx, *format, path, key, dtype, rank, dims, data, site); \
  }
PICKING_LOADER(tdrt_load, findFormat)
PICKING_LOADER(tdrt_load_array, findArrayFormat)
#undef PICKING_LOADER

// One function for each format, so that a program carries the code of the
// formats that it reads.
#define LOADER(NAME)                                                           \
  int32_t tdrt_load_##NAME(tdrt_context *ctx, const char *path,                \
                           const char *key, int32_t dtype, int32_t rank,       \
                           int64_t *dims, void **data, int32_t site) {         \
    return load(ctx, NAME##Format, path, key, dtype, rank, dims, data, site);  \
  }
LOADER(npy)
LOADER(npz)
LOADER(safetensors)
LOADER(csv)
LOADER(idx)
LOADER(png)
LOADER(jpeg)
#undef LOADER

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

int32_t tdrt_save_tensor(tdrt_context *ctx, const char *path,
                         const tdrt_tensor *tensor, int32_t site) {
  if (int32_t status = tdrt_poll(ctx))
    return status;
  Context &context = Context::of(ctx);
  HostSpan span(context, "save", site);
  return context.guarded(site, [&] {
    aboutFile(path, [&] {
      checkWrittenFormat(path, FileContents::Tensor);
      std::string header = npyHeader(*tensor);
      uint64_t bytes = tensorBytes(tensor->dtype, tensor->rank, tensor->dims);
      ZipFrame frame;
      if (hasEnding(path, ".npz"))
        frame = makeZipFrame("arr_0.npy", header, tensor->data, bytes);
      OutputFile file(path);
      if (file.isStream())
        context.output.flush();
      file.write(frame.before.data(), frame.before.size());
      file.write(header.data(), header.size());
      file.write(tensor->data, bytes);
      file.write(frame.after.data(), frame.after.size());
      file.commit();
    });
  });
}

int32_t tdrt_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0;
}
