//===- Verbs.h - the commands of tdc --------------------------------------===//
//
// One function and one file per verb. Each returns tdc's exit code.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TOOLS_TDC_VERBS_H
#define TDC_TOOLS_TDC_VERBS_H

#include "Options.h"

namespace tdc {

int runVerb(const Options &options);
int checkVerb(const Options &options);
int buildVerb(const Options &options);
int emitVerb(const Options &options);
int reportVerb(const Options &options);
int fixVerb(const Options &options);
int fmtVerb(const Options &options);
int explainVerb(const Options &options);
int doctorVerb(const Options &options);
int completionVerb(const Options &options);
int manualVerb(const Options &options);
int newVerb(const Options &options);
int versionVerb(const Options &options);
int languageServerVerb();

} // namespace tdc

#endif // TDC_TOOLS_TDC_VERBS_H
