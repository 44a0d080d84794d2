//===- ExportCall.cpp - tdc run --fn --------------------------------------===//

#include "ExportCall.h"
#include "Frontend/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <optional>

namespace tdc {

namespace {

/// "did you mean ..." or the names that there are.
std::string hintFor(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> names,
                    llvm::StringRef what) {
  if (auto nearest = findNearest(word, names))
    return ("did you mean `" + *nearest + "`?").str();
  if (names.empty())
    return ("the program has no " + what).str();
  std::string hint = (what + ": ").str();
  llvm::interleave(
      names, [&](llvm::StringRef name) { hint += name; },
      [&] { hint += ", "; });
  return hint;
}

/// One call of one exported function, with its context.
class ExportCall {
public:
  ExportCall(const tdrt_program &program, const Options &options)
      : program(program), options(options) {}
  ~ExportCall() { tdrt_close(context); }

  int run(llvm::ArrayRef<const char *> words) {
    if (int code = findFunction())
      return code;
    if (int code = checkNames())
      return code;
    if (std::optional<int> code = open(words))
      return *code;
    int code = runAndCall();
    int32_t reported = tdrt_report_stats(context);
    return code ? code : tdrt_exit_code(reported);
  }

private:
  int runAndCall() {
    if (int code = check(tdrt_main(context)))
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

  int findFunction() {
    llvm::SmallVector<llvm::StringRef> names;
    for (int32_t i = 0; i < program.num_exports; ++i) {
      names.push_back(program.exports[i].name);
      if (options.function == program.exports[i].name) {
        function = &program.exports[i];
        index = i;
      }
    }
    if (function)
      return ExitOk;
    return reportUsage("there is no `export fn " + options.function + "`",
                       hintFor(options.function, names, "exported functions"));
  }

  /// Every parameter needs one file, and results are named in their order.
  int checkNames() {
    llvm::SmallVector<llvm::StringRef> names;
    for (int32_t i = 0; i < function->num_inputs; ++i)
      names.push_back(function->inputs[i].name);
    for (const auto &[name, file] : options.inputs)
      if (!llvm::is_contained(names, name))
        return reportUsage("`" + options.function + "` has no parameter `" +
                               name + "`",
                           hintFor(name, names, "parameters"));
    for (llvm::StringRef name : names)
      if (!findInput(name))
        return reportUsage("the parameter `" + name + "` of `" +
                               options.function + "` needs a file",
                           "write `--in " + name + "=<file.npy>`");
    if (options.results.size() > size_t(function->num_outputs))
      return reportUsage(llvm::formatv("`{0}` has {1} result(s), not {2}",
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

  /// The exit code if there is nothing to run: after an error, or when help was
  /// all that was asked for.
  std::optional<int> open(llvm::ArrayRef<const char *> words) {
    int32_t status = tdrt_open(&program, words.size(), words.data(), &context);
    if (status == 0)
      return std::nullopt;
    if (status != TDRT_HELP)
      return check(status);
    llvm::outs() << tdrt_error_text(context);
    return ExitOk;
  }

  /// Prints the error of a status that is one.
  int check(int32_t status) {
    if (status == 0)
      return ExitOk;
    llvm::errs() << (context ? tdrt_error_text(context)
                             : "error: out of memory\n");
    return tdrt_exit_code(status);
  }

  int loadInputs() {
    inputs.resize(function->num_inputs);
    dims.resize(function->num_inputs);
    for (int32_t i = 0; i < function->num_inputs; ++i) {
      const tdrt_port &port = function->inputs[i];
      dims[i].assign(port.dims, port.dims + port.rank);
      inputs[i] = {nullptr, port.dtype, port.rank, dims[i].data()};
      if (int code = check(tdrt_load(context, findInput(port.name)->c_str(),
                                     nullptr, port.dtype, port.rank,
                                     dims[i].data(), &inputs[i].data, -1)))
        return code;
    }
    return ExitOk;
  }

  int call() {
    return check(tdrt_call(context, index, inputs.data(), outputs.data()));
  }

  int saveResults() {
    for (auto [i, result] : llvm::enumerate(options.results))
      if (int code = check(tdrt_save_tensor(context, result.second.c_str(),
                                            &outputs[i], -1)))
        return code;
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

  const tdrt_program &program;
  const Options &options;
  const tdrt_export *function = nullptr;
  int32_t index = 0;
  tdrt_context *context = nullptr;
  std::vector<std::vector<int64_t>> dims;
  std::vector<tdrt_tensor> inputs;
  std::vector<tdrt_tensor> outputs;
};

} // namespace

int callExport(const tdrt_program &program, llvm::ArrayRef<const char *> words,
               const Options &options) {
  return ExportCall(program, options).run(words);
}

} // namespace tdc
