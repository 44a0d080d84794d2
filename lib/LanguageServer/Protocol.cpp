//===- Protocol.cpp - messages that LLVM's library lacks ------------------===//

#include "Protocol.h"

using namespace tdc;
namespace json = llvm::json;

bool tdc::fromJSON(const json::Value &value, RenameParams &params,
                   json::Path path) {
  json::ObjectMapper map(value, path);
  return llvm::lsp::fromJSON(
             value,
             static_cast<llvm::lsp::TextDocumentPositionParams &>(params),
             path) &&
         map && map.map("newName", params.newName);
}

bool tdc::fromJSON(const json::Value &value, DocumentParams &params,
                   json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("textDocument", params.textDocument);
}
