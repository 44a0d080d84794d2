//===- Run.cpp - runs @main, one function, or many calls ------------------===//

#include "Run.h"
#include "Calls.h"
#include "Dialect/TD/IR/TD.h"
#include "Interpreter/Interpreter.h"
#include "tdc_exit_codes.h"
#include "tdc_runtime.h"

using namespace mlir;
using namespace tdc;

static int usage(const llvm::Twine &message) {
  llvm::errs() << "error: " << message << "\n";
  return ExitUsage;
}

/// Prints why a run stopped; returns the exit code.
static int report(const Interpreter &interpreter, int32_t status) {
  if (status == Interpreter::kInvalidProgram)
    return ExitBug; // a diagnostic has said why
  const char *text = tdrt_error_text(interpreter.getContext());
  (status == TDRT_HELP ? llvm::outs() : llvm::errs()) << text;
  return tdrt_exit_code(status);
}

/// Opens the program and runs @main. Returns a status.
static int32_t start(ModuleOp module, const Options &options,
                     Interpreter &interpreter) {
  llvm::SmallVector<const char *> words = {options.file.c_str()};
  words.append(options.programArguments);
  if (int32_t status = interpreter.open(words))
    return status;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  llvm::SmallVector<Datum> none;
  return main ? interpreter.call(main, {}, none) : 0;
}

static std::string getParameterName(func::FuncOp op, unsigned index) {
  auto name = op.getArgAttrOfType<StringAttr>(index, "td.name");
  return name ? name.str() : "arg" + std::to_string(index);
}

static int callOnce(func::FuncOp op, const Options &options,
                    Interpreter &interpreter) {
  tdrt_context *context = interpreter.getContext();
  llvm::SmallVector<Datum> arguments, results;
  for (auto [index, type] : llvm::enumerate(op.getArgumentTypes())) {
    std::string name = getParameterName(op, index), path;
    for (llvm::StringRef input : options.inputs)
      if (input.split('=').first == name)
        path = input.split('=').second.str();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (path.empty() || !tensor)
      return usage("the parameter '" + name + "' needs a tensor from --in");
    Extents dims(tensor.getShape());
    for (int64_t &dim : dims)
      if (ShapedType::isDynamic(dim))
        dim = -1;
    DType dtype = td::getDType(tensor.getElementType());
    void *data = nullptr;
    if (int32_t status =
            tdrt_load(context, path.c_str(), nullptr, int32_t(dtype),
                      dims.size(), dims.data(), &data, -1))
      return report(interpreter, status);
    arguments.push_back(std::make_shared<const Tensor>(
        Tensor::fromBytes(dtype, dims, td::getPlace(tensor), data)));
    tdrt_free(context, /*device=*/0, data);
  }
  if (int32_t status = interpreter.call(op, arguments, results))
    return report(interpreter, status);
  if (options.outputs.size() > results.size())
    return usage("there are only " + llvm::Twine(results.size()) + " results");
  for (auto [output, result] : llvm::zip(options.outputs, results)) {
    const Tensor &value = *std::get<TensorRef>(result);
    std::vector<char> bytes = value.toBytes();
    tdrt_tensor view = {bytes.data(), int32_t(value.dtype),
                        int32_t(value.dims.size()), value.dims.data()};
    if (int32_t status = tdrt_save_tensor(
            context, llvm::StringRef(output).split('=').second.str().c_str(),
            &view, -1))
      return report(interpreter, status);
  }
  return 0;
}

/// Makes the calls in one run of the program. After a failed call it starts a
/// new run, so that one failure does not end the others.
static int callMany(ModuleOp module, const Options &options) {
  auto interpreter = std::make_unique<Interpreter>(module);
  if (int32_t status = start(module, options, *interpreter))
    return report(*interpreter, status);
  SymbolTable symbols(module);
  llvm::SmallVector<Datum> results;
  std::vector<std::vector<char>> bytes;
  auto call = [&](llvm::StringRef name, llvm::ArrayRef<tdrt_tensor> arguments,
                  llvm::SmallVectorImpl<tdrt_tensor> &out) -> int32_t {
    auto op = symbols.lookup<func::FuncOp>(name);
    if (!op || op.getNumArguments() != arguments.size())
      return Interpreter::kInvalidProgram;
    llvm::SmallVector<Datum> values;
    for (auto [type, view] : llvm::zip(op.getArgumentTypes(), arguments))
      values.push_back(std::make_shared<const Tensor>(Tensor::fromBytes(
          DType(view.dtype), {view.dims, size_t(view.rank)},
          td::getPlace(cast<RankedTensorType>(type)), view.data)));
    results.clear();
    bytes.clear();
    if (int32_t status = interpreter->call(op, values, results)) {
      interpreter = std::make_unique<Interpreter>(module);
      start(module, options, *interpreter);
      return status;
    }
    for (const Datum &result : results) {
      const Tensor &value = *std::get<TensorRef>(result);
      bytes.push_back(value.toBytes());
      out.push_back({bytes.back().data(), int32_t(value.dtype),
                     int32_t(value.dims.size()), value.dims.data()});
    }
    return 0;
  };
  return runCalls(options.callsFile, options.dataFile, options.resultsFile,
                  call)
             ? 0
             : 2;
}

static int writeTransfers(const Interpreter &interpreter,
                          llvm::StringRef file) {
  std::error_code error;
  llvm::raw_fd_ostream os(file, error);
  if (error)
    return usage("cannot write '" + file + "': " + error.message());
  interpreter.writeTransfers(os);
  return 0;
}

int run(ModuleOp module, const Options &options) {
  if (!options.callsFile.empty())
    return callMany(module, options);
  Interpreter interpreter(module);
  int32_t status = start(module, options, interpreter);
  if (!options.transfersFile.empty())
    if (int code = writeTransfers(interpreter, options.transfersFile))
      return code;
  if (status)
    return report(interpreter, status);
  if (options.function.empty())
    return 0;
  auto op = module.lookupSymbol<func::FuncOp>(options.function);
  return op ? callOnce(op, options, interpreter)
            : usage("there is no function '" + options.function + "'");
}
