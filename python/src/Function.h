//===- Function.h - tdsl._core.Function -----------------------------------===//

#ifndef TDSL_FUNCTION_H
#define TDSL_FUNCTION_H

#include "Module.h"

namespace tdsl {

/// An `export fn` of a module.
struct Function {
  Module module;
  const tdc_function *function;
};

/// Adds Function to the extension.
void bindFunction(nanobind::module_ &extension);

} // namespace tdsl

#endif // TDSL_FUNCTION_H
