//===- MappedFile.h - views of files in memory ----------------------------===//

#ifndef TDRT_BASE_MAPPEDFILE_H
#define TDRT_BASE_MAPPEDFILE_H

#include <cstddef>
#include <cstdint>

namespace tdrt {

class InputFile;

/// A view of a whole file: what is written to it stays in this process, pages
/// that are read come from the disk. `slack` bytes behind it can be read.
struct MappedFile {
  char *base;   ///< null if the file cannot be mapped
  size_t bytes; ///< of address space
};

/// Where a page cannot be brought, because another process cut the file off or
/// the disk failed, the system sends a signal; it then ends the process with
/// TR704, which names `path`.
MappedFile mapFile(const InputFile &file, const char *path, size_t slack);
void unmapFile(MappedFile mapped);

} // namespace tdrt

#endif // TDRT_BASE_MAPPEDFILE_H
