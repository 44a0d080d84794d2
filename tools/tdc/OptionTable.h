//===- OptionTable.h - Options.td in C++ ----------------------------------===//

#ifndef TDC_TOOLS_TDC_OPTIONTABLE_H
#define TDC_TOOLS_TDC_OPTIONTABLE_H

#include "Options.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"

namespace tdc {

enum VerbVisibility : unsigned {
  RunVerb = 1u << 1,
  CheckVerb = 1u << 2,
  BuildVerb = 1u << 3,
  EmitVerb = 1u << 4,
  ExplainVerb = 1u << 5,
  VersionVerb = 1u << 6,
  FixVerb = 1u << 7,
  ReportVerb = 1u << 8,
  DoctorVerb = 1u << 9,
  CompletionVerb = 1u << 10,
  ManualVerb = 1u << 11,
  NewVerb = 1u << 12,
  FmtVerb = 1u << 13,
  LanguageServerVerb = 1u << 14
};

enum OptionId : unsigned {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

class OptionTable : public llvm::opt::GenericOptTable {
public:
  OptionTable();
};

/// A verb as the user types it, what it does, and what may follow it.
struct VerbInfo {
  Verb verb;
  VerbVisibility visibility;
  llvm::StringRef name;
  llvm::StringRef summary;
  llvm::StringRef operands;
};

llvm::ArrayRef<VerbInfo> getVerbs();
const VerbInfo *findVerb(llvm::StringRef name);

/// The `Values` of an option's row.
std::vector<std::string> getValues(const llvm::opt::Option &option,
                                   const OptionTable &table);

/// The options of a verb that its help lists, in that order.
std::vector<llvm::opt::Option> getShown(const VerbInfo &verb,
                                        const OptionTable &table);

/// The options of a verb that are written as `--name`, without the dashes.
std::vector<std::string> getOptionNames(const VerbInfo &verb,
                                        const OptionTable &table);

/// "`--verbose` is an option of `tdc build` and `tdc emit`"; "" for a word that
/// is not an option of any verb.
std::string whoseOption(llvm::StringRef word, const OptionTable &table);

/// Prints the text of `tdc --help`.
void printHelp(llvm::raw_ostream &os);
/// Prints the text of `tdc <verb> --help`.
void printHelp(llvm::raw_ostream &os, const VerbInfo &verb,
               const OptionTable &table);

} // namespace tdc

#endif // TDC_TOOLS_TDC_OPTIONTABLE_H
