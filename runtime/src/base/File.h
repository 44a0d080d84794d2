//===- File.h - reading files, and replacing them whole -------------------===//
//
// Files are read by pread: if another process truncates the file, a short read
// is an error that the caller sees, while an access to a mapping ends the
// process by a signal. Only data that may be larger than memory is mapped
// (MappedFile.h). Errors of files are thrown as FileFault, which aboutFile()
// converts into a Failure.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_BASE_FILE_H
#define TDRT_BASE_FILE_H

#include "base/Failure.h"
#include "tdc_files.h"
#include <new>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace tdrt {

[[noreturn]] inline void failFile(int32_t code, int64_t offset,
                                  std::string message) {
  throw FileFault{code, offset, std::move(message)};
}

/// "data.npy: byte 80: the header ..." as a Failure.
[[noreturn]] void failWith(const std::string &path, FileFault &&fault);

/// Runs `body`; a FileFault that it throws becomes a Failure about `path`.
template <class Body> auto aboutFile(const char *path, Body &&body) {
  try {
    return body();
  } catch (FileFault &fault) {
    failWith(path, std::move(fault));
  }
}

inline void throwIf(FileFault &&fault) {
  if (fault)
    throw std::move(fault);
}

/// Runs `body` and returns the fault that it throws.
template <class Body> FileFault caught(Body body) noexcept {
  try {
    body();
    return {};
  } catch (FileFault &fault) {
    return std::move(fault);
  } catch (const std::exception &) {
    return {201, -1, "out of memory"};
  }
}

/// A regular file open for reading.
class InputFile {
public:
  /// Throws TR702 or TR703. Never blocks on a pipe or a device.
  explicit InputFile(const char *path);
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  /// Bytes of the file when it was opened.
  uint64_t size() const { return length; }
  /// For other uses of the file. It belongs to the InputFile.
  int getDescriptor() const { return descriptor; }
  /// Reads exactly `size` bytes; TR704 if they are not there.
  void read(uint64_t offset, void *to, uint64_t size) const;

private:
  int descriptor;
  uint64_t length;
};

/// A file that appears under its name whole or not at all. The data is written
/// to a new file in the same folder, `.tdc-tmp-` and 16 random digits, which is
/// synced and renamed; a killed program may leave it. Symbolic links are
/// followed, also to a file that does not exist yet. A replaced file passes on
/// its mode; a hard link to it keeps the old content. Pipes, character devices,
/// and the files that standard output and standard error go to are written in
/// place.
class OutputFile {
public:
  /// Throws TR703 or TR751.
  explicit OutputFile(const char *path);
  /// Removes the temporary file unless it was committed.
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  void write(const void *data, uint64_t size);
  /// Gives the file its name, on the disk. Throws TR751, or TR753 if it has its
  /// name but a power failure could still undo that.
  void commit();
  /// Whether the file is written in place. Earlier prints must be flushed
  /// first.
  bool isStream() const { return temporary.empty(); }

private:
  /// Opens a file that is written in place; returns false for another kind of
  /// file.
  bool openStream(const struct stat &info);
  /// Replaces `target` by the name that its symbolic links lead to.
  void followLinks();
  void openTemporary(const struct stat *replaced);
  /// Gives the temporary file the owner and the mode of the replaced one.
  void keepMode(const struct stat &replaced);
  /// Removes and closes the temporary file.
  void discard();
  void flush();
  void writeAll(const char *data, uint64_t size);
  /// Throws TR751 from errno: the file is as it was before.
  [[noreturn]] static void failSystem(const char *what);
  /// Throws TR753: the new file has its name already.
  [[noreturn]] static void failUnsynced(int error);

  std::string target, folder, temporary;
  int descriptor = -1;
  std::vector<char> buffer;
};

} // namespace tdrt

#endif // TDRT_BASE_FILE_H
