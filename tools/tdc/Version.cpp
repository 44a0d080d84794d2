//===- Version.cpp - tdc version ------------------------------------------===//
//
// The only file that is compiled again after a commit.
//
//===----------------------------------------------------------------------===//

#include "Version.h"
#include "Commit.h"
#include "Target/HostTarget.h"
#include "Verbs.h"
#include "tdc/tdc.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

std::string tdc::getVersion() {
  llvm::StringRef commit = TDC_COMMIT;
  return tdc_version() + (commit.empty() ? "" : (" (" + commit + ")").str());
}

int tdc::versionVerb(const Options &) {
  llvm::outs() << "tdc " << getVersion() << "\nLLVM " LLVM_VERSION_STRING
               << "\nbuild type " TDC_BUILD_TYPE "\nprocessor ";
  llvm::Expected<HostTarget> target = HostTarget::create();
  if (target)
    llvm::outs() << target->getCPU() << "\n";
  else
    llvm::outs() << llvm::toString(target.takeError()) << "\n";
  return ExitOk;
}
