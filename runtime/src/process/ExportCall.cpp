//===- ExportCall.cpp - an exported function on the command line ----------===//
//
// `--fn embed --in ids=ids.npy --out y=y.npy --repeat 100` runs the statements
// of a program and then one of its exported functions, with tensors from files.
// Used by built programs and by `tdc run`.
//
//===----------------------------------------------------------------------===//

#include "base/Dtype.h"
#include "base/Nearest.h"
#include "process/Process.h"
#include <charconv>
#include <cstring>
#include <ctime>

using namespace tdrt;

namespace {

/// "`a`, `b`"
std::string listNames(const std::vector<std::string> &names) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + inQuotes(name);
  return list;
}

/// Throws Failure TR004: `word` is none of `names`. `what` is the plural noun
/// for them.
[[noreturn]] void failName(std::string message, const std::string &word,
                           const std::vector<std::string> &names,
                           const char *what) {
  if (const std::string *nearest = findNearest(word, names))
    message += ": did you mean " + inQuotes(*nearest) + "?";
  else if (names.empty())
    message += std::string(": there are no ") + what;
  else
    message += std::string(": the ") + what + " are " + listNames(names);
  fail(4, message);
}

std::vector<std::string> namesOf(const tdrt_port *ports, int32_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (int32_t i = 0; i < count; ++i)
    names.push_back(ports[i].name);
  return names;
}

std::string typeOf(const tdrt_port &port) {
  return typeText(port.dtype, port.dims, port.rank);
}

/// "scale(x: f32[?, 2]) -> f32[?]"
std::string signatureOf(const tdrt_export &function) {
  std::string inputs, outputs;
  for (int32_t i = 0; i < function.num_inputs; ++i)
    inputs += (i ? ", " : "") + std::string(function.inputs[i].name) + ": " +
              typeOf(function.inputs[i]);
  for (int32_t i = 0; i < function.num_outputs; ++i)
    outputs += (i ? ", " : "") + typeOf(function.outputs[i]);
  if (function.num_outputs > 1)
    outputs = "(" + outputs + ")";
  return std::string(function.name) + "(" + inputs + ")" +
         (outputs.empty() ? "" : " -> " + outputs);
}

/// The call of an exported function that a command line requests.
class ExportCall {
public:
  ExportCall(const tdrt_program &program, int argc, const char *const *argv,
             tdrt_loader *loadFile)
      : program(program), loadFile(loadFile) {
    splitWords(argc, argv);
  }

  /// The words that are not options of the call: the program's arguments.
  const std::vector<const char *> &getOwnWords() const { return ownWords; }

  /// The text of `--help` about the functions; "" if there are none.
  std::string helpText() const {
    if (!program.num_exports)
      return "";
    std::string text = "\n"
                       "functions, called after the program:\n"
                       "  --fn <name> --in <parameter>=<file> --out "
                       "<result>=<file> [--repeat <n>]\n\n";
    for (int32_t i = 0; i < program.num_exports; ++i) {
      const tdrt_export &function = program.exports[i];
      text += "  " + signatureOf(function) + "\n";
      if (function.help)
        text += "      " + indent(function.help) + "\n";
    }
    return text;
  }

  /// Runs the statements, and then the call if the command line has one.
  int32_t run(tdrt_context *ctx) {
    if (callOptions.empty())
      return tdrt_main(ctx);
    int32_t status = Context::of(ctx).guarded(-1, [&] {
      parseCallOptions();
      findFunction();
      checkNames();
      allocateDescriptors();
    });
    if (!status)
      status = tdrt_main(ctx);
    if (!status)
      status = load(ctx);
    if (!status)
      status = call(ctx);
    if (!status)
      status = save(ctx);
    return status || !repeat ? status : measure(ctx);
  }

private:
  struct NamedFile {
    std::string name, file;
  };

  static std::string indent(const char *lines) {
    std::string text;
    for (; *lines; ++lines)
      text += *lines == '\n' ? "\n      " : std::string(1, *lines);
    return text;
  }

