//===- OutputFile.cpp - files that are written whole or not at all --------===//

#include "OutputFile.h"
#include "Options.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using tdc::writeAll;

std::error_code tdc::writeAll(raw_fd_ostream &os, StringRef contents) {
  os << contents;
  os.flush();
  std::error_code error = os.error();
  os.clear_error();
  return error;
}

/// Pipes and devices are written to as they are; a regular file is replaced.
static Error write(StringRef path, StringRef contents) {
  if (sys::fs::exists(path) && !sys::fs::is_regular_file(path)) {
    std::error_code error;
    raw_fd_ostream os(path, error);
    return errorCodeToError(error ? error : writeAll(os, contents));
  }
  auto file = sys::fs::TempFile::create(path + ".tmp-%%%%%%",
                                        sys::fs::all_read | sys::fs::all_write);
  if (!file)
    return file.takeError();
  raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  if (std::error_code error = writeAll(os, contents))
    return joinErrors(errorCodeToError(error), file->discard());
  return file->keep(path);
}

int tdc::writeFile(StringRef path, StringRef contents) {
  Error error = write(path, contents);
  if (!error)
    return ExitOk;
  errs() << "error: cannot write `" << path
         << "`: " << toString(std::move(error)) << "\n";
  return ExitRunTime;
}
