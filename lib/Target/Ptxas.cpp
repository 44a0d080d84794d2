//===- Ptxas.cpp - machine code for NVIDIA's GPUs -------------------------===//

#include "Target/Ptxas.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tdc {

namespace {

/// A temporary file that the destructor removes.
class ScratchFile {
public:
  explicit ScratchFile(StringRef suffix)
      : error(sys::fs::createTemporaryFile("tdc", suffix, path)),
        remover(path) {}

  Error write(StringRef content) const {
    if (error)
      return errorCodeToError(error);
    return writeToOutput(path, [&](raw_ostream &os) {
      os << content;
      return Error::success();
    });
  }

  Expected<std::string> read() const {
    auto buffer = MemoryBuffer::getFile(path);
    if (!buffer)
      return errorCodeToError(buffer.getError());
    return (*buffer)->getBuffer().str();
  }

  StringRef getPath() const { return path; }

private:
  SmallString<64> path;
  std::error_code error;
  FileRemover remover;
};

/// The number before a word such as "registers"; 0 if the line has none.
int64_t findNumber(StringRef line, StringRef word) {
  int64_t number = 0;
  StringRef before = line.take_front(line.find(word)).rtrim();
  if (before.size() < line.size())
    before.substr(before.find_last_not_of("0123456789") + 1)
        .getAsInteger(10, number);
  return number;
}

/// Reads the output of `ptxas -v`:
///   ptxas info    : Compiling entry function 'add_0' for 'sm_90'
///       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
///   ptxas info    : Used 12 registers, 4096 bytes smem, 384 bytes cmem[0]
StringMap<KernelUsage> readUsage(StringRef text) {
  StringMap<KernelUsage> kernels;
  KernelUsage *kernel = nullptr;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    if (line.contains("Compiling entry function"))
      kernel = &kernels[line.split('\'').second.split('\'').first];
    if (!kernel)
      continue;
    if (line.contains("spill stores"))
      kernel->spilled = findNumber(line, "bytes spill stores");
    if (line.contains("registers")) {
      kernel->registers = findNumber(line, "registers");
      kernel->shared = findNumber(line, "bytes smem");
    }
  }
  return kernels;
}

} // namespace

std::string findPtxas() {
  ErrorOr<std::string> path = sys::findProgramByName("ptxas");
  return path ? *path : "";
}

Expected<Cubin> assemble(const std::string &ptxas, StringRef ptx,
                         int architecture) {
  ScratchFile source("ptx"), code("cubin"), said("txt");
  if (Error error = source.write(ptx))
    return error;
  std::string chip = "sm_" + std::to_string(architecture), message;
  StringRef words[] = {ptxas, "-v",          "-arch", chip, source.getPath(),
                       "-o",  code.getPath()};
  int status =
      sys::ExecuteAndWait(ptxas, words, std::nullopt,
                          {"", said.getPath(), said.getPath()}, 0, 0, &message);
  Expected<std::string> text = said.read();
  if (!text)
    return text.takeError();
  if (status != 0)
    return createStringError(message.empty() ? StringRef(*text).trim()
                                             : StringRef(message));
  Expected<std::string> bytes = code.read();
  if (!bytes)
    return bytes.takeError();
  return Cubin{std::move(*bytes), readUsage(*text)};
}

} // namespace tdc
