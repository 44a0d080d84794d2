//===- File.h - reading files, and replacing them whole -------------------===//
//
// Reading is by pread: a mapped file that another process cuts off ends the
// reader by a signal, a short read is an error that a caller sees. Only what
// may be larger than memory is mapped (MappedFile.h). Everything throws
// FileFault, which carries what the ABI makes a Failure of.
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

/// Runs `body`; what it throws is returned.
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

  /// Bytes when it was opened.
  uint64_t size() const { return length; }
  /// For what is done with the file besides; stays the InputFile's.
  int getDescriptor() const { return descriptor; }
  /// Reads exactly `size` bytes; TR704 if they are not there.
  void read(uint64_t offset, void *to, uint64_t size) const;

private:
  int descriptor;
  uint64_t length;
};

/// A file that appears under its name whole or not at all. It is written to a
/// new file beside it, `.tdc-tmp-` and 16 random digits, synced, and renamed; a
/// killed program may leave that. Symbolic links are followed, also to a file
/// that is not there yet. A file that is replaced passes on its mode, a hard
/// link to it keeps the old content. Pipes, character devices, and
/// what standard output and standard error go to are written to as they are.
class OutputFile {
public:
  /// Throws TR703 or TR751.
  explicit OutputFile(const char *path);
  /// Removes the temporary file unless it was committed.
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  void write(const void *data, uint64_t size);
  /// Makes it the file of its name, on the disk. Throws TR751, or TR753 if it
  /// has its name but a power failure could still undo that.
  void commit();
  /// Whether it is written to as it is. Prints that precede it come first.
  bool isStream() const { return temporary.empty(); }

private:
  /// Opens what is written to as it is; false if it is not of that kind.
  bool openStream(const struct stat &info);
  /// Makes `target` the name that the symbolic links in it lead to.
  void followLinks();
  void openTemporary(const struct stat *replaced);
  /// Gives the temporary file the owner and the mode of the replaced one.
  void keepMode(const struct stat &replaced);
  /// Removes and closes the temporary file.
  void discard();
  void flush();
  void writeAll(const char *data, uint64_t size);
  /// The file is as it was before.
  [[noreturn]] static void failSystem(const char *what);
  /// The new file is there already.
  [[noreturn]] static void failUnsynced(int error);

  std::string target, folder, temporary;
  int descriptor = -1;
  std::vector<char> buffer;
};

} // namespace tdrt

#endif // TDRT_BASE_FILE_H
