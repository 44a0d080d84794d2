//===- Source.h - source files and positions in them ----------------------===//
//
// Every file the front end reads (the program, its imports, the prelude) is
// registered once in a SourceManager and named by a small FileId afterwards.
// A SourceRange is a FileId and two byte offsets: 12 bytes, trivially
// copyable, and independent of where the text lies in memory.
//
//===----------------------------------------------------------------------===//
#ifndef TDC_FRONTEND_SOURCE_H
#define TDC_FRONTEND_SOURCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cassert>
#include <cstdint>
#include <memory>
#include <vector>

namespace tdc {

/// Names a file of a SourceManager. 0 is "no file": for things that are not in
/// a text, such as command-line options.
using FileId = uint32_t;

/// The bytes [begin, end) of one file.
struct SourceRange {
  FileId file = 0;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool isValid() const { return file != 0; }
  uint32_t size() const { return end - begin; }

  /// The empty range just before the first, or just after the last byte.
  SourceRange start() const { return {file, begin, begin}; }
  SourceRange finish() const { return {file, end, end}; }

  /// From the start of this range to the end of `last`, in the same file.
  SourceRange to(SourceRange last) const { return {file, begin, last.end}; }

  bool contains(SourceRange inner) const {
    return file == inner.file && begin <= inner.begin && inner.end <= end;
  }

  bool operator==(const SourceRange &o) const {
    return file == o.file && begin == o.begin && end == o.end;
  }
  bool operator!=(const SourceRange &o) const { return !(*this == o); }
};

/// A position as editors show it: both numbers start at 1, and the column
/// counts code points.
struct LineColumn {
  unsigned line = 1;
  unsigned column = 1;
};

/// Owns the text of all files. References to text stay valid for its lifetime.
class SourceManager {
public:
  /// Reads a file. Opening the same path again returns the same id. Fails with
  /// the system's error, or with invalid_argument if the path is neither a file
  /// nor a pipe.
  llvm::ErrorOr<FileId> open(llvm::StringRef path);

  /// Registers text that is already in memory under the name to show for it.
  FileId add(llvm::StringRef name, std::unique_ptr<llvm::MemoryBuffer> text);

  /// The same with a copy of the text.
  FileId add(llvm::StringRef name, llvm::StringRef text) {
    return add(name, llvm::MemoryBuffer::getMemBufferCopy(text, name));
  }

  /// Makes `open` give this text for a path, in place of the file's.
  void replaceFile(llvm::StringRef path, llvm::StringRef text) {
    replacements[path] = text.str();
  }

  /// The number of files; their ids are 1 .. count.
  unsigned getNumFiles() const { return files.size(); }
  llvm::StringRef getName(FileId file) const { return get(file).name; }
  llvm::StringRef getText(FileId file) const {
    return get(file).buffer->getBuffer();
  }
  llvm::StringRef getText(SourceRange range) const {
    return getText(range.file).slice(range.begin, range.end);
  }

  /// The position of a byte offset, which may be one past the last byte.
  LineColumn getLineColumn(FileId file, uint32_t offset) const;
  LineColumn getLineColumn(SourceRange range) const {
    return getLineColumn(range.file, range.begin);
  }

  /// The bytes of one line (counted from 1), without its line end.
  SourceRange getLine(FileId file, unsigned line) const;

private:
  struct File {
    std::string name;
    std::unique_ptr<llvm::MemoryBuffer> buffer;
    /// Offsets at which lines start; filled when a position is first needed.
    mutable std::vector<uint32_t> lineStarts;
  };
  const File &get(FileId file) const {
    assert(file != 0 && file <= files.size() && "not a file of this manager");
    return *files[file - 1];
  }
  static llvm::ArrayRef<uint32_t> getLineStarts(const File &file);

  std::vector<std::unique_ptr<File>> files;
  llvm::StringMap<FileId> opened;
  llvm::StringMap<std::string> replacements; ///< texts by path
};

} // namespace tdc

#endif // TDC_FRONTEND_SOURCE_H