  static bool isOurs(const std::string &option) {
    for (const char *ours : {"--fn", "--in", "--out", "--repeat"})
      if (option == ours)
        return true;
    return false;
  }

  /// Whether the word after `option` is the value of an `arg`.
  bool takesNext(const std::string &option) const {
    for (int32_t i = 0; i < program.num_args; ++i)
      if (option == std::string("--") + program.args[i].name)
        return program.args[i].type != TDRT_BOOLEAN;
    return false;
  }

  void splitWords(int argc, const char *const *argv) {
    for (int i = 0; i < argc; ++i) {
      std::string word = argv[i];
      if (word == "--") { // the rest are the program's arguments
        ownWords.insert(ownWords.end(), argv + i, argv + argc);
        return;
      }
      size_t equals = word.find('=');
      std::string option = word.substr(0, equals);
      if (i == 0 || !isOurs(option)) {
        ownWords.push_back(argv[i]);
        if (i > 0 && i + 1 < argc && takesNext(word))
          ownWords.push_back(argv[++i]);
      } else if (equals != std::string::npos) {
        callOptions.emplace_back(option, argv[i] + equals + 1);
      } else {
        const char *value = i + 1 < argc ? argv[++i] : nullptr;
        callOptions.emplace_back(option, value);
      }
    }
  }

  void parseCallOptions() {
    for (const auto &[option, value] : callOptions) {
      if (!value)
        fail(2, "a value is missing after " + inQuotes(option));
      bool isKnown = (option == "--fn" && !name.empty()) ||
                     (option == "--repeat" && repeat != 0);
      if (isKnown)
        fail(4, inQuotes(option) + " is given twice");
      if (option == "--fn")
        name = value;
      else if (option == "--repeat")
        readRepeat(value);
      else
        (option == "--in" ? inputFiles : resultFiles)
            .push_back(splitPair(option, value));
    }
    if (name.empty())
      fail(4, "`--in`, `--out` and `--repeat` need `--fn <name>`");
  }

  static NamedFile splitPair(const std::string &option, const char *value) {
    const char *equals = strchr(value, '=');
    if (!equals || equals == value)
      fail(4, inQuotes(option) + " needs `name=value`, not " + inQuotes(value));
    return {std::string(value, equals), equals + 1};
  }

  void readRepeat(const char *value) {
    const char *end = value + strlen(value);
    auto result = std::from_chars(value, end, repeat);
    if (result.ec != std::errc() || result.ptr != end || repeat == 0)
      fail(4, "`--repeat` needs a number from 1, not " + inQuotes(value));
  }

  void findFunction() {
    std::vector<std::string> names;
    for (index = 0; index < program.num_exports; ++index) {
      function = &program.exports[index];
      if (name == function->name)
        return;
      names.push_back(function->name);
    }
    failName("there is no `export fn " + name + "`", name, names,
             "exported functions");
  }

  /// Checks that every parameter has one file, and that there are not more
  /// result files than results, which take their files in order.
  void checkNames() const {
    std::vector<std::string> names =
        namesOf(function->inputs, function->num_inputs);
    for (const NamedFile &input : inputFiles) {
      if (findInput(input.name) != &input.file)
        fail(4, "the parameter " + inQuotes(input.name) + " has two files");
      if (std::find(names.begin(), names.end(), input.name) == names.end())
        failName(inQuotes(name) + " has no parameter " + inQuotes(input.name),
                 input.name, names, "parameters");
    }
    for (const std::string &parameter : names)
      if (!findInput(parameter))
        fail(4, "the parameter " + inQuotes(parameter) + " of " +
                    inQuotes(name) + " needs a file: write " +
                    inQuotes("--in " + parameter + "=<file.npy>"));
    if (resultFiles.size() > static_cast<size_t>(function->num_outputs))
      fail(4, inQuotes(name) + " has " + std::to_string(function->num_outputs) +
                  " result(s), not " + std::to_string(resultFiles.size()));
  }

