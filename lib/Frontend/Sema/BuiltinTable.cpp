//===- BuiltinTable.cpp - finding a builtin by its name -------------------===//

#include "Builtins.h"

using namespace tdc;
using namespace tdc::sema;

static llvm::ArrayRef<llvm::ArrayRef<Builtin>> families() {
  static const llvm::ArrayRef<Builtin> all[] = {
      getFactoryBuiltins(),     getElementwiseBuiltins(),
      getReductionBuiltins(),   getMovementBuiltins(),
      getIndexingBuiltins(),    getHostBuiltins(),
      getConversionBuiltins(),  getFileBuiltins(),
      getDeviceBuiltins(),      getInitBuiltins(),
      getTrainingBuiltins(),    getContractionBuiltins(),
      getConvolutionBuiltins(), getPatternBuiltins(),
      getEinsumBuiltins(),      getPoolingBuiltins(),
      getRearrangeBuiltins(),   getStringBuiltins(),
      getDataBuiltins(),        getLintBuiltins()};
  return all;
}

const Builtin *sema::findBuiltin(llvm::StringRef name) {
  static const llvm::StringMap<const Builtin *> byName = [] {
    llvm::StringMap<const Builtin *> map;
    for (llvm::ArrayRef<Builtin> family : families())
      for (const Builtin &builtin : family)
        map[builtin.name] = &builtin;
    return map;
  }();
  return byName.lookup(name);
}

llvm::ArrayRef<llvm::StringRef> sema::getBuiltinNames() {
  static const std::vector<llvm::StringRef> names = [] {
    std::vector<llvm::StringRef> list;
    for (llvm::ArrayRef<Builtin> family : families())
      for (const Builtin &builtin : family)
        if (!builtin.name.starts_with("_"))
          list.push_back(builtin.name);
    return list;
  }();
  return names;
}
