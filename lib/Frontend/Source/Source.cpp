//===- Source.cpp - source files and positions in them --------------------===//
//
// Reads files and converts byte offsets to lines and columns.
//
//===----------------------------------------------------------------------===//
#include "Frontend/Source.h"
#include "Frontend/Characters.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace tdc;

llvm::ErrorOr<FileId> SourceManager::open(llvm::StringRef path) {
  if (auto known = opened.find(path); known != opened.end())
    return known->second;
  if (auto own = replacements.find(path); own != replacements.end())
    return opened[path] = add(path, own->second);

  // Devices such as /dev/zero have no end, and a directory has no text.
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return error;
  if (status.type() == llvm::sys::fs::file_type::directory_file)
    return std::make_error_code(std::errc::is_a_directory);
  if (status.type() != llvm::sys::fs::file_type::regular_file &&
      status.type() != llvm::sys::fs::file_type::fifo_file)
    return std::make_error_code(std::errc::invalid_argument);

  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return buffer.getError();
  if ((*buffer)->getBufferSize() > UINT32_MAX)
    return std::make_error_code(std::errc::file_too_large);
  return opened[path] = add(path, std::move(*buffer));
}

FileId SourceManager::add(llvm::StringRef name,
                          std::unique_ptr<llvm::MemoryBuffer> text) {
  assert(text->getBufferSize() <= UINT32_MAX && "offsets have 32 bits");
  auto file = std::make_unique<File>();
  file->name = name.str();
  file->buffer = std::move(text);
  files.push_back(std::move(file));
  return files.size();
}

llvm::ArrayRef<uint32_t> SourceManager::getLineStarts(const File &file) {
  if (file.lineStarts.empty()) {
    file.lineStarts.push_back(0);
    llvm::StringRef text = file.buffer->getBuffer();
    for (size_t at = text.find('\n'); at != llvm::StringRef::npos;
         at = text.find('\n', at + 1))
      file.lineStarts.push_back(at + 1);
  }
  return file.lineStarts;
}

LineColumn SourceManager::getLineColumn(FileId id, uint32_t offset) const {
  const File &file = get(id);
  llvm::ArrayRef<uint32_t> starts = getLineStarts(file);
  unsigned line = llvm::upper_bound(starts, offset) - starts.begin();
  llvm::StringRef before =
      file.buffer->getBuffer().slice(starts[line - 1], offset);
  return {line, static_cast<unsigned>(countCharacters(before)) + 1};
}

SourceRange SourceManager::getLine(FileId id, unsigned line) const {
  const File &file = get(id);
  llvm::ArrayRef<uint32_t> starts = getLineStarts(file);
  assert(line >= 1 && line <= starts.size() && "no such line");
  llvm::StringRef text = file.buffer->getBuffer();
  uint32_t begin = starts[line - 1];
  llvm::StringRef content = text.substr(begin);
  content = content.take_until([](char c) { return c == '\n'; });
  content.consume_back("\r");
  return {id, begin, begin + uint32_t(content.size())};
}