  const std::string *findInput(const std::string &parameter) const {
    for (const NamedFile &input : inputFiles)
      if (input.name == parameter)
        return &input.file;
    return nullptr;
  }

  void allocateDescriptors() {
    sizes.resize(function->num_inputs);
    for (int32_t i = 0; i < function->num_inputs; ++i) {
      const tdrt_port &port = function->inputs[i];
      sizes[i].assign(port.dims, port.dims + port.rank);
      inputs.push_back({nullptr, port.dtype, port.rank, sizes[i].data()});
    }
    outputs.resize(function->num_outputs);
  }

  int32_t load(tdrt_context *ctx) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      tdrt_tensor &input = inputs[i];
      if (int32_t status =
              loadFile(ctx, findInput(function->inputs[i].name)->c_str(),
                       /*key=*/nullptr, input.dtype, input.rank,
                       sizes[i].data(), &input.data, -1))
        return status;
    }
    return 0;
  }

  int32_t call(tdrt_context *ctx) {
    return tdrt_call(ctx, index, inputs.data(), outputs.data());
  }

  int32_t save(tdrt_context *ctx) const {
    for (size_t i = 0; i < resultFiles.size(); ++i)
      if (int32_t status = tdrt_save_tensor(ctx, resultFiles[i].file.c_str(),
                                            &outputs[i], -1))
        return status;
    return 0;
  }

  int32_t measure(tdrt_context *ctx) {
    int64_t clock = now(CLOCK_MONOTONIC);
    int64_t processor = now(CLOCK_PROCESS_CPUTIME_ID);
    for (uint32_t i = 0; i < repeat; ++i)
      if (int32_t status = call(ctx))
        return status;
    clock = now(CLOCK_MONOTONIC) - clock;
    processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
    tdrt_out_text(ctx, "{\"metric\":\"ns_per_iter\",\"value\":", -1);
    printMean(ctx, clock);
    tdrt_out_text(ctx, ",\"processor\":", -1);
    printMean(ctx, processor);
    tdrt_out_text(ctx, "}\n", -1);
    return tdrt_out_end(ctx, /*flush=*/1, -1);
  }

  /// Nanoseconds of a clock; that of the process adds up its threads.
  static int64_t now(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
  }

  /// One decimal, printed as integers: a program need not carry the printing of
  /// floats.
  void printMean(tdrt_context *ctx, int64_t nanoseconds) const {
    int64_t tenths = 10 * nanoseconds / repeat;
    tdrt_out_i64(ctx, tenths / 10, nullptr);
    tdrt_out_text(ctx, ".", -1);
    tdrt_out_i64(ctx, tenths % 10, nullptr);
  }

  const tdrt_program &program;
  tdrt_loader *loadFile;
  std::vector<const char *> ownWords;
  /// Options of the call and their values; null if the command line ends before
  /// the value.
  std::vector<std::pair<std::string, const char *>> callOptions;

  std::string name;
  std::vector<NamedFile> inputFiles, resultFiles;
  uint32_t repeat = 0;

  const tdrt_export *function = nullptr;
  int32_t index = 0;
  std::vector<std::vector<int64_t>> sizes; ///< of the inputs
  std::vector<tdrt_tensor> inputs, outputs;
};

} // namespace

int tdrt_run_exports(const tdrt_program *program, int argc,
                     const char *const *argv, tdrt_loader *load) try {
  ExportCall call(*program, argc, argv, load);
  const std::vector<const char *> &words = call.getOwnWords();
  std::string help = call.helpText();
  return runProcess(program, static_cast<int>(words.size()), words.data(),
                    help.c_str(),
                    [&](tdrt_context *ctx) { return call.run(ctx); });
} catch (const std::bad_alloc &) {
  tellError(nullptr);
  return tdc::ExitRunTime;
}
