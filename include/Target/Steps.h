//===- Steps.h - how far a compilation is ---------------------------------===//

#ifndef TDC_TARGET_STEPS_H
#define TDC_TARGET_STEPS_H

#include "llvm/ADT/StringRef.h"

namespace tdc {

/// Whom a compilation tells what it works on. Names are constants.
class StepListener {
public:
  virtual ~StepListener() = default;
  virtual void begins(llvm::StringRef step) = 0;
  /// Within a step, an MLIR pass.
  virtual void beginsPass(llvm::StringRef pass) = 0;
  virtual void done(llvm::StringRef step) = 0;
};

/// A step is worked on while this lives.
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
  StepListener *listener; ///< or null
  llvm::StringRef name;
};

} // namespace tdc

#endif // TDC_TARGET_STEPS_H
