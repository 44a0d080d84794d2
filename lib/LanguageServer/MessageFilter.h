//===- MessageFilter.h - lets only messages pass --------------------------===//

#ifndef TDC_LIB_LANGUAGESERVER_MESSAGEFILTER_H
#define TDC_LIB_LANGUAGESERVER_MESSAGEFILTER_H

#include "llvm/Support/LSP/Transport.h"

namespace tdc {

/// The input of the server. What is no message of JSON-RPC is skipped: LLVM's
/// transport would end the server there, and its parser recurses into nested
/// brackets.
class MessageFilter : public llvm::lsp::JSONTransportInput {
public:
  explicit MessageFilter(std::FILE *in) : file(in) {}

  bool hasError() const override { return file.hasError(); }
  bool isEndOfInput() const override { return file.isEndOfInput(); }
  llvm::LogicalResult readDelimitedMessage(std::string &json) override {
    return file.readDelimitedMessage(json);
  }
  llvm::LogicalResult readStandardMessage(std::string &json) override;

private:
  llvm::lsp::JSONTransportInputOverFile file;
};

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_MESSAGEFILTER_H
