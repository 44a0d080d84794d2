//===- Manual.cpp - tdc manual --------------------------------------------===//
//
// Prints the man page tdc(1). Its texts are those of `--help`.
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"
#include "Pipelines/Phases.h"
#include "Verbs.h"
#include "tdc/tdc.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

/// Text of a page: a dash is a minus, which can be copied, and a line does not
/// start with a control character.
static std::string escaped(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '-'    ? "\\-"
              : c == '\\' ? "\\e"
              : c == '`'  ? "\\(ga"
              : c == '\'' ? "\\(aq"
                          : std::string(1, c);
  return llvm::StringRef(result).starts_with(".") ? "\\&" + result : result;
}

/// A term in bold, its value in italics, and below it what it means.
static void printTerm(llvm::StringRef term, llvm::StringRef value,
                      llvm::StringRef meaning) {
  llvm::outs() << ".TP\n\\fB" << escaped(term) << "\\fR";
  if (!value.empty())
    llvm::outs() << " \\fI" << escaped(value) << "\\fR";
  llvm::outs() << "\n" << escaped(meaning) << "\n";
}

static void printVerb(const VerbInfo &verb) {
  OptionTable table;
  llvm::outs() << ".SS \"tdc " << verb.name
               << (verb.operands.empty() ? "" : " ") << escaped(verb.operands)
               << "\"\n"
               << escaped(verb.summary) << ".\n";
  if (verb.verb == Verb::Emit)
    for (const PhaseInfo &phase : getPhases())
      printTerm(("--phase " + phase.name).str(), "", phase.holds);
  for (const llvm::opt::Option &option : getShown(verb, table)) {
    const char *value = table.getOptionMetaVar(option.getID());
    printTerm(option.getPrefixedName(), value ? value : "",
              table.getOptionHelpText(option.getID()));
  }
}

int tdc::manualVerb(const Options &) {
  llvm::outs() << ".TH TDC 1 \"\" \"tdc " << tdc_version()
               << "\" \"User Commands\"\n"
                  ".SH NAME\n"
                  "tdc \\- compile .tdsl programs: models, training, moves "
                  "between devices\n"
                  ".SH SYNOPSIS\n"
                  "\\fBtdc\\fR \\fIcommand\\fR [\\fIfile.tdsl\\fR] ...\n"
                  ".br\n"
                  "\\fBtdc\\fR \\fIfile.tdsl\\fR ...\n"
                  ".SH DESCRIPTION\n"
                  "Without a command, \\fBtdc\\fR runs the program.\n"
                  ".SH COMMANDS\n";
  for (const VerbInfo &verb : getVerbs())
    printVerb(verb);
  llvm::outs() << ".SH EXIT STATUS\n";
  static constexpr struct {
    ExitCode code;
    llvm::StringLiteral meaning;
  } codes[] = {
      {ExitOk, "the command did what it should"},
      {ExitProgramError, "the program has mistakes"},
      {ExitUsage, "a mistake on the command line"},
      {ExitRunTime, "an error of the running program, of a device or a file"},
      {ExitBug, "a bug in tdc, or no memory to compile"},
      {ExitInterrupted, "interrupted"},
      {ExitReaderGone, "the reader of its output closed it, as head does"},
  };
  for (const auto &row : codes)
    printTerm(std::to_string(row.code), "", row.meaning);
  return ExitOk;
}
