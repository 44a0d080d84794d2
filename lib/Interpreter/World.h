//===- World.h - the runtime's view of a module ---------------------------===//
//
// The runtime reads a program's tables. World makes them from the module as
// td-to-runtime does for compiled code, but in memory and with all slots
// row-major.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_INTERPRETER_WORLD_H
#define TDC_LIB_INTERPRETER_WORLD_H

#include "Dialect/TD/IR/TD.h"
#include "Interpreter/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "tdc_runtime.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <deque>

namespace tdc {

class World {
public:
  explicit World(mlir::ModuleOp module);
  ~World();
  World(const World &) = delete;
  World &operator=(const World &) = delete;

  /// TDRT_INT ... TDRT_STR of a host type.
  static int32_t getHostType(mlir::Type type);

  /// Makes the context; returns the runtime's status.
  int32_t open(llvm::ArrayRef<const char *> words);

  tdrt_context *getContext() const { return context; }

  int32_t getSlot(llvm::StringRef name) const { return slotIndex.at(name); }
  /// The contents of a slot: a tensor or a handle. The runtime has its own
  /// copy, which is updated only before files are written or read.
  Datum &slotValue(llvm::StringRef name) { return slotValues[name]; }
  void storeSlot(llvm::StringRef name);
  TensorRef fetchSlot(llvm::StringRef name, const Place &place);
  /// The place of a slot's type.
  Place getSlotPlace(llvm::StringRef name) const {
    return slotPlaces.lookup(name);
  }
  /// The value of an `arg`, or null if the program has none of that name.
  const tdrt_value *getArgument(llvm::StringRef name) const;
  /// The source line of an op in the table of sites, or -1.
  int32_t getSite(mlir::Operation *op);

private:
  void addSlot(td::SlotOp op);
  void addArgument(mlir::DictionaryAttr row);
  void addSites(mlir::ModuleOp module);
  const char *keep(llvm::StringRef text);

  tdrt_program program = {};
  tdrt_context *context = nullptr;
  std::deque<std::string> texts;
  std::deque<Extents> shapes;
  std::vector<tdrt_slot> slots;
  std::vector<tdrt_arg> args;
  std::vector<tdrt_site> sites;
  llvm::StringMap<int32_t> slotIndex, argIndex;
  llvm::StringMap<Datum> slotValues;
  llvm::StringMap<Place> slotPlaces;
  llvm::DenseMap<mlir::Location, int32_t> siteIndex;
};

} // namespace tdc

#endif // TDC_LIB_INTERPRETER_WORLD_H
