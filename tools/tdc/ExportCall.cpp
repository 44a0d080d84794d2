//===- ExportCall.cpp - tdc run --fn --------------------------------------===//
//
// What any other program does with tdc.h.
//
//===----------------------------------------------------------------------===//

#include "ExportCall.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

namespace tdc {

namespace {

/// "did you mean ..." or the names that there are.
std::string hintFor(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> names,
                    llvm::StringRef what) {
  if (std::string nearest = suggestNearest(word, names); !nearest.empty())
    return nearest;
  if (names.empty())
    return ("the program has no " + what).str();
  std::string hint = (what + ": ").str();
  llvm::interleave(
      names, [&](llvm::StringRef name) { hint += name; },
      [&] { hint += ", "; });
  return hint;
}

/// One call of one exported function, with its module.
class ExportCall {
public:
  ExportCall(const tdc_program &program, const Options &options,
             Listener &listener)
      : program(program), options(options), listener(listener) {}
  ~ExportCall() {
    for (tdc_tensor &tensor : inputs)
      tdc_tensor_free(&tensor);
    for (tdc_tensor &tensor : outputs)
      tdc_tensor_free(&tensor);
    tdc_module_free(module);
  }

  int run() {
    if (int code = findFunction())
      return code;
    if (int code = checkNames())
      return code;
    tdc_error *error = nullptr;
    if (int code = check(tdc_open(&program, &module, &error), error))
      return code;
    if (int code = loadInputs())
      return code;
    outputs.resize(function->num_outputs);
    if (int code = call())
      return code;
    if (int code = saveResults())
      return code;
    return options.repeat ? repeat() : int(ExitOk);
  }

private:
  int refuse(const llvm::Twine &problem, const llvm::Twine &hint = {}) {
    listener.failed(ExitUsage, problem, hint);
    return ExitUsage;
  }

  int findFunction() {
    llvm::SmallVector<llvm::StringRef> names;
    for (size_t i = 0; i < tdc_function_count(&program); ++i)
      names.push_back(tdc_function_get(&program, i)->name);
    if (tdc_find_function(&program, options.function.c_str(), &function,
                          nullptr) == TDC_OK)
      return ExitOk;
    return refuse("there is no `export fn " + options.function + "`",
                  hintFor(options.function, names, "exported functions"));
  }

  /// Every parameter needs one file, and results are named in their order.
  int checkNames() {
    llvm::SmallVector<llvm::StringRef> names;
    for (size_t i = 0; i < function->num_inputs; ++i)
      names.push_back(function->inputs[i].name);
    for (const auto &[name, file] : options.inputs)
      if (!llvm::is_contained(names, name))
        return refuse("`" + options.function + "` has no parameter `" + name +
                          "`",
                      hintFor(name, names, "parameters"));
    for (llvm::StringRef name : names)
      if (!findInput(name))
        return refuse("the parameter `" + name + "` of `" + options.function +
                          "` needs a file",
                      "write `--in " + name + "=<file.npy>`");
    if (options.results.size() > function->num_outputs)
      return refuse(llvm::formatv("`{0}` has {1} result(s), not {2}",
                                  options.function, function->num_outputs,
                                  options.results.size())
                        .str());
    return ExitOk;
  }

  const std::string *findInput(llvm::StringRef name) const {
    for (const auto &[given, file] : options.inputs)
      if (given == name)
        return &file;
    return nullptr;
  }

  /// Prints the error of a status that is one.
  int check(tdc_status status, tdc_error *error) const {
    if (error && !options.json)
      llvm::errs() << tdc_error_text(error);
    for (size_t i = 0; error && options.json && i < tdc_error_count(error); ++i)
      llvm::errs() << tdc_error_get(error, i)->json;
    tdc_error_free(error);
    return status;
  }

  int loadInputs() {
    inputs.resize(function->num_inputs);
    for (auto [i, input] : llvm::enumerate(inputs)) {
      const tdc_tensor_type &type = function->inputs[i];
      tdc_error *error = nullptr;
      if (int code = check(tdc_load_tensor(findInput(type.name)->c_str(),
                                           nullptr, &type, &input, &error),
                           error))
        return code;
    }
    return ExitOk;
  }

  int call() {
    tdc_error *error = nullptr;
    return check(tdc_call(module, function, inputs.size(), inputs.data(),
                          outputs.size(), outputs.data(), &error),
                 error);
  }

  int saveResults() {
    for (auto [i, result] : llvm::enumerate(options.results)) {
      tdc_error *error = nullptr;
      if (int code =
              check(tdc_save_tensor(result.second.c_str(), &outputs[i], &error),
                    error))
        return code;
    }
    return ExitOk;
  }

  int repeat() {
    auto start = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < options.repeat; ++i)
      if (int code = call())
        return code;
    std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - start;
    llvm::outs() << llvm::formatv(
        "{{\"metric\":\"ns_per_iter\",\"value\":{0:f1}}\n",
        time.count() / options.repeat);
    return ExitOk;
  }

  const tdc_program &program;
  const Options &options;
  Listener &listener;
  tdc_module *module = nullptr;
  const tdc_function *function = nullptr;
  std::vector<tdc_tensor> inputs, outputs;
};

} // namespace

int callExport(const tdc_program &program, const Options &options,
               Listener &listener) {
  return ExportCall(program, options, listener).run();
}

} // namespace tdc
