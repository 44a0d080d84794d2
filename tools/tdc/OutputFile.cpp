//===- OutputFile.cpp - writes files completely or not --------------------===//

#include "OutputFile.h"
#include "Frontend/Diagnostics.h"
#include "Options.h"
#include "tdc_text.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

std::error_code tdc::writeAll(raw_fd_ostream &os, StringRef contents) {
  os << contents;
  os.flush();
  std::error_code error = os.error();
  os.clear_error();
  return error;
}

int tdc::reportFault(const Options &options, StringRef path,
                     const tdrt::FileFault &fault) {
  if (!fault)
    return ExitOk;
  std::string code = getRunTimeCode(fault.code),
              text = ("`" + path + "`: " + fault.message).str();
  if (options.json)
    printJSON(errs(), Severity::Error, code, text, "", {}, "");
  else
    errs() << "error[" << code << "]: " << printable(text) << "\n";
  return ExitRunTime;
}

int tdc::writeFile(const Options &options, StringRef path, StringRef contents) {
  return reportFault(
      options, path,
      tdrt::writeFile(path.str().c_str(), contents.data(), contents.size()));
}
