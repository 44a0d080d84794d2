//===- MappedFile.h - views of files in memory ----------------------------===//

#ifndef TDRT_BASE_MAPPEDFILE_H
#define TDRT_BASE_MAPPEDFILE_H

#include <cstddef>
#include <cstdint>

namespace tdrt {

class InputFile;

/// A view of a whole file. Writes stay in this process; pages come from the
/// disk when they are first accessed. `slack` bytes past its end can be read.
struct MappedFile {
  char *base;   ///< null if the file cannot be mapped
  size_t bytes; ///< of address space
};

/// Maps a file. If a page cannot be read later, because another process
/// truncated the file or the disk failed, the system sends a signal, and its
/// handler ends the process with TR704, which names `path`.
MappedFile mapFile(const InputFile &file, const char *path, size_t slack);
void unmapFile(MappedFile mapped);

} // namespace tdrt

#endif // TDRT_BASE_MAPPEDFILE_H
