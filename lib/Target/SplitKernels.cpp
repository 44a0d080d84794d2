//===- SplitKernels.cpp - cutting a module for several threads ------------===//

#include "SplitKernels.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tdc {

namespace {

/// With fewer operations, a thread costs more than it saves.
constexpr unsigned worthAThread = 150;

struct Kernel {
  LLVM::LLVMFuncOp function;
  unsigned weight;
};

struct Part {
  unsigned weight = 0;
  llvm::SmallVector<LLVM::LLVMFuncOp> kernels;
};

/// The number of operations, an estimate of the time to compile a function.
unsigned getWeight(LLVM::LLVMFuncOp function) {
  unsigned count = 0;
  function.walk([&](Operation *) { ++count; });
  return count;
}

/// The kernels, heaviest first: internal functions that are only called.
/// Functions with an address in a table stay in the module of the table.
llvm::SmallVector<Kernel> findKernels(ModuleOp module) {
  llvm::DenseSet<StringAttr> inTables;
  module.walk([&](LLVM::AddressOfOp op) {
    inTables.insert(op.getGlobalNameAttr().getAttr());
  });
  llvm::SmallVector<Kernel> kernels;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal() &&
        function.getLinkage() == LLVM::Linkage::Internal &&
        !inTables.contains(function.getSymNameAttr()))
      kernels.push_back({function, getWeight(function)});
  // Equal weights are sorted by name, so that equal programs give equal
  // objects.
  llvm::sort(kernels, [](const Kernel &a, const Kernel &b) {
    return a.weight != b.weight ? a.weight > b.weight
                                : LLVM::LLVMFuncOp(a.function).getSymName() <
                                      LLVM::LLVMFuncOp(b.function).getSymName();
  });
  return kernels;
}

/// Makes a symbol visible to the other parts, but not outside of the program.
template <typename Symbol> void share(Symbol symbol) {
  symbol.setLinkage(LLVM::Linkage::External);
  symbol.setVisibility_(LLVM::Visibility::Hidden);
}

/// Returns a symbol's representation in another part: its declaration or, for a
/// constant without references, a copy, which LLVM can look into.
Operation *makeUsable(Operation *symbol) {
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(symbol)) {
    if (!function.isExternal())
      share(function);
    return function->cloneWithoutRegions();
  }
  auto global = cast<LLVM::GlobalOp>(symbol);
  if (global.getConstant() && global.getInitializerRegion().empty())
    return global->clone();
  share(global);
  auto declaration = cast<LLVM::GlobalOp>(global->cloneWithoutRegions());
  declaration.removeValueAttr();
  return declaration;
}

/// Adds to `part` the symbols of `module` that its functions use.
void addUsedSymbols(ModuleOp part, ModuleOp module) {
  SymbolTable here(part), there(module);
  llvm::SmallVector<SymbolTable::SymbolUse> uses;
  if (auto found = SymbolTable::getSymbolUses(&part.getBodyRegion()))
    uses.assign(found->begin(), found->end());
  for (SymbolTable::SymbolUse use : uses) {
    StringAttr name = use.getSymbolRef().getRootReference();
    Operation *symbol = there.lookup(name);
    if (symbol && !here.lookup(name))
      here.insert(makeUsable(symbol));
  }
}

/// Moves a function and leaves its declaration.
void moveFunction(LLVM::LLVMFuncOp function, ModuleOp to) {
  share(function);
  OpBuilder builder(function);
  builder.insert(function->cloneWithoutRegions());
  function->moveBefore(to.getBody(), to.getBody()->end());
}

} // namespace

llvm::SmallVector<OwningOpRef<ModuleOp>> splitKernels(ModuleOp module,
                                                      unsigned parts) {
  llvm::SmallVector<Kernel> kernels = findKernels(module);
  unsigned total = 0;
  for (const Kernel &kernel : kernels)
    total += kernel.weight;
  llvm::SmallVector<Part> plan(
      std::max(1u, std::min(parts, total / worthAThread)));

  // The heaviest remaining kernel goes to the lightest part. The first part is
  // `module` itself, which also has the rest of the program.
  module.walk([&](Operation *) { ++plan[0].weight; });
  plan[0].weight -= total;
  for (const Kernel &kernel : kernels) {
    Part &lightest = *llvm::min_element(
        plan, [](const Part &a, const Part &b) { return a.weight < b.weight; });
    lightest.weight += kernel.weight;
    lightest.kernels.push_back(kernel.function);
  }

  llvm::SmallVector<OwningOpRef<ModuleOp>> result;
  for (const Part &part : llvm::drop_begin(plan)) {
    if (part.kernels.empty())
      continue;
    OwningOpRef<ModuleOp> moved = ModuleOp::create(module.getLoc());
    for (LLVM::LLVMFuncOp function : part.kernels)
      moveFunction(function, *moved);
    addUsedSymbols(*moved, module);
    result.push_back(std::move(moved));
  }
  return result;
}

} // namespace tdc
