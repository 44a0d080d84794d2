//===- HostTarget.h - machine code for the host's processor ---------------===//
//
// Translates the lowered module (llvm, vector, scf, arith, math) to LLVM IR,
// runs a short list of passes, and writes assembly or an object file. Our
// emitter already writes vectors, unrolled and fused loops, so the full O1
// pipeline would cost three times as much and change nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TARGET_HOSTTARGET_H
#define TDC_TARGET_HOSTTARGET_H

#include "Target/TargetInfo.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>

namespace llvm {
class Function;
class LLVMContext;
class Module;
class raw_pwrite_stream;
class TargetMachine;
} // namespace llvm

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tdc {

/// The processor of this machine, or a named one of the same architecture.
class HostTarget {
public:
  /// The optimization level of the code generator.
  static constexpr auto kCodeGenLevel = llvm::CodeGenOptLevel::Less;

  /// `cpu` is a name from `clang -mcpu=help`; if empty, this machine's
  /// processor with all its features.
  static llvm::Expected<HostTarget>
  create(llvm::StringRef cpu = {}, llvm::CodeGenOptLevel level = kCodeGenLevel);

  HostTarget(HostTarget &&) noexcept;
  ~HostTarget();

  /// A copy of this target, for another thread.
  HostTarget clone() const;

  /// LLVM's name of the processor: "sapphirerapids".
  llvm::StringRef getCPU() const;
  TargetInfo getInfo() const;

  /// Translates a module in the llvm dialect to LLVM IR, with this target's
  /// attributes on every function. Returns null if the module cannot be
  /// translated, which is a bug.
  std::unique_ptr<llvm::Module> translate(mlir::ModuleOp module,
                                          llvm::LLVMContext &context) const;

  /// Adds `int main(int, char **)`, which runs @tdc_program. `loader` names the
  /// runtime's function that reads the arguments of exported functions from
  /// files; "" if there are none.
  void addMain(llvm::Module &module, llvm::StringRef loader) const;

  /// Runs the pass list on every function.
  void optimize(llvm::Module &module) const;

  /// Writes assembly or an object file.
  void emit(llvm::Module &module, llvm::CodeGenFileType kind,
            llvm::raw_pwrite_stream &os) const;

private:
  void setAttributes(llvm::Function &function) const;

  explicit HostTarget(std::unique_ptr<llvm::TargetMachine> machine);

  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace tdc

#endif // TDC_TARGET_HOSTTARGET_H
