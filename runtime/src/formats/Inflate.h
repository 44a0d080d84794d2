//===- Inflate.h - compressed parts of files ------------------------------===//

#ifndef TDRT_FORMATS_INFLATE_H
#define TDRT_FORMATS_INFLATE_H

#include "base/File.h"
#include <memory>

namespace tdrt {

/// Deflate makes nothing smaller than to this part. What a file claims beyond
/// that is refused before memory is asked for it.
constexpr uint64_t kDeflateRatio = 1032;

/// Throws TR736 if `bytes` cannot come out of `compressed` bytes.
void checkRatio(uint64_t bytes, uint64_t compressed);

/// Decompresses a part of a file, from its start to its end, as it is asked
/// for. Throws TR735 for what is damaged, TR704 for what cannot be read.
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

  /// Decompresses at most `size` bytes; fewer only where the data ends.
  uint64_t read(void *to, uint64_t size);
  /// The data and the compressed bytes both end here; TR736 and TR735 if not.
  void expectEnd();

private:
  struct State;

  const InputFile &file;
  uint64_t at, end; ///< of what is still compressed
  bool finished = false;
  std::unique_ptr<State> state;
};

} // namespace tdrt

#endif // TDRT_FORMATS_INFLATE_H
