//===- Png.cpp - PNG images -----------------------------------------------===//
//
// By libpng. Gray is u8[H, W], with transparency u8[H, W, 2], colours u8[H, W,
// 3] and u8[H, W, 4]; a palette becomes its colours, fewer bits than 8 become
// 8, and 16 bits become i32, which holds them. As PIL, no colours are
// corrected.
//
// libpng jumps out of its functions when something is wrong. Between a setjmp
// and the calls under it there is nothing that has a destructor.
//
//===----------------------------------------------------------------------===//

#include "formats/Inflate.h"
#include "formats/TensorFormat.h"
#include "tdc_runtime.h"
#include <csetjmp>
#include <cstring>
#include <png.h>

using namespace tdrt;

namespace {

class PngReader {
public:
  explicit PngReader(const InputFile &file) : file(file) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, onError,
                                 [](png_structp, png_const_charp) {});
    info = png ? png_create_info_struct(png) : nullptr;
    if (!info) {
      png_destroy_read_struct(&png, nullptr, nullptr);
      throw std::bad_alloc();
    }
    png_set_read_fn(png, this, onRead);
  }
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader &) = delete;
  PngReader &operator=(const PngReader &) = delete;

  /// Reads all in front of the pixels, and checks their size.
  FileTensor readHeader() {
    char magic[8] = {};
    if (file.size() >= 8)
      file.read(0, magic, 8);
    if (memcmp(magic, "\x89PNG\r\n\x1a\n", 8) != 0)
      failFile(781, 0, "it does not begin as a PNG image");
    guard(&PngReader::callHeader);
    uint64_t rowBytes = png_get_rowbytes(png, info),
             height = png_get_image_height(png, info);
    if (rowBytes > INT64_MAX / 4 / height)
      failFile(783, 16, "the image is too large for any memory");
    // Interlaced or not, each row is in the compressed data.
    if (height * rowBytes / kDeflateRatio > file.size())
      failFile(783, 16,
               "an image of " + std::to_string(png_get_image_width(png, info)) +
                   " x " + std::to_string(height) + " cannot be in " +
                   byteText(file.size()));
    guard(&PngReader::callTransforms);
    FileTensor tensor;
    bool wide = png_get_bit_depth(png, info) == 16;
    int64_t channels = png_get_channels(png, info);
    tensor.dtype = wide ? TDRT_I32 : TDRT_U8;
    tensor.dims = {static_cast<int64_t>(height),
                   static_cast<int64_t>(png_get_image_width(png, info))};
    if (channels > 1)
      tensor.dims.push_back(channels);
    tensor.bytes =
        png_get_rowbytes(png, info) / (wide ? 2 : 1) * height * (wide ? 4 : 1);
    return tensor;
  }

  /// The pixels, after the header.
  void readPixels(void *to) {
    pixels = static_cast<char *>(to);
    guard(&PngReader::callPixels);
  }

private:
  /// Runs one of the calls below; what goes wrong in it is thrown here.
  void guard(void (PngReader::*call)()) {
    if (setjmp(png_jmpbuf(png)) != 0)
      throw std::move(fault);
    (this->*call)();
  }

  void callHeader() {
    // What only describes the image is passed over: texts, profiles, dates.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_read_info(png, info);
  }

  void callTransforms() {
    png_set_expand(png);
    if (png_get_bit_depth(png, info) == 16)
      png_set_swap(png); // PNG is big-endian
    passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
  }

  void callPixels() {
    uint64_t height = png_get_image_height(png, info);
    uint64_t rowBytes = png_get_rowbytes(png, info);
    bool wide = png_get_bit_depth(png, info) == 16;
    uint64_t stride = wide ? 2 * rowBytes : rowBytes;
    // A pass of an interlaced image changes some of the pixels that are there.
    // Rows of 16 bits stand in the second half of their place until the end.
    uint64_t start = stride - rowBytes;
    if (passes > 1)
      memset(pixels, 0, stride * height);
    for (int pass = 0; pass < passes; ++pass)
      for (uint64_t row = 0; row < height; ++row)
        png_read_row(png,
                     reinterpret_cast<png_bytep>(pixels + row * stride + start),
                     nullptr);
    if (wide)
      for (uint64_t row = 0; row < height; ++row)
        widen(pixels + row * stride, start, rowBytes / 2);
    png_read_end(png, nullptr);
  }

  /// 16-bit numbers at `start` of a row become 32-bit ones from its begin on,
  /// which never overtake them.
  static void widen(char *row, uint64_t start, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      uint16_t value;
      memcpy(&value, row + start + 2 * i, 2);
      int32_t wide = value;
      memcpy(row + 4 * i, &wide, 4);
    }
  }

  static void onRead(png_structp png, png_bytep to, size_t size) {
    auto &self = *static_cast<PngReader *>(png_get_io_ptr(png));
    if (self.fetch(to, size))
      return;
    png_longjmp(png, 1);
  }

  /// Nothing may be thrown through libpng.
  bool fetch(void *to, size_t size) noexcept {
    fault = caught([&] {
      if (size > file.size() - at)
        failFile(782, file.size(), "the image ends early");
      file.read(at, to, size);
    });
    at += size;
    return !fault;
  }

  [[noreturn]] static void onError(png_structp png, png_const_charp text) {
    auto &self = *static_cast<PngReader *>(png_get_error_ptr(png));
    self.keepError(text);
    png_longjmp(png, 1);
  }

  void keepError(const char *text) noexcept {
    // Memory is what it asks for rarely and in small pieces.
    bool memory = strstr(text, "memory") != nullptr;
    fault = caught([&] {
      if (memory)
        throw std::bad_alloc();
      failFile(782, at, std::string("the image is damaged: ") + text);
    });
  }

  const InputFile &file;
  uint64_t at = 0;
  FileFault fault;
  png_structp png;
  png_infop info;
  int passes = 1;
  char *pixels = nullptr;
};

FileTensor inspect(const InputFile &file, const char *key) {
  refuseKey(key);
  return PngReader(file).readHeader();
}

void read(const InputFile &file, const FileTensor &, void *to) {
  PngReader reader(file);
  reader.readHeader();
  reader.readPixels(to);
}

} // namespace

const TensorFormat tdrt::pngFormat = {inspect, read, false};
