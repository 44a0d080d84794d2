//===- NpyData.cpp - data of .npy files and similar formats ---------------===//

#include "formats/NpyData.h"
#include "base/Dtype.h"
#include "base/Layout.h"
#include "formats/TensorFormat.h"
#include <algorithm>

using namespace tdrt;

void tdrt::refuseOddBools(const void *data, uint64_t bytes,
                          uint64_t fileOffset) {
  const uint8_t *values = static_cast<const uint8_t *>(data);
  for (uint64_t i = 0; i < bytes; ++i)
    if (values[i] > 1)
      failFile(706, fileOffset + i, "a bool is " + std::to_string(values[i]));
}

void tdrt::readNpyData(const FileTensor &tensor, void *to,
                       const std::function<void(void *)> &read) {
  if (tensor.columnMajor && tensor.dims.size() > 1) {
    std::vector<char> columns(tensor.bytes);
    read(columns.data());
    int32_t rank = tensor.dims.size();
    int32_t order[TDRT_MAX_RANK];
    for (int32_t d = 0; d < rank; ++d)
      order[d] = rank - 1 - d;
    toRowMajor(to, columns.data(), Layout(tensor.dims.data(), rank, order),
               elementBytes(tensor.dtype));
  } else {
    read(to);
  }
  if (tensor.dtype == TDRT_BOOL)
    refuseOddBools(to, tensor.bytes, tensor.offset);
}

void tdrt::readTensorData(const InputFile &file, const FileTensor &tensor,
                          void *to) {
  readNpyData(tensor, to,
              [&](void *at) { file.read(tensor.offset, at, tensor.bytes); });
}

std::string tdrt::npyHeader(const tdrt_tensor &tensor) {
  static const char *const names[] = {"<f8", "<f4", "<f2", "<V2", "<i8",
                                      "<i4", "<i2", "|i1", "|u1", "|b1",
                                      "<u2", "<u4", "<u8"};
  std::string text = std::string("{'descr': '") + names[tensor.dtype] +
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

namespace {

FileTensor inspect(const InputFile &file, const char *key) {
  refuseKey(key);
  std::vector<char> start(std::min(file.size(), kNpyStart));
  file.read(0, start.data(), start.size());
  FileTensor tensor;
  throwIf(parseNpyHeader(start.data(), start.size(), file.size(), tensor));
  return tensor;
}

} // namespace

const TensorFormat tdrt::npyFormat = {inspect, readTensorData, true};
