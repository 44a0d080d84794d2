//===- Jpeg.cpp - JPEG images ---------------------------------------------===//
//
// Images are read by libjpeg-turbo: gray as u8[H, W], colours as u8[H, W, 3].
// As in PIL, an orientation in the image's metadata does not rotate it.
//
// An error leaves libjpeg by a longjmp. No object with a destructor may live
// between a setjmp and the calls under it.
//
//===----------------------------------------------------------------------===//

#include "formats/TensorFormat.h"
#include "tdc_runtime.h"
#include <algorithm>
#include <csetjmp>
#include <cstdio>
// In this order: each header needs the one above it.
#include <jpeglib.h>

#include <jerror.h>

using namespace tdrt;

namespace {

/// Scans of an image at most. A progressive image has some tens; each takes few
/// bytes of the file but a pass over all pixels.
constexpr int kMaxScans = 500;

class JpegReader {
public:
  explicit JpegReader(const InputFile &file) : file(file) {
    image.err = jpeg_std_error(&errors);
    image.client_data = this;
    errors.error_exit = [](j_common_ptr image) { of(image).leave(image); };
    errors.emit_message = onMessage;
    progress.progress_monitor = onProgress;
    source.init_source = [](j_decompress_ptr) {};
    source.fill_input_buffer = onRead;
    source.skip_input_data = onSkip;
    source.resync_to_restart = jpeg_resync_to_restart;
    source.term_source = [](j_decompress_ptr) {};
    source.bytes_in_buffer = 0;
    source.next_input_byte = buffer;
  }
  ~JpegReader() { jpeg_destroy_decompress(&image); }
  JpegReader(const JpegReader &) = delete;
  JpegReader &operator=(const JpegReader &) = delete;

  FileTensor readHeader() {
    unsigned char magic[2] = {};
    if (file.size() >= 2)
      file.read(0, magic, 2);
    if (magic[0] != 0xff || magic[1] != 0xd8)
      failFile(781, 0, "it does not begin as a JPEG image");
    guard([](JpegReader &self) {
      jpeg_create_decompress(&self.image);
      self.image.src = &self.source;
      self.image.progress = &self.progress;
      jpeg_read_header(&self.image, TRUE);
    });
    bool gray = image.num_components == 1;
    if (!gray && image.num_components != 3)
      failFile(784, -1,
               "the image has " + std::to_string(image.num_components) +
                   " components, as those for printing, not 1 or 3");
    // Every 8 x 8 pixels take at least one bit of the file.
    int64_t height = image.image_height, width = image.image_width;
    uint64_t blocks = uint64_t((height + 7) / 8) * ((width + 7) / 8);
    if (blocks / 8 > file.size())
      failFile(783, -1,
               "an image of " + std::to_string(width) + " x " +
                   std::to_string(height) + " cannot be in " +
                   byteText(file.size()));
    image.out_color_space = gray ? JCS_GRAYSCALE : JCS_RGB;
    FileTensor tensor;
    tensor.dtype = TDRT_U8;
    tensor.dims = {height, width};
    if (!gray)
      tensor.dims.push_back(3);
    tensor.bytes = uint64_t(height) * width * (gray ? 1 : 3);
    return tensor;
  }

  void readPixels(void *to) {
    pixels = static_cast<JSAMPLE *>(to);
    guard([](JpegReader &self) {
      jpeg_decompress_struct &image = self.image;
      jpeg_start_decompress(&image);
      size_t rowBytes = size_t(image.output_width) * image.output_components;
      while (image.output_scanline < image.output_height) {
        JSAMPLE *row = self.pixels + image.output_scanline * rowBytes;
        jpeg_read_scanlines(&image, &row, 1);
      }
      jpeg_finish_decompress(&image);
    });
  }

private:
  static JpegReader &of(j_common_ptr image) {
    return *static_cast<JpegReader *>(image->client_data);
  }

  void guard(void (*call)(JpegReader &)) {
    if (setjmp(jump) != 0)
      throw std::move(fault);
    call(*this);
  }

  /// Called for an error from which libjpeg cannot continue.
  void leave(j_common_ptr image) {
    keepError(image);
    longjmp(jump, 1);
  }
  void keepError(j_common_ptr image) noexcept {
    char text[JMSG_LENGTH_MAX];
    errors.format_message(image, text);
    fault = caught([&] {
      if (errors.msg_code == JERR_OUT_OF_MEMORY)
        throw std::bad_alloc();
      bool form = errors.msg_code == JERR_BAD_PRECISION ||
                  errors.msg_code == JERR_SOF_UNSUPPORTED ||
                  errors.msg_code == JERR_CONVERSION_NOTIMPL;
      failFile(form ? 784 : 782, position(),
               std::string("the image cannot be read: ") + text);
    });
  }

  /// Makes a warning an error if libjpeg continues with invented pixels. Other
  /// warnings, as of bytes between two parts, do not change pixels.
  static void onMessage(j_common_ptr image, int level) {
    if (level >= 0)
      return;
    switch (image->err->msg_code) {
    case JWRN_ARITH_BAD_CODE:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
      of(image).leave(image);
    }
  }

  static void onProgress(j_common_ptr image) {
    auto *reading = reinterpret_cast<j_decompress_ptr>(image);
    if (reading->input_scan_number > kMaxScans)
      of(image).fail(782, "the image has more than 500 scans");
  }

  static boolean onRead(j_decompress_ptr image) {
    JpegReader &self = of(reinterpret_cast<j_common_ptr>(image));
    if (!self.fetch())
      longjmp(self.jump, 1);
    return TRUE;
  }

  static void onSkip(j_decompress_ptr image, long bytes) {
    JpegReader &self = of(reinterpret_cast<j_common_ptr>(image));
    uint64_t skipped = std::max(bytes, 0L), here = self.source.bytes_in_buffer;
    if (skipped > here) {
      self.next += std::min(skipped - here, self.file.size() - self.next);
      skipped = here;
    }
    self.source.next_input_byte += skipped;
    self.source.bytes_in_buffer -= skipped;
  }

  /// Fills the buffer; returns false after a fault. No exception may pass
  /// through libjpeg.
  bool fetch() noexcept {
    fault = caught([&] {
      if (next == file.size())
        failFile(782, next, "the image ends early");
      uint64_t size = std::min<uint64_t>(sizeof buffer, file.size() - next);
      file.read(next, buffer, size);
      next += size;
      source.next_input_byte = buffer;
      source.bytes_in_buffer = size;
    });
    return !fault;
  }

  void fail(int32_t code, const char *text) noexcept {
    fault = caught([&] { failFile(code, position(), text); });
    longjmp(jump, 1);
  }

  int64_t position() const { return next - source.bytes_in_buffer; }

  const InputFile &file;
  uint64_t next = 0; ///< offset in the file of the byte after the buffer
  FileFault fault;
  jmp_buf jump;
  jpeg_decompress_struct image = {};
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress = {};
  jpeg_source_mgr source;
  JSAMPLE *pixels = nullptr;
  JOCTET buffer[32 << 10];
};

FileTensor inspect(const InputFile &file, const char *key) {
  refuseKey(key);
  return JpegReader(file).readHeader();
}

void read(const InputFile &file, const FileTensor &, void *to) {
  JpegReader reader(file);
  reader.readHeader();
  reader.readPixels(to);
}

} // namespace

const TensorFormat tdrt::jpegFormat = {inspect, read, false};
