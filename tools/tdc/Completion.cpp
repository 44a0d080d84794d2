//===- Completion.cpp - tdc completion ------------------------------------===//
//
// Prints a script that completes the words of a command line in a shell. Its
// words are those of the tables of verbs and options.
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"
#include "Pipelines/Phases.h"
#include "Verbs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

/// `@VERBS@` and `@OPTIONS@` are replaced.
static constexpr llvm::StringLiteral bashScript =
    R"(# Completion for bash: source <(tdc completion bash)
_tdc() {
  local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]}
  # `--name=value` is three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $last == = ]]; then
    last=${COMP_WORDS[COMP_CWORD-2]}
  fi
  local verb=${COMP_WORDS[1]} verbs='@VERBS@' options words=
  ((COMP_CWORD == 1)) && words=$verbs
  # `tdc x.tdsl` is `tdc run x.tdsl`.
  [[ " $verbs " == *" $verb "* ]] || verb=run
  case "$verb $last" in
@OPTIONS@  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  compopt -o filenames
  COMPREPLY=($(compgen -W "$words" -- "$word")
             $(compgen -f -X '!*.tdsl' -- "$word")
             $(compgen -d -- "$word"))
}
complete -F _tdc tdc
)";

static constexpr llvm::StringLiteral zshScript =
    R"(#compdef tdc
# Completion for zsh: `source <(tdc completion zsh)` after compinit, or save it as
# _tdc in a folder of $fpath.
_tdc() {
  local -a verbs=(
@VERBS@  )
  if ((CURRENT == 2)); then
    _describe command verbs
    _files -g '*.tdsl'
    return
  fi
  local verb=run
  # `tdc x.tdsl` is `tdc run x.tdsl`.
  if [[ -n ${verbs[(r)$words[2]:*]} ]]; then
    verb=$words[2]
    shift words
    ((CURRENT--))
  fi
  case $verb in
@OPTIONS@  esac
}
if [[ $funcstack[1] == _tdc ]]; then
  _tdc "$@"
else
  compdef _tdc tdc
fi
)";

static constexpr llvm::StringLiteral fishScript =
    R"(# Completion for fish: tdc completion fish | source
complete -c tdc -f
complete -c tdc -k -a '(__fish_complete_suffix .tdsl)'
@VERBS@@OPTIONS@)";

namespace {

/// An option of a verb, as the scripts need it.
struct Row {
  std::string name; ///< with its dashes
  std::string help;
  bool takesValue, takesFile;
  std::string words; ///< that the value can be, with spaces between them
};

} // namespace

