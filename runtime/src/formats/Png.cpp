//===- Png.cpp - PNG images -----------------------------------------------===//
//
// Images are read by libpng: gray as u8[H, W], with transparency u8[H, W, 2],
// colours as u8[H, W, 3] and u8[H, W, 4]. A palette is replaced by its colours,
// fewer than 8 bits become 8, and 16 bits become i32, which holds them. As in
// PIL, colours are not corrected.
//
// An error leaves libpng by a longjmp. No object with a destructor may live
// between a setjmp and the calls under it.
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

  /// Reads all data before the pixels, and checks the size of the image.
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
    // Each row is in the compressed data, also in an interlaced image.
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

  /// Reads the pixels; must be called after readHeader().
  void readPixels(void *to) {
    pixels = static_cast<char *>(to);
    guard(&PngReader::callPixels);
  }

private:
  /// Runs one of the calls below and throws its fault.
  void guard(void (PngReader::*call)()) {
    if (setjmp(png_jmpbuf(png)) != 0)
      throw std::move(fault);
    (this->*call)();
  }

  void callHeader() {
    // Chunks that only describe the image are skipped: texts, profiles, dates.
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
    // Each pass over an interlaced image changes some of its pixels. Rows of 16
    // bits are kept in the second half of their memory until the last pass.
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

  /// Widens the 16-bit numbers at `start` of a row to 32-bit numbers from its
  /// begin on, which are never written past the numbers still to be read.
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

  /// Reads the next bytes; returns false after a fault. No exception may pass
  /// through libpng.
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
    // A string test is enough: libpng allocates rarely and in small pieces.
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
