//===- OutputFile.cpp - writes files completely or not --------------------===//

#include "OutputFile.h"
#include "Options.h"
#include "tdc_files.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

std::error_code tdc::writeAll(raw_fd_ostream &os, StringRef contents) {
  os << contents;
  os.flush();
  std::error_code error = os.error();
  os.clear_error();
  return error;
}

int tdc::writeFile(StringRef path, StringRef contents) {
  tdrt::FileFault fault =
      tdrt::writeFile(path.str().c_str(), contents.data(), contents.size());
  if (!fault)
    return ExitOk;
  reportUsage("`" + path + "`: " + fault.message, "");
  return ExitRunTime;
}
