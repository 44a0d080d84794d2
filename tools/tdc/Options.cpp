//===- Options.cpp - reads the command line -------------------------------===//
//
// The form is `tdc <verb> ...`; without a verb it is `run`. For `run`, words
// after the file that are not options of tdc belong to the program, and so does
// everything after `--`.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Frontend/Diagnostics.h"
#include "OptionTable.h"
#include "Target/NVPTXTarget.h"
#include "tdc_text.h"
#include "tdc_threads.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tdc {

int reportUsage(const llvm::Twine &problem, const llvm::Twine &hint) {
  llvm::errs() << "error: " << printable(problem.str()) << "\n";
  if (std::string text = hint.str(); !text.empty())
    llvm::errs() << "  " << printable(text) << "\n";
  return ExitUsage;
}

namespace {

/// Whether two paths name one file, which need not exist. A device or a pipe
/// keeps nothing that could be overwritten.
bool isSameFile(llvm::StringRef file, llvm::StringRef other) {
  if (llvm::sys::fs::exists(file) && !llvm::sys::fs::is_regular_file(file))
    return false;
  llvm::SmallString<128> paths[] = {file, other};
  for (llvm::SmallString<128> &each : paths) {
    std::ignore = llvm::sys::fs::make_absolute(each);
    llvm::sys::path::remove_dots(each, /*remove_dot_dot=*/true);
  }
  return paths[0] == paths[1] || llvm::sys::fs::equivalent(file, other);
}

/// Splits `name=value`; nullopt if there is no name or no `=`.
std::optional<std::pair<std::string, std::string>>
splitPair(llvm::StringRef text) {
  auto [name, value] = text.split('=');
  if (name.empty() || name.size() == text.size())
    return std::nullopt;
  return std::pair(name.str(), value.str());
}

Purpose getPurpose(Verb verb) {
  switch (verb) {
  case Verb::Run:
    return Purpose::Run;
  case Verb::Build:
    return Purpose::Build;
  case Verb::Emit:
    return Purpose::Emit;
  case Verb::Report:
    return Purpose::Report;
  default:
    return Purpose::Check;
  }
}

/// Reads one command line.
class OptionParser {
public:
  explicit OptionParser(const VerbInfo &verb) : verb(verb) {
    options.verb = verb.verb;
    options.purpose = getPurpose(verb.verb);
    options.ownOptions = getOptionNames(*findVerb("run"), table);
  }

  std::optional<Options> parse(llvm::ArrayRef<const char *> words,
                               int &exitCode) {
    bool wantsHelp = false;
    exitCode = ExitOk;
    if (!readWords(words, wantsHelp))
      exitCode = ExitUsage;
    else if (wantsHelp)
      printHelp(llvm::outs(), verb, table);
    else if (readDeviceVariable(); !readSimulation() || !isComplete())
      exitCode = ExitUsage;
    else
      return std::move(options);
    return std::nullopt;
  }

private:
  bool fail(const llvm::Twine &problem, const llvm::Twine &hint = {}) {
    reportUsage(problem, hint);
    return false;
  }

  bool readWords(llvm::ArrayRef<const char *> words, bool &wantsHelp) {
    // Words after `--` are not parsed.
    auto end = llvm::find_if(
        words, [](const char *word) { return llvm::StringRef(word) == "--"; });
    llvm::ArrayRef<const char *> own(words.begin(), end);
    unsigned missingIndex = 0, missingCount = 0;
    llvm::opt::InputArgList args =
        table.ParseArgs(own, missingIndex, missingCount,
                        llvm::opt::Visibility(verb.visibility));
    if (missingCount)
      return fail(llvm::Twine("`") + own[missingIndex] + "` needs a value");
    size_t next = 0; // the first word not read yet
    for (const llvm::opt::Arg *arg : args) {
      if (!readEmptyWords(own.slice(next, arg->getIndex() - next)))
        return false;
      if (arg->getOption().matches(OPT_help) && !hasProgram())
        wantsHelp = true;
      else if (arg->getOption().matches(OPT_help) ||
               (hasProgram() && isUnknown(*arg)))
        options.programArgs.push_back(words[arg->getIndex()]);
      else if (!(isUnknown(*arg) ? readWord(words[arg->getIndex()])
                                 : readOption(*arg)))
        return false;
      next = arg->getIndex() + 1;
      next += next != own.size() && arg->getNumValues() != 0 &&
              arg->getValue() == own[next];
    }
    if (!readEmptyWords(own.drop_front(next)))
      return false;
    if (end == words.end())
      return true;
    if (verb.verb != Verb::Run)
      return fail("only `tdc run` passes arguments to a program");
    options.programArgs.insert(options.programArgs.end(), end + 1, words.end());
    return true;
  }

