//===- Printing.cpp - values and types in the language's spelling ---------===//

#include "Values.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::sema;

std::string sema::describe(const Val &val) {
  switch (val.kind) {
  case ValKind::Error:
    return "an error";
  case ValKind::None:
    return "nothing";
  case ValKind::Int:
    return val.size.isConstant() ? "the int " + val.size.str() : "an int";
  case ValKind::Float:
    return "a float";
  case ValKind::Bool:
    return "a bool";
  case ValKind::Str:
    return "a str";
  case ValKind::Device:
    return "a device";
  case ValKind::DType:
    return "the dtype " + tdc::spelling(val.as<DTypeInfo>().dtype).str();
  case ValKind::Tensor:
    return typeText(typeOf(val));
  case ValKind::Tuple:
    return "a tuple of " + std::to_string(elementsOf(val).size());
  case ValKind::List:
    return "a list of " + std::to_string(elementsOf(val).size());
  case ValKind::Model:
    return "a model " + val.as<ModelInstance>().typeName;
  case ValKind::State:
    return "the state of a model " + val.as<ModelInstance>().typeName;
  case ValKind::Class:
    return "a model type";
  case ValKind::Function:
  case ValKind::Builtin:
    return "a function";
  case ValKind::Optimizer:
    return "an optimizer";
  case ValKind::ParameterGroup:
    return "a group of parameters";
  case ValKind::Dataset:
    return "a data set";
  case ValKind::Sampler:
    return "a sampler";
  case ValKind::Generator:
    return "a generator";
  case ValKind::Loader:
    return "a DataLoader";
  case ValKind::Range:
    return "a range";
  case ValKind::Zip:
    return "a `zip`";
  case ValKind::Enumerate:
    return "an enumeration";
  case ValKind::Namespace:
    return "a module";
  }
  return "a value";
}
