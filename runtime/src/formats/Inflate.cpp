//===- Inflate.cpp - compressed parts of files ----------------------------===//

#include "formats/Inflate.h"
#include <algorithm>
#include <new>
#include <zlib.h>

using namespace tdrt;

struct InflatedPart::State {
  z_stream stream = {};
  unsigned char input[32 << 10];
};

void tdrt::checkRatio(uint64_t bytes, uint64_t compressed) {
  if (bytes / kDeflateRatio > compressed)
    failFile(736, -1,
             byteText(bytes) + " cannot come out of " + byteText(compressed));
}

InflatedPart::InflatedPart(const InputFile &file, uint64_t offset,
                           uint64_t bytes, Wrapping wrapping)
    : file(file), at(offset), end(offset + bytes), state(new State) {
  // 15 is the largest window. 16 more expects gzip's header, a negative number
  // no header.
  int window = wrapping == Wrapping::Gzip ? 15 + 16 : -15;
  if (inflateInit2(&state->stream, window) != Z_OK)
    throw std::bad_alloc();
}

InflatedPart::~InflatedPart() { inflateEnd(&state->stream); }

uint64_t InflatedPart::read(void *to, uint64_t size) {
  z_stream &stream = state->stream;
  stream.next_out = static_cast<unsigned char *>(to);
  uint64_t left = size;
  while (left > 0 && !finished) {
    if (stream.avail_in == 0) {
      stream.avail_in = std::min<uint64_t>(sizeof state->input, end - at);
      file.read(at, state->input, stream.avail_in);
      at += stream.avail_in;
      stream.next_in = state->input;
    }
    uInt part = std::min<uint64_t>(left, 1 << 30);
    stream.avail_out = part;
    int status = inflate(&stream, Z_NO_FLUSH);
    left -= part - stream.avail_out;
    uint64_t where = at - stream.avail_in;
    if (status == Z_STREAM_END)
      finished = true;
    else if (status == Z_MEM_ERROR)
      throw std::bad_alloc();
    else if (status == Z_BUF_ERROR && at == end)
      failFile(735, end, "the compressed data ends early");
    else if (status != Z_OK && status != Z_BUF_ERROR)
      failFile(735, where,
               std::string("the compressed data is damaged") +
                   (stream.msg ? std::string(": ") + stream.msg : ""));
  }
  return size - left;
}

void InflatedPart::expectEnd() {
  char more;
  if (read(&more, 1) != 0)
    failFile(736, at, "it decompresses to more than it should");
  uint64_t unused = end - at + state->stream.avail_in;
  if (unused > 0)
    failFile(735, end - unused,
             std::to_string(unused) + " bytes follow the compressed data");
}