  /// Whether words that are not options of tdc belong to the program.
  bool hasProgram() const {
    return verb.verb == Verb::Run && !options.file.empty();
  }

  /// Reads words that the table of options skips: all are empty strings.
  bool readEmptyWords(llvm::ArrayRef<const char *> words) {
    if (hasProgram())
      options.programArgs.insert(options.programArgs.end(), words.begin(),
                                 words.end());
    return words.empty() || hasProgram() ||
           fail("unexpected `` on the command line");
  }

  static bool isUnknown(const llvm::opt::Arg &arg) {
    return arg.getOption().matches(OPT_INPUT) ||
           arg.getOption().matches(OPT_UNKNOWN);
  }

  /// Reads a word that is not an option: the file, or an error.
  bool readWord(llvm::StringRef word) {
    if (word.starts_with("-") && word != "-") {
      word = word.split('=').first;
      std::string nearest;
      unsigned distance = table.findNearest(
          word, nearest, llvm::opt::Visibility(verb.visibility));
      std::string hint = whoseOption(word, table);
      if (hint.empty())
        hint = ("`tdc " + verb.name + " --help` lists them").str();
      if (distance <= 2)
        hint =
            "did you mean `" + llvm::StringRef(nearest).rtrim('=').str() + "`?";
      return fail("`tdc " + verb.name + "` has no option `" + word + "`", hint);
    }
    bool takesMany = verb.verb == Verb::Check || verb.verb == Verb::Fmt;
    if (takesMany)
      options.files.push_back(word.str());
    else if (!options.file.empty() || verb.operands.empty())
      return fail("unexpected `" + word + "` on the command line");
    if (options.file.empty())
      options.file = word.str();
    return true;
  }

  /// Reads an option with a name, a number or a pair `name=value` as its value.
  bool readValue(const llvm::opt::Arg &arg, llvm::StringRef value) {
    std::string name = arg.getOption().getPrefixedName().str();
    auto number = [&](unsigned &to) {
      return (!value.getAsInteger(10, to) && to > 0) ||
             fail("`" + name + "` needs a number from 1, not `" + value + "`");
    };
    auto pair = [&](auto &to) {
      auto both = splitPair(value);
      if (both)
        to.push_back(*both);
      return both ||
             fail("`" + name + "` needs `name=value`, not `" + value + "`");
    };
    auto nameOf = [&](std::string &to, llvm::StringRef what) {
      to = value.str();
      return !to.empty() || fail("`" + name + "` needs the name of " + what);
    };
    switch (arg.getOption().getID()) {
    case OPT_output:
      return nameOf(options.output, "a file");
    case OPT_depfile:
      return nameOf(options.depfile, "a file");
    case OPT_html:
      return nameOf(options.reportPage, "a file");
    case OPT_plot:
      options.plot = value.str();
      return value.ends_with(".svg") || fail("`--plot` draws SVG: it needs a "
                                             "file that ends in `.svg`, not `" +
                                             value + "`");
    case OPT_trace:
      return nameOf(options.trace, "a file");
    case OPT_target_cpu:
      return nameOf(options.targetCPU, "a processor");
    case OPT_set:
      return pair(options.set);
    case OPT_function:
      return nameOf(options.function, "an `export fn`");
    case OPT_input:
      return pair(options.inputs);
    case OPT_result:
      return pair(options.results);
    case OPT_repeat:
      return number(options.repeat);
    case OPT_threads:
      return number(options.threads) &&
             (options.threads <= TDRT_MOST_THREADS ||
              fail("`--threads` is at most " + llvm::Twine(TDRT_MOST_THREADS)));
    case OPT_sim_cuda:
      hasSimulation = true;
      return number(options.simulatedDevices) &&
             (options.simulatedDevices <= kMostCudaDevices ||
              fail("`--sim-cuda` is at most " + llvm::Twine(kMostCudaDevices)));
    default:
      llvm_unreachable("an option without a meaning");
    }
  }

