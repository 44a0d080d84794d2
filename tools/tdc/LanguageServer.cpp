//===- LanguageServer.cpp - tdc lsp ---------------------------------------===//

#include "LanguageServer/LanguageServer.h"
#include "Compilation/DeepStack.h"
#include "Verbs.h"
#include "llvm/Support/raw_ostream.h"

int tdc::languageServerVerb() {
  bool isShutDown = false;
  runOnDeepStack([&] { isShutDown = runLanguageServer(stdin, llvm::outs()); });
  // By the protocol, 1 if the client did not ask for the end.
  return isShutDown ? ExitOk : ExitProgramError;
}
