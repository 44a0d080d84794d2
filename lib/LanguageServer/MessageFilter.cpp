//===- MessageFilter.cpp - lets only messages pass ------------------------===//

#include "MessageFilter.h"

using namespace tdc;
namespace json = llvm::json;

/// Messages of editors have less than 20.
static constexpr unsigned kMostNested = 1000;

static bool isNestedTooDeeply(llvm::StringRef text) {
  unsigned depth = 0;
  bool isInString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isInString && c == '\\')
      ++i;
    else if (c == '"')
      isInString = !isInString;
    else if (!isInString && (c == '[' || c == '{') && ++depth > kMostNested)
      return true;
    else if (!isInString && (c == ']' || c == '}') && depth != 0)
      --depth;
  }
  return false;
}

static bool isMessage(llvm::StringRef text) {
  if (isNestedTooDeeply(text))
    return false;
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return false;
  }
  json::Object *object = value->getAsObject();
  return object && object->getString("jsonrpc") == llvm::StringRef("2.0") &&
         (object->getString("method") || object->get("id"));
}

llvm::LogicalResult MessageFilter::readStandardMessage(std::string &json) {
  if (llvm::failed(file.readStandardMessage(json)))
    return llvm::failure();
  if (isMessage(json))
    return llvm::success();
  llvm::lsp::Logger::error("not a message: {0}",
                           llvm::StringRef(json).take_front(80));
  return llvm::failure();
}