  bool readOption(const llvm::opt::Arg &arg) {
    llvm::StringRef value =
        arg.getNumValues() ? arg.getValue() : llvm::StringRef();
    switch (arg.getOption().getID()) {
    case OPT_phase:
      return readPhase(value);
    case OPT_graph:
      options.graph = value.str();
      options.purpose = Purpose::Report;
      return isChoice(arg, value);
    case OPT_lib:
      return fail("`tdc build --lib` is not built yet (TD900)",
                  "`tdc build` makes executables");
    case OPT_embed_source:
      options.embedsSource = true;
      return true;
    case OPT_no_t_ops:
      options.noTOps = true;
      return true;
    case OPT_check_numerics:
      options.checkNumerics = true;
      return true;
    case OPT_strict_numerics:
      options.strictNumerics = true;
      return true;
    case OPT_tf32:
      options.tf32 = true;
      return true;
    case OPT_json:
      options.reportsJSON = true;
      return true;
    case OPT_check:
      options.checksFormat = true;
      return true;
    case OPT_dry_run:
      options.dryRun = true;
      return true;
    case OPT_verbose:
      options.verbose = options.tellsUsage = true;
      return true;
    case OPT_cubin:
      return readChips(value);
    case OPT_device:
      return accept(setDevice(options, value));
    case OPT_require:
      options.requiresCuda = true;
      return isChoice(arg, value);
    case OPT_placement:
      return accept(setPlacement(options, value));
    case OPT_transfer_guard:
      return accept(setTransferGuard(options, value));
    case OPT_memory_budget:
      return accept(setMemoryBudget(options, value));
    case OPT_message_format:
      options.json = value == "json";
      return isChoice(arg, value);
    case OPT_color:
      options.color = value.str();
      return isChoice(arg, value);
    case OPT_quiet:
      options.quiet = true;
      return true;
    case OPT_watch:
      options.watches = true;
      return true;
    case OPT_time_phases:
      options.timePhases = true;
      return true;
    default:
      return readValue(arg, value);
    }
  }

  /// Whether an option has one of the values in its row; reports if not.
  bool isChoice(const llvm::opt::Arg &arg, llvm::StringRef value) {
    std::vector<std::string> values = getValues(arg.getOption(), table);
    if (llvm::is_contained(values, value))
      return true;
    std::string last = values.back();
    values.pop_back();
    return fail("`" + arg.getOption().getPrefixedName() + "` is " +
                llvm::join(values, ", ") + (values.empty() ? "" : " or ") +
                last + ", not `" + value + "`");
  }

  bool readPhase(llvm::StringRef value) {
    if (const PhaseInfo *phase = findPhase(value)) {
      options.phase = phase->phase;
      hasPhase = true;
      return true;
    }
    llvm::SmallVector<llvm::StringRef> names;
    for (const PhaseInfo &phase : getPhases())
      names.push_back(phase.name);
    return fail("there is no phase `" + value + "`", suggest(value, names));
  }

  bool readChips(llvm::StringRef value) {
    for (llvm::StringRef chip : llvm::split(value, ',')) {
      int &number = options.cubins.emplace_back();
      llvm::StringRef digits = chip;
      if (!digits.consume_front("sm_") || digits.getAsInteger(10, number) ||
          number < kOldestArchitecture)
        return fail("`--cubin` needs GPUs such as sm_80,sm_90, not `" + chip +
                        "`",
                    "sm_" + llvm::Twine(kOldestArchitecture) +
                        " is the oldest that programs run on");
    }
    return true;
  }

  /// Reports the error if there is one; returns whether there is none.
  bool accept(const std::optional<UsageError> &error) {
    return !error || fail(error->problem, error->hint);
  }

  /// Reads the number of simulated GPUs. The runtime in this process gets it
  /// from the environment, as in a built program.
  bool readSimulation() {
    const char *variable = "TDC_SIM_CUDA";
    if (hasSimulation) {
      setenv(variable, std::to_string(options.simulatedDevices).c_str(), 1);
      return true;
    }
    const char *text = getenv(variable);
    if (!text || !*text)
      return true;
    return (!llvm::StringRef(text).getAsInteger(10, options.simulatedDevices) &&
            options.simulatedDevices <= kMostCudaDevices) ||
           fail("`TDC_SIM_CUDA=" + llvm::Twine(text) +
                "` is not a number of devices, at most " +
                llvm::Twine(kMostCudaDevices));
  }

