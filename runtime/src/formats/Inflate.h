//===- Inflate.h - compressed parts of files ------------------------------===//

#ifndef TDRT_FORMATS_INFLATE_H
#define TDRT_FORMATS_INFLATE_H

#include "base/File.h"
#include <memory>

namespace tdrt {

/// Deflate makes data at most this many times smaller. A file that claims more
/// is refused before memory is allocated for its data.
constexpr uint64_t kDeflateRatio = 1032;

/// Throws TR736 if `bytes` cannot come out of `compressed` bytes.
void checkRatio(uint64_t bytes, uint64_t compressed);

/// Decompresses a part of a file, from its start to its end, piece by piece.
/// Throws TR735 if the data is damaged, TR704 if it cannot be read.
class InflatedPart {
public:
  enum class Wrapping : uint8_t {
    Zip, ///< bare deflate data
    Gzip ///< with gzip's header and its checksum, which is verified
  };

  InflatedPart(const InputFile &file, uint64_t offset, uint64_t bytes,
               Wrapping wrapping);
  ~InflatedPart();
  InflatedPart(const InflatedPart &) = delete;
  InflatedPart &operator=(const InflatedPart &) = delete;

  /// Decompresses at most `size` bytes; fewer only at the end of the data.
  /// Returns their number.
  uint64_t read(void *to, uint64_t size);
  /// Throws TR736 if there is more data, TR735 if compressed bytes are left.
  void expectEnd();

private:
  struct State;

  const InputFile &file;
  uint64_t at, end; ///< bytes of the file that are still compressed
  bool finished = false;
  std::unique_ptr<State> state;
};

} // namespace tdrt

#endif // TDRT_FORMATS_INFLATE_H
