//===- Globals.h - the constant data of a program -------------------------===//
//
// Texts, tables and literal tensors become LLVM globals, with one global for
// equal data. Finally the struct `tdc_program`, the one symbol that the runtime
// knows, refers to all of them.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_GLOBALS_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_GLOBALS_H

#include "SlotTable.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace tdc {

/// One member of a struct in a constant table.
struct Field {
  enum class Kind : uint8_t { Int32, Int64, Pointer };
  Kind kind;
  int64_t number = 0;
  mlir::FlatSymbolRefAttr symbol; ///< of a pointer; null for NULL

  static Field int32(int64_t number) { return {Kind::Int32, number, {}}; }
  static Field int64(int64_t number) { return {Kind::Int64, number, {}}; }
  static Field pointer(mlir::FlatSymbolRefAttr symbol) {
    return {Kind::Pointer, 0, symbol};
  }
};
using Row = llvm::SmallVector<Field, 8>;

/// An input or output of an exported function.
struct Port {
  std::string name;
  mlir::RankedTensorType type;
};
struct Export {
  std::string name;
  mlir::FlatSymbolRefAttr entry;
  llvm::SmallVector<Port> inputs, outputs;
  bool changesState;
  mlir::Attribute help; ///< a StringAttr, or null
};

/// In place of a device: the device that has the value.
inline constexpr int32_t kAnyDevice = -1;

/// Returns TDRT_INT ... TDRT_STR for the type of a host scalar.
int32_t getHostType(mlir::Type type);

class Globals {
public:
  explicit Globals(mlir::ModuleOp module);

  /// A NUL-terminated text.
  mlir::FlatSymbolRefAttr getText(llvm::StringRef text);
  /// Read-only bytes.
  mlir::FlatSymbolRefAttr getBytes(llvm::StringRef bytes, unsigned alignment);
  /// An array of numbers; NULL if it is empty.
  mlir::FlatSymbolRefAttr getInt64s(llvm::ArrayRef<int64_t> numbers);
  mlir::FlatSymbolRefAttr getInt32s(llvm::ArrayRef<int32_t> numbers);
  /// The sizes of a type, -1 for each run-time size.
  mlir::FlatSymbolRefAttr getSizes(mlir::RankedTensorType type);
  /// The elements of a literal tensor, padded like every buffer, since a kernel
  /// may read a whole vector past its end.
  mlir::FlatSymbolRefAttr getElements(mlir::DenseElementsAttr value);
  /// An array of equal structs; NULL if there are no rows. If `name` is taken,
  /// a number is appended.
  mlir::FlatSymbolRefAttr addTable(llvm::StringRef name,
                                   llvm::ArrayRef<Row> rows);

  /// The number of a position that can fail: td::getSite() of `location`; -1
  /// if there is none.
  int32_t getSite(mlir::Location location);
  /// The number of an `arg` of the program; -1 if there is none of that name.
  int32_t getArgument(llvm::StringRef name) const;

  /// The kernel with this name.
  mlir::LLVM::LLVMFuncOp getKernel(mlir::StringAttr name) const {
    return functions.lookup(name);
  }
  /// The task of tdrt_parallel_for that computes some blocks of a kernel. Its
  /// argument is an array of words: those that the kernel takes before the
  /// blocks. Argument `scratch` of the kernel, if there is one, is the memory
  /// of the thread instead.
  mlir::FlatSymbolRefAttr getTask(mlir::LLVM::LLVMFuncOp kernel,
                                  std::optional<unsigned> scratch);
  /// The number of a GPU kernel.
  int32_t getGPUKernel(td::GPUKernelOp kernel) const {
    return gpuKernels.lookup(kernel);
  }
  /// Adds a row to the program's table of copies; `from` may be kAnyDevice. The
  /// location may name the copied value.
  int32_t addTransfer(mlir::Location location, int32_t from, int32_t to,
                      bool isImplied);
  /// Adds a row to the program's table of consecutive launches: the kernel and
  /// the site of each. `words`: the number of words of all launches together.
  int32_t addSequence(int32_t device, int32_t words,
                      llvm::ArrayRef<int32_t> kernels,
                      llvm::ArrayRef<int32_t> sites);
  /// Declares a function of the runtime.
  void declare(llvm::StringRef name, mlir::LLVM::LLVMFunctionType type);

  /// Emits tdc_program.
  void finish(const SlotTable &slots, llvm::ArrayRef<Export> exports,
              mlir::FlatSymbolRefAttr main, llvm::ArrayRef<int64_t> arenaBytes,
              int64_t pinnedBytes);

private:
  mlir::LLVM::GlobalOp addGlobal(llvm::StringRef name, mlir::Type type,
                                 mlir::Attribute value, unsigned alignment);
  mlir::FlatSymbolRefAttr
  addConstant(llvm::StringRef name, mlir::Type type,
              mlir::LLVM::Linkage linkage,
              llvm::function_ref<mlir::Value(mlir::Location)> content);
  mlir::FlatSymbolRefAttr addStruct(llvm::StringRef name, const Row &row,
                                    mlir::LLVM::Linkage linkage);
  mlir::Value addRow(mlir::Location loc, const Row &row);
  mlir::Value addRows(mlir::Location loc, llvm::ArrayRef<Row> rows);
  mlir::Type getStructType(const Row &row);
  mlir::Type getTableType(llvm::ArrayRef<Row> rows);
  mlir::FlatSymbolRefAttr addSlots(const SlotTable &slots);
  mlir::FlatSymbolRefAttr addAliases(const SlotTable &slots, int32_t &count);
  mlir::FlatSymbolRefAttr addArguments();
  mlir::FlatSymbolRefAttr addSites();
  mlir::FlatSymbolRefAttr addPorts(llvm::ArrayRef<Port> ports);
  mlir::FlatSymbolRefAttr addExports(llvm::ArrayRef<Export> exports);
  /// The address of tdrt_cuda_backend.
  mlir::FlatSymbolRefAttr getBackend();
  /// The program's data for GPUs; NULL if it uses none.
  mlir::FlatSymbolRefAttr addGPUProgram(const SlotTable &slots,
                                        llvm::ArrayRef<int64_t> arenaBytes,
                                        int64_t pinnedBytes);
  /// The table of the version for machines with fewer GPUs, which is compiled
  /// separately; NULL if there is none.
  mlir::FlatSymbolRefAttr declareOtherwise();
  /// The text of a module attribute; NULL if it is absent or empty.
  mlir::FlatSymbolRefAttr getOptionalText(mlir::Attribute attribute);

  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  llvm::StringMap<mlir::FlatSymbolRefAttr> bytes;
  /// Kernels, their tasks, and declared functions of the runtime.
  llvm::DenseMap<mlir::StringAttr, mlir::LLVM::LLVMFuncOp> functions;
  mlir::ArrayAttr arguments;
  llvm::MapVector<mlir::Attribute, int32_t> sites; ///< of td::getSite()
  llvm::MapVector<mlir::Operation *, int32_t> gpuKernels;
  llvm::SmallVector<Row> transfers, sequences;
  llvm::StringMap<unsigned> tables;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_GLOBALS_H
