//===- OutputFile.cpp - files that are written whole or not at all --------===//

#include "OutputFile.h"
#include "Options.h"
#include "llvm/ADT/SmallString.h"
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

/// Pipes and devices are written to as they are; a regular file is replaced, by
/// one of its mode, where a link to it points.
static Error write(StringRef path, StringRef contents) {
  unsigned mode = sys::fs::all_read | sys::fs::all_write;
  SmallString<128> target(path);
  if (sys::fs::exists(path)) {
    if (!sys::fs::is_regular_file(path)) {
      std::error_code error;
      raw_fd_ostream os(path, error);
      return errorCodeToError(error ? error : writeAll(os, contents));
    }
    ErrorOr<sys::fs::perms> known = sys::fs::getPermissions(path);
    if (std::error_code error = known.getError())
      return errorCodeToError(error);
    mode = *known;
    if (std::error_code error = sys::fs::real_path(path, target))
      return errorCodeToError(error);
  }
  auto file = sys::fs::TempFile::create(target + ".tmp-%%%%%%", mode);
  if (!file)
    return file.takeError();
  raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  if (std::error_code error = writeAll(os, contents))
    return joinErrors(errorCodeToError(error), file->discard());
  return file->keep(target);
}

int tdc::writeFile(StringRef path, StringRef contents) {
  Error error = write(path, contents);
  if (!error)
    return ExitOk;
  errs() << "error: cannot write `" << path
         << "`: " << toString(std::move(error)) << "\n";
  return ExitRunTime;
}
