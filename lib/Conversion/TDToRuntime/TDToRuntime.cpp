//===- TDToRuntime.cpp - the pass -----------------------------------------===//
//
// Plans the memory of all host functions, lowers them one after another, and
// ties the program together.
//
//===----------------------------------------------------------------------===//

#include "Conversion/TDToRuntime.h"
#include "CodeGen/KernelFunction.h"
#include "FunctionLowering.h"

using namespace mlir;

namespace tdc {

#define GEN_PASS_DEF_TDTORUNTIMEPASS
#define GEN_PASS_DEF_TDPRINTMEMORYPLANPASS
#include "Conversion/Passes.h.inc"

namespace {

Port getPort(DictionaryAttr attributes, Type type, llvm::StringRef otherwise) {
  auto name =
      attributes ? attributes.getAs<StringAttr>("td.name") : StringAttr();
  return {name ? name.str() : otherwise.str(),
          llvm::cast<RankedTensorType>(type)};
}

/// Whether a call of the function may change slots or the random stream.
bool changesState(func::FuncOp function) {
  WalkResult walked = function.walk([](MemoryEffectOpInterface op) {
    llvm::SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects<MemoryEffects::Write>(effects);
    bool changes = llvm::any_of(effects, [](auto &effect) {
      return isa<td::SlotResource, td::RandomResource>(effect.getResource());
    });
    return changes ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walked.wasInterrupted();
}

Export describeExport(func::FuncOp function, FlatSymbolRefAttr entry,
                      bool changesState) {
  Export row = {function.getName().str(),    entry, {}, {}, changesState,
                function->getAttr("td.help")};
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    row.inputs.push_back(getPort(function.getArgAttrDict(index), type,
                                 "arg" + std::to_string(index)));
  bool single = function.getNumResults() == 1;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    row.outputs.push_back(
        getPort(function.getResultAttrDict(index), type,
                single ? "out" : "out" + std::to_string(index)));
  return row;
}

/// Whether an image can be an argument of the function.
bool takesImages(const Export &function) {
  return llvm::any_of(function.inputs, [](const Port &input) {
    DType dtype = td::getDType(input.type.getElementType());
    return (dtype == DType::U8 || dtype == DType::I32) &&
           (input.type.getRank() == 2 || input.type.getRank() == 3);
  });
}

struct TDToRuntime : impl::TDToRuntimePassBase<TDToRuntime> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SlotTable slots(module);
    Globals globals(module);
    numberReports(module, [&](Location line) { return globals.getSite(line); });

    FlatSymbolRefAttr main;
    llvm::SmallVector<Export> exports;
    llvm::SmallVector<int64_t> arenaBytes;
    int64_t pinnedBytes = 0;
    for (int32_t device = 0; device < slots.getNumDevices(); ++device)
      arenaBytes.push_back(slots.getBytes(device));
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      bool changes = changesState(function);
      MemoryPlan plan(function, slots);
      // Main has ended before an export runs, and one context runs only one
      // function at a time: all functions share the arena after the slots.
      for (auto [bytes, planned] : llvm::zip(arenaBytes, plan.getArenaBytes()))
        bytes = std::max(bytes, planned);
      pinnedBytes = std::max(pinnedBytes, plan.getPinnedBytes());
      bool isExport = function->hasAttr("td.export");
      std::string name =
          (isExport ? "tdc_export_" : "tdc_") + function.getName().str();
      FunctionLowering lowering(function, name, slots, plan, globals);
      if (failed(lowering.run()))
        return signalPassFailure();
      if (isExport)
        exports.push_back(
            describeExport(function, lowering.getSymbol(), changes));
      else
        main = lowering.getSymbol();
      function.erase();
    }
    globals.finish(slots, exports, main, arenaBytes, pinnedBytes);
    if (!exports.empty())
      module->setAttr(
          kLoaderAttr,
          StringAttr::get(&getContext(), llvm::any_of(exports, takesImages)
                                             ? runtime::tdrt_load.name
                                             : runtime::tdrt_load_array.name));
    for (auto op : llvm::make_early_inc_range(module.getOps<td::SlotOp>()))
      op.erase();
    for (auto op : llvm::make_early_inc_range(module.getOps<td::GPUKernelOp>()))
      op.erase();
    for (auto op : llvm::make_early_inc_range(module.getOps<td::ImageOp>()))
      op.erase();
    for (llvm::StringRef attribute :
         {"td.arguments", "td.name", "td.help", td::kSitesAttr.data(),
          kSymbolAttr.data(), kOtherwiseAttr.data(), kSimLibraryAttr.data(),
          kStrictNumericsAttr.data()})
      module->removeAttr(attribute);
  }
};

//===----------------------------------------------------------------------===//
// The plan in words
//===----------------------------------------------------------------------===//

std::string describe(const Storage &storage) {
  std::string bytes =
      (storage.device == kPinned ? "pinned "
       : storage.device ? "cuda:" + std::to_string(storage.device - 1) + " "
                        : std::string()) +
      std::to_string(storage.buffer.offset) + " + " +
      std::to_string(storage.buffer.bytes);
  switch (storage.kind) {
  case Storage::Kind::Arena:
    return "arena " + bytes;
  case Storage::Kind::Ring:
    return "ring " + bytes;
  case Storage::Kind::Slot:
    return "slot " + bytes;
  case Storage::Kind::Constant:
    return "constant";
  case Storage::Kind::Input:
    return "input";
  case Storage::Kind::Heap:
    return "heap";
  case Storage::Kind::None:
    return "none";
  }
  llvm_unreachable("not a kind of storage");
}

struct TDPrintMemoryPlan : impl::TDPrintMemoryPlanPassBase<TDPrintMemoryPlan> {
  void runOnOperation() override {
    SlotTable slots(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      MemoryPlan plan(function, slots);
      auto remark = function.emitRemark("arena ");
      llvm::interleaveComma(plan.getArenaBytes(), remark);
      function.walk([&](Operation *op) { printOp(op, plan, slots); });
    }
  }

  static void printOp(Operation *op, const MemoryPlan &plan,
                      const SlotTable &slots) {
    for (OpResult result : op->getResults())
      if (isa<RankedTensorType>(result.getType()))
        op->emitRemark("result ")
            << result.getResultNumber() << ": "
            << describe(plan.getStorage(result))
            << (plan.getTakenOver(result) ? ", that of an operand" : "");
    if (auto write = dyn_cast<td::WriteOp>(op);
        write && slots.isPlanned(write.getSlotAttr())) {
      const Storage &storage = plan.getStorage(write.getValue());
      if (storage.kind != Storage::Kind::Slot ||
          storage.buffer.offset != slots.get(write.getSlotAttr()).offset)
        op->emitRemark("copy into slot");
    }
    for (OpOperand &operand : op->getOpOperands()) {
      if (plan.getStaging(operand))
        op->emitRemark("operand ")
            << operand.getOperandNumber() << ": copied twice";
      if (plan.isHandedOver(operand))
        op->emitRemark("operand ")
            << operand.getOperandNumber() << ": handed over";
    }
    if (size_t count = plan.getDeadAfter(op).size())
      op->emitRemark("heap values freed: ") << count;
  }
};

} // namespace
} // namespace tdc