  /// Reads TDC_DEVICE, which a built program reads when it starts. `tdc run`
  /// chooses the device when it compiles: `--device` overrides the variable,
  /// and the variable is unset so that the program does not read it again.
  void readDeviceVariable() {
    const char *variable = "TDC_DEVICE";
    const char *text = getenv(variable);
    llvm::StringRef wish = text ? text : "";
    if (verb.verb != Verb::Run || (wish != "cpu" && wish != "cuda"))
      return;
    if (options.device.empty() || options.device == "auto")
      options.device = wish.str();
    unsetenv(variable);
  }

  /// Whether the command line has all that its verb needs, without conflicts.
  bool isComplete() {
    if (options.file.empty() && verb.verb == Verb::New)
      return fail("which folder? its name is missing",
                  "usage: tdc new " + verb.operands);
    if (options.file.empty() && verb.verb != Verb::Explain &&
        verb.verb != Verb::Completion && !verb.operands.empty())
      return fail("which program? a .tdsl file is missing",
                  "usage: tdc " + verb.name + " " + verb.operands);
    if (verb.verb == Verb::Emit && !hasPhase && options.graph.empty())
      return fail("which phase? `--phase=<name>` is missing",
                  "`tdc emit --help` lists them");
    if (hasPhase && !options.graph.empty())
      return fail("`--phase` and `--graph` are two things to print",
                  "leave one of them out");
    if (verb.verb == Verb::Build && options.output.empty())
      return fail("where to? `-o <file>` is missing");
    if (options.watches && llvm::is_contained(options.files, "-"))
      return fail("`--watch` waits for files to change, and `-` is none");
    if (options.device == "cpu" && options.requiresCuda)
      return fail("`--require=cuda` needs a GPU, and the device is cpu");
    if (options.device == "cpu" && !options.cubins.empty())
      return fail("`--cubin` adds code for GPUs, and there is none where the "
                  "device is cpu");
    if (options.function.empty() &&
        (!options.inputs.empty() || !options.results.empty() || options.repeat))
      return fail("`--in`, `--out` and `--repeat` need `--fn <name>`");
    return keepsFiles();
  }

  /// Whether the command overwrites neither the program nor what else it
  /// writes.
  bool keepsFiles() {
    llvm::SmallVector<llvm::StringRef> files = {options.file};
    for (llvm::StringRef written :
         {options.output, options.depfile, options.reportPage, options.plot}) {
      if (written.empty() || written == "-")
        continue;
      for (llvm::StringRef file : files)
        if (isSameFile(written, file))
          return fail(file == options.file
                          ? "the program `" + written + "` would be overwritten"
                          : "two outputs would be written to `" + written +
                                "`");
      files.push_back(written);
    }
    return true;
  }

  OptionTable table;
  const VerbInfo &verb;
  Options options;
  bool hasPhase = false, hasSimulation = false;
};

/// Whether a first word that is not a verb may name a program.
bool looksLikeProgram(llvm::StringRef word) {
  return word.ends_with(".tdsl") || word.contains('/') ||
         llvm::sys::fs::exists(word);
}

} // namespace

std::optional<Options> parseOptions(llvm::ArrayRef<const char *> words,
                                    int &exitCode) {
  llvm::StringRef first = words.empty() ? "" : words.front();
  if (first.empty() || first == "--help" || first == "-h" || first == "help") {
    exitCode = first.empty() ? ExitUsage : ExitOk;
    printHelp(first.empty() ? llvm::errs() : llvm::outs());
    return std::nullopt;
  }
  if (first == "--version")
    first = "version";
  if (const VerbInfo *verb = findVerb(first))
    return OptionParser(*verb).parse(words.drop_front(), exitCode);
  if (first.starts_with("-") || looksLikeProgram(first))
    return OptionParser(*findVerb("run")).parse(words, exitCode);

  llvm::SmallVector<llvm::StringRef> names;
  for (const VerbInfo &verb : getVerbs())
    names.push_back(verb.name);
  exitCode =
      reportUsage("there is no command `" + first + "`", suggest(first, names));
  return std::nullopt;
}

std::string quoteWord(llvm::StringRef word) {
  bool isPlain =
      !word.empty() &&
      word.find_first_of(" \t\n\"'\\$`*?[](){}<>|&;#~!") == word.npos;
  if (isPlain)
    return word.str();
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

} // namespace tdc
