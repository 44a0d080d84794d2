//===- OptionTable.cpp - verbs, options and their help --------------------===//

#include "OptionTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace tdc {

#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

// The names of flags in the table.
using namespace llvm::opt;

static constexpr OptTable::Info optionInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

OptionTable::OptionTable()
    : GenericOptTable(OptionStrTable, OptionPrefixesTable, optionInfos) {}

static const VerbInfo verbs[] = {
    {Verb::Run, RunVerb, "run", "compile a program and run it",
     "<file.tdsl> [options] [--] [arguments of the program]"},
    {Verb::Check, CheckVerb, "check", "report mistakes, run nothing",
     "<file.tdsl>... [options]"},
    {Verb::Build, BuildVerb, "build", "make an executable",
     "<file.tdsl> -o <file> [options]"},
    {Verb::Emit, EmitVerb, "emit", "print a program as a phase leaves it",
     "<file.tdsl> --phase=<name> [options]"},
    {Verb::Report, ReportVerb, "report",
     "say what is copied between devices, and why", "<file.tdsl> [options]"},
    {Verb::Fix, FixVerb, "fix",
     "apply the fixes with only one possible meaning", "<file.tdsl> [options]"},
    {Verb::New, NewVerb, "new", "make a folder with a program to start from",
     "<folder>"},
    {Verb::Fmt, FmtVerb, "fmt", "format programs", "<file.tdsl>... [options]"},
    {Verb::Explain, ExplainVerb, "explain",
     "say what a code such as TD501 means", "[<code>]"},
    {Verb::Doctor, DoctorVerb, "doctor", "say what tdc finds on this machine",
     ""},
    {Verb::Completion, CompletionVerb, "completion",
     "print a script that completes command lines", "<shell>"},
    {Verb::Manual, ManualVerb, "manual", "print the manual page tdc(1)", ""},
    {Verb::LanguageServer, LanguageServerVerb, "lsp",
     "serve an editor, by the Language Server Protocol", ""},
    {Verb::Version, VersionVerb, "version", "print the version of tdc", ""},
};

llvm::ArrayRef<VerbInfo> getVerbs() { return verbs; }

const VerbInfo *findVerb(llvm::StringRef name) {
  for (const VerbInfo &verb : verbs)
    if (verb.name == name)
      return &verb;
  return nullptr;
}

std::vector<std::string> getValues(const llvm::opt::Option &option,
                                   const OptionTable &table) {
  return table.suggestValueCompletions(option.getPrefixedName(), "");
}

std::vector<llvm::opt::Option> getShown(const VerbInfo &verb,
                                        const OptionTable &table) {
  std::vector<llvm::opt::Option> shown;
  for (unsigned id = 1; id <= table.getNumOptions(); ++id) {
    llvm::opt::Option option = table.getOption(id);
    if (table.getOptionHelpText(id) &&
        option.hasVisibilityFlag(llvm::opt::Visibility(verb.visibility)) &&
        !option.hasFlag(llvm::opt::HelpHidden))
      shown.push_back(option);
  }
  return shown;
}

std::vector<std::string> getOptionNames(const VerbInfo &verb,
                                        const OptionTable &table) {
  std::vector<std::string> names;
  for (unsigned id = 1; id <= table.getNumOptions(); ++id) {
    llvm::opt::Option option = table.getOption(id);
    if (option.hasVisibilityFlag(llvm::opt::Visibility(verb.visibility)) &&
        option.getPrefix() == "--")
      names.push_back(option.getName().rtrim('=').str());
  }
  return names;
}

std::string whoseOption(llvm::StringRef word, const OptionTable &table) {
  llvm::StringRef name = word.split('=').first;
  if (!name.consume_front("--"))
    return "";
  llvm::SmallVector<std::string> owners;
  for (const VerbInfo &verb : verbs)
    if (llvm::is_contained(getOptionNames(verb, table), name))
      owners.push_back(("`tdc " + verb.name + "`").str());
  if (owners.empty())
    return "";
  std::string last = owners.pop_back_val();
  std::string all = llvm::join(owners, ", ");
  return ("`--" + name + "` is an option of " + all +
          (all.empty() ? "" : " and ") + last)
      .str();
}

static void printRow(llvm::raw_ostream &os, llvm::StringRef name,
                     llvm::StringRef text) {
  os << llvm::formatv("  {0,-24} {1}\n", name, text);
}

void printHelp(llvm::raw_ostream &os) {
  os << "tdc compiles .tdsl programs: models, training, moves between devices\n"
        "\n"
        "usage: tdc <command> <file.tdsl> ...\n"
        "       tdc <file.tdsl> ...            the same as `tdc run`\n"
        "\n"
        "commands:\n";
  for (const VerbInfo &verb : verbs)
    printRow(os, verb.name, verb.summary);
  os << "\n`tdc <command> --help` lists the options of a command.\n";
}

void printHelp(llvm::raw_ostream &os, const VerbInfo &verb,
               const OptionTable &table) {
  os << "tdc " << verb.name << ": " << verb.summary << "\n\nusage: tdc "
     << verb.name << (verb.operands.empty() ? "" : " ") << verb.operands
     << "\n";
  if (verb.verb == Verb::Emit) {
    os << "\nphases:\n";
    for (const PhaseInfo &phase : getPhases())
      printRow(os, phase.name, phase.holds);
  }
  os << "\noptions:\n";
  for (const llvm::opt::Option &option : getShown(verb, table)) {
    std::string name = option.getPrefixedName().str();
    if (const char *value = table.getOptionMetaVar(option.getID()))
      name += std::string(" ") + value;
    printRow(os, name, table.getOptionHelpText(option.getID()));
  }
}

} // namespace tdc
