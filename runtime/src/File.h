//===- File.h - reading files, and replacing them whole -------------------===//
//
// Reading is by pread: a mapped file that another process cuts off ends the
// reader by a signal, a short read is an error that a caller sees. Only what
// may be larger than memory is mapped (MappedFile.h). Everything throws
// FileFault, which carries what the ABI makes a Failure of.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_FILE_H
#define TDRT_FILE_H

#include "Failure.h"
#include "tdc_files.h"
#include <string>
#include <sys/types.h>
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

/// A file that appears under its name whole or not at all. It is written beside
/// its target as `.<name>.tdc-tmp`, synced, and renamed. Two programs that
/// write the same file take turns; a temporary file that a killed program left
/// is used again. A symbolic link to a file is followed; the mode of a file
/// replaced is kept.
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

private:
  /// Opens the temporary file as the only one; false if it has got another name
  /// meanwhile.
  bool lockTemporary();
  /// Removes and closes the temporary file.
  void discard();
  /// Discards it and fails as failSystem().
  [[noreturn]] void abandon(const char *what);
  /// Gives the file the owner and the mode of the one that it replaces.
  void keepMode();
  void flush();
  void writeAll(const char *data, uint64_t size);
  /// The file is as it was before.
  [[noreturn]] void failSystem(const char *what);
  /// The new file is there already.
  [[noreturn]] static void failUnsynced(int error);

  std::string target, folder, temporary;
  int descriptor = -1;
  std::vector<char> buffer;
};

} // namespace tdrt

#endif // TDRT_FILE_H
