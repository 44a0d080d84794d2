//===- UserNames.cpp - what the author of a program calls things ----------===//

#include "Dialect/TD/Analysis/UserNames.h"
#include "Dialect/TD/Analysis/ValueFlow.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Locations.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tdc::td {

std::string getUserName(Operation *op) {
  if (isa<SaveOp, SaveTensorOp>(op))
    return "`save`";
  if (isa<FormatOp>(op))
    return "`print`";
  if (isa<func::ReturnOp>(op))
    return "`return`";
  if (auto item = dyn_cast<ItemOp>(op)) {
    bool isPrinted = llvm::all_of(
        item->getUsers(), [](Operation *user) { return isa<FormatOp>(user); });
    return isPrinted ? "`print`" : "`.item()`";
  }
  StringRef name = op->getName().stripDialect();
  if (auto reduce = dyn_cast<ReduceOp>(op))
    name = stringifyReduceKind(reduce.getKind());
  else if (auto random = dyn_cast<RandomOp>(op))
    name = stringifyDistribution(random.getDistribution());
  return ("`" +
          llvm::StringSwitch<StringRef>(name)
              .Case("add", "+")
              .Case("sub", "-")
              .Case("mul", "*")
              .Case("div", "/")
              .Case("matmul", "@")
              .Case("slice", "[...]")
              .Case("fill", "full")
              .Case("iota", "arange")
              .Case("uniform", "rand")
              .Case("normal", "randn")
              .Case("permutation", "randperm")
              .Case("restore", "load")
              .Default(name) +
          "`")
      .str();
}

/// The variable that holds a value; of what a loop or branch passes on, the
/// one that gives it that.
static StringRef findName(Value value, unsigned depth = 4) {
  value = getContent(value);
  StringRef name = getVariableName(getLocation(value));
  auto result = dyn_cast<OpResult>(value);
  if (!name.empty() || depth == 0)
    return name;
  if (CarryingLoop loop = CarryingLoop::ofArgument(value))
    return findName(loop.getYield()->getOperand(loop.getIndex(value)),
                    depth - 1);
  if (result && isStructured(result.getOwner()))
    return findName(result.getOwner()
                        ->getRegions()
                        .back()
                        .front()
                        .getTerminator()
                        ->getOperand(result.getResultNumber()),
                    depth - 1);
  return {};
}

static std::string getArgumentName(BlockArgument argument) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return "a value of the turn before";
  auto name =
      function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "td.name");
  return name ? name.str() : "a parameter";
}

std::string getValueName(Value value) {
  if (StringRef name = findName(value); !name.empty())
    return name.str();
  Value made = getContent(value);
  Operation *maker = made.getDefiningOp();
  if (auto copy = dyn_cast_or_null<CopyStartOp>(maker))
    return getValueName(copy.getInput());
  if (!maker)
    return getArgumentName(cast<BlockArgument>(made));
  return isa<scf::SCFDialect>(maker->getDialect())
             ? "a value that loops and branches pass on"
             : "the result of " + getUserName(maker);
}

static Location nameLine(StringRef name, Location line) {
  return NameLoc::get(StringAttr::get(line.getContext(), name),
                      withoutName(line));
}

Location getCopyLocation(Value value) {
  return nameLine(getValueName(value), value.getLoc());
}

Location getCopyLocation(StringAttr slot, Location line) {
  return nameLine(getSlotName(slot), line);
}

StringAttr getSlotOfCopy(Value copy, Value content) {
  auto getWritten = [](Value value) -> StringAttr {
    for (Operation *user : value.getUsers()) {
      if (auto write = dyn_cast<WriteOp>(user))
        return write.getSlotAttr().getAttr();
      if (auto write = dyn_cast<WriteHandleOp>(user))
        return write.getSlotAttr().getAttr();
    }
    return {};
  };
  Value made = getContent(content);
  if (auto read = made.getDefiningOp<ReadOp>())
    return read.getSlotAttr().getAttr();
  if (StringAttr slot = getWritten(copy))
    return slot;
  for (Operation *user : made.getUsers())
    if (auto handle = dyn_cast<HandleOp>(user))
      if (StringAttr slot = getWritten(handle.getResult()))
        return slot;
  return {};
}

std::string getSlotName(StringAttr slot) {
  return slot.getValue().split('@').first.str();
}

} // namespace tdc::td
