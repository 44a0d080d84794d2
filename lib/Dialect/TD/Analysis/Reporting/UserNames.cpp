//===- UserNames.cpp - names in the words of a program's author -----------===//

#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/IR/Views.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tdc::td {

/// Whether a text is used by prints only.
static bool isPrinted(Operation *format) {
  return llvm::all_of(format->getUsers(),
                      [](Operation *user) { return isa<PrintOp>(user); });
}

std::string getUserName(Operation *op) {
  if (isa<SaveOp, SaveTensorOp>(op))
    return "`save`";
  if (isa<RestoreOp>(op))
    return "`load`";
  if (isa<FormatOp>(op))
    return isPrinted(op) ? "`print`" : "the string";
  if (isa<func::ReturnOp>(op))
    return "`return`";
  if (auto item = dyn_cast<ItemOp>(op)) {
    bool isForText = llvm::all_of(
        item->getUsers(), [](Operation *user) { return isa<FormatOp>(user); });
    return isForText && !item.use_empty() ? getUserName(*item->user_begin())
                                          : "`.item()`";
  }
  auto compute = dyn_cast<ComputeOp>(op);
  if (!compute)
    return ("`" + op->getName().stripDialect() + "`").str();
  std::string spelling = compute.getSpelling();
  // An op without a spelling is part of its user: the program writes the op
  // that needs all elements.
  if (spelling.empty())
    for (Operation *user : op->getUsers())
      if (isa<ComputeOp>(user))
        return getUserName(user);
  return "`" +
         (spelling.empty() ? compute.getInfo().mnemonic.str() : spelling) + "`";
}

/// Whether the program has no word for the op.
static bool isUnnamed(Operation *op) {
  auto compute = dyn_cast<ComputeOp>(op);
  return compute ? compute.getSpelling().empty()
                 : isa<CopyStartOp, HandleOp, ReplicaGetOp>(op);
}

/// The variable that holds a value. For a value that a loop or branch passes
/// on, the variable that it comes from.
static StringRef findName(Value value, unsigned depth = 4) {
  value = getContent(value);
  StringRef name = getVariableName(getLocation(value));
  auto result = dyn_cast<OpResult>(value);
  if (!name.empty() || depth == 0)
    return name;
  if (CarryingLoop loop = CarryingLoop::ofArgument(value))
    return findName(loop.getYield()->getOperand(loop.getIndex(value)),
                    depth - 1);
  if (!result || !isStructured(result.getOwner()))
    return {};
  // One region may yield no value: there is no next iteration to copy for.
  for (Region &region : llvm::reverse(result.getOwner()->getRegions()))
    if (!region.empty() && name.empty())
      name = findName(
          region.front().getTerminator()->getOperand(result.getResultNumber()),
          depth - 1);
  return name;
}

SlotOp findSlot(Operation *user, StringAttr slot) {
  return SymbolTable::lookupNearestSymbolFrom<SlotOp>(user, slot);
}

/// The slot that `op` reads a value from; null if there is none.
static SlotOp findReadSlot(Operation *op) {
  auto user = dyn_cast_or_null<SlotUser>(op);
  return user && user.getReadValue() ? findSlot(op, user.getReadSlots().front())
                                     : SlotOp();
}

/// The slot that a value or handle is written to; null if there is none.
static SlotOp findWrittenSlot(Value value) {
  for (Operation *op : value.getUsers())
    if (auto user = dyn_cast<SlotUser>(op); user && user.getWrittenValue())
      return findSlot(op, user.getWrittenSlots().front());
  return {};
}

static std::string getArgumentName(BlockArgument argument) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return "a value of the previous iteration";
  auto name =
      function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "td.name");
  return name ? name.str() : "a parameter";
}

std::string getValueName(Value value) {
  if (StringRef name = findName(value); !name.empty())
    return name.str();
  Value made = getContent(value);
  Operation *maker = made.getDefiningOp();
  if (!maker)
    return getArgumentName(cast<BlockArgument>(made));
  if (SlotOp slot =
          isa<HandleOp>(maker) ? findWrittenSlot(made) : findReadSlot(maker))
    return getSlotName(slot);
  if (isUnnamed(maker)) // it is named after its operand
    return getValueName(maker->getOperand(0));
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

Location getCopyLocation(SlotOp slot, Location line) {
  return nameLine(getSlotName(slot), line);
}

SlotOp getSlotOfCopy(Value copy, Value content) {
  Value made = getContent(content);
  if (SlotOp slot = findReadSlot(made.getDefiningOp()))
    return slot;
  if (SlotOp slot = findWrittenSlot(copy))
    return slot;
  for (Operation *user : made.getUsers())
    if (auto handle = dyn_cast<HandleOp>(user))
      if (SlotOp slot = findWrittenSlot(handle.getResult()))
        return slot;
  return {};
}

std::string getSlotName(SlotOp slot) {
  if (auto original = slot->getAttrOfType<StringAttr>(kReplicaOfAttr))
    if (SlotOp found = findSlot(slot, original))
      return getSlotName(found);
  StringRef name = slot.getSymName().split('@').first;
  // In a file of the state, the prefix keeps optimizers apart from models.
  if (slot.getKind() == SlotKind::Moment)
    name.consume_front("opt.");
  if (slot.getKind() == SlotKind::Value)
    name.consume_front("value.");
  return name.str();
}

} // namespace tdc::td
