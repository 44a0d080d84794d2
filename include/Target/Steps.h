//===- Steps.h - progress of a compilation --------------------------------===//

#ifndef TDC_TARGET_STEPS_H
#define TDC_TARGET_STEPS_H

#include "llvm/ADT/StringRef.h"

namespace tdc {

/// Receives the steps and passes that a compilation begins. Names are
/// constants.
class StepListener {
public:
  virtual ~StepListener() = default;
  virtual void begins(llvm::StringRef step) = 0;
  /// An MLIR pass within the current step begins.
  virtual void beginsPass(llvm::StringRef pass) = 0;
  virtual void done(llvm::StringRef step) = 0;
};

/// Reports the beginning and the end of a step to a listener, if there is one.
class Step {
public:
  Step(StepListener *listener, llvm::StringRef name)
      : listener(listener), name(name) {
    if (listener)
      listener->begins(name);
  }
  ~Step() {
    if (listener)
      listener->done(name);
  }
  Step(const Step &) = delete;
  Step &operator=(const Step &) = delete;

private:
  StepListener *listener; ///< may be null
  llvm::StringRef name;
};

} // namespace tdc

#endif // TDC_TARGET_STEPS_H
