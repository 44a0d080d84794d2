//===- Module.h - tdsl._core.Module ---------------------------------------===//

#ifndef TDSL_MODULE_H
#define TDSL_MODULE_H

#include "Program.h"

namespace tdsl {

/// A running program, and its code.
struct Module {
  Program program;
  std::shared_ptr<tdc_module> module;
};

/// Makes a module and runs the statements. Raises tdsl.Error.
Module openModule(const Program &program);

/// Makes a tuple of tdsl.TensorType.
nanobind::tuple makeTypes(const tdc_tensor_type *types, size_t count);

/// Adds Module to the extension.
void bindModule(nanobind::module_ &extension);

} // namespace tdsl

#endif // TDSL_MODULE_H
