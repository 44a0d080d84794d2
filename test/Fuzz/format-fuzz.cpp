//===- format-fuzz.cpp - no text may come out of the formatter changed ----===//

#include "FormattedTwice.h"
#include <cstdlib>

using namespace tdc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FormattedTwice text({reinterpret_cast<const char *>(data), size});
  std::string problem = text.findProblem();
  if (problem.empty())
    return 0;
  llvm::errs() << "format-fuzz: " << problem << '\n';
  abort();
}