/// Text between single quotes of a shell.
static std::string quoted(llvm::StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

static std::string getWords(const llvm::opt::Option &option,
                            const OptionTable &table) {
  if (option.getID() == OPT_placement)
    return llvm::join(getPlacementNames(), " ");
  if (option.getID() != OPT_phase)
    return llvm::join(getValues(option, table), " ");
  std::string names;
  for (const PhaseInfo &phase : getPhases())
    names += (names.empty() ? "" : " ") + phase.name.str();
  return names;
}

static std::vector<Row> getRows(const VerbInfo &verb) {
  OptionTable table;
  std::vector<Row> rows;
  for (const llvm::opt::Option &option : getShown(verb, table)) {
    const char *value = table.getOptionMetaVar(option.getID());
    rows.push_back({option.getPrefixedName().str(),
                    table.getOptionHelpText(option.getID()), value != nullptr,
                    value && llvm::StringRef(value) == "<file>",
                    getWords(option, table)});
  }
  return rows;
}

/// The words that may follow a verb in addition to programs, with blanks
/// between them.
static llvm::StringRef getOperands(const VerbInfo &verb) {
  return verb.verb == Verb::Completion ? "bash zsh fish" : "";
}

static void print(llvm::StringRef script, llvm::StringRef verbs,
                  llvm::StringRef options) {
  auto [before, rest] = script.split("@VERBS@");
  auto [between, after] = rest.split("@OPTIONS@");
  llvm::outs() << before << verbs << between << options << after;
}

static void printBash() {
  std::string verbs = "help", options;
  for (const VerbInfo &verb : getVerbs()) {
    verbs += (" " + verb.name).str();
    std::string names;
    for (const Row &row : getRows(verb)) {
      names += (names.empty() ? "" : " ") + row.name;
      if (!row.takesValue)
        continue;
      options += "  " + quoted((verb.name + " " + row.name).str()) + ")\n" +
                 (row.takesFile ? "    compopt -o filenames\n" : "") +
                 "    COMPREPLY=($(compgen " +
                 (row.takesFile ? "-f" : "-W " + quoted(row.words)) +
                 " -- \"$word\"))\n    return\n    ;;\n";
    }
    options += "  " + quoted((verb.name + " ").str()) +
               "*)\n    options=" + quoted(names) + "\n    ";
    if (!getOperands(verb).empty())
      options += "words=" + quoted(getOperands(verb)) + "\n    ";
    options += ";;\n";
  }
  print(bashScript, verbs, options);
}

static void printZsh() {
  std::string verbs, options;
  for (const VerbInfo &verb : getVerbs()) {
    verbs += "    " + quoted((verb.name + ":" + verb.summary).str()) + "\n";
    options += ("  " + verb.name + ")\n    _arguments \\\n").str();
    for (const Row &row : getRows(verb)) {
      llvm::StringRef name = row.name;
      std::string joins = !row.takesValue          ? ""
                          : name.starts_with("--") ? "="
                                                   : "+";
      options += "      " +
                 quoted(row.name + joins + "[" + row.help + "]" +
                        (!row.takesValue ? ""
                         : row.takesFile ? ": :_files"
                                         : ": :(" + row.words + ")")) +
                 " \\\n";
    }
    options += getOperands(verb).empty()
                   ? "      '*: :_files -g \"*.tdsl\"'\n"
                   : "      " +
                         quoted(("*: :(" + getOperands(verb) + ")").str()) +
                         "\n";
    options += "    ;;\n";
  }
  print(zshScript, verbs, options);
}

static void printFish() {
  std::string verbs, options;
  auto add = [](std::string &to, llvm::StringRef when, llvm::StringRef what,
                llvm::StringRef help) {
    to += ("complete -c tdc -n " + quoted(when) + " " + what).str() +
          (help.empty() ? "" : " -d " + quoted(help)) + "\n";
  };
  std::string names;
  for (const VerbInfo &verb : getVerbs())
    names += (" " + verb.name).str();
  for (const VerbInfo &verb : getVerbs()) {
    add(verbs, "__fish_use_subcommand", ("-a " + verb.name).str(),
        verb.summary);
    std::string seen = ("__fish_seen_subcommand_from " + verb.name).str();
    // `tdc x.tdsl` is `tdc run x.tdsl`.
    if (verb.verb == Verb::Run)
      seen += "; or not __fish_seen_subcommand_from" + names;
    for (const Row &row : getRows(verb)) {
      llvm::StringRef name = row.name;
      std::string flag = name.consume_front("--")
                             ? "-l " + name.str()
                             : "-s " + name.drop_front().str();
      if (row.takesValue)
        flag += row.takesFile ? " -r -F" : " -x -a " + quoted(row.words);
      add(options, seen, flag, row.help);
    }
    if (!getOperands(verb).empty())
      add(options, seen, "-a " + quoted(getOperands(verb)), "");
  }
  print(fishScript, verbs, options);
}

int tdc::completionVerb(const Options &options) {
  if (options.file == "bash")
    printBash();
  else if (options.file == "zsh")
    printZsh();
  else if (options.file == "fish")
    printFish();
  else
    return reportUsage(
        options.file.empty()
            ? "which shell? its name is missing"
            : "there is no completion for `" + options.file + "`",
        "there is completion for " + getOperands(*findVerb("completion")));
  return ExitOk;
}
