//===- OptimizerKinds.h - what optimizers take and keep -------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_OPTIMIZERKINDS_H
#define TDC_LIB_FRONTEND_SEMA_OPTIMIZERKINDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tdc::sema {

/// A keyword of an optimizer and of its parameter groups.
struct Setting {
  enum Takes : uint8_t {
    Number,
    NotNegative, ///< a number from 0
    Shares,      ///< two numbers, each from 0 to below 1
    Flag,        ///< a bool
    Count,       ///< an int that is known while compiling
    Word,        ///< a str, or none, which is the default
  };
  llvm::StringLiteral name;
  Takes takes;
  double initial;         ///< the default
  double initialNext = 0; ///< that of the second number of `Shares`
};

/// What an optimizer keeps of each parameter between steps.
struct Moment {
  llvm::StringLiteral name; ///< PyTorch's
  /// The setting without which there is none: a number that is 0 or a flag.
  llvm::StringLiteral neededBy = "";
  bool isNumber = false; ///< one number; else a tensor like the parameter
  double initial = 0;
  llvm::StringLiteral initialSetting = ""; ///< instead of `initial`
};

/// One optimizer. Its arithmetic is in prelude/optim.tdsl.
struct OptimizerKind {
  llvm::StringLiteral name;
  /// The prelude's function for one step of one parameter. By name it takes
  /// `p`, `g`, and of the moments, the settings and `rates` those that it
  /// needs; it returns the parameter and the moments that there are.
  llvm::StringLiteral step;
  /// The prelude's function for what depends on the number of the step; it
  /// takes `step` and settings. Empty: nothing does, and steps are not counted.
  llvm::StringLiteral rates;
  llvm::ArrayRef<Setting> settings;
  llvm::ArrayRef<Moment> moments;
  bool onlyMatrices = false; ///< all parameters have two dims

  const Setting *findSetting(llvm::StringRef name) const;
};

/// The optimizer of a name in the language.
const OptimizerKind &getOptimizerKind(llvm::StringRef name);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_OPTIMIZERKINDS_H
