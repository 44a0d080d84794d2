//===- Module.cpp - tdsl._core.Module -------------------------------------===//

#include "Module.h"
#include "Arrays.h"
#include "Errors.h"
#include "Function.h"
#include "Interruptible.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tdsl {

Module openModule(const Program &program) {
  tdc_module *module = nullptr;
  Interruptible scope(module);
  callOrRaise(
      [&](tdc_error **error) { tdc_open(program.get(), &module, error); });
  return {program, std::shared_ptr<tdc_module>(module, tdc_module_free)};
}

nb::tuple makeTypes(const tdc_tensor_type *types, size_t count) {
  nb::object make = nb::module_::import_("tdsl._state").attr("TensorType");
  nb::list made;
  for (size_t i = 0; i < count; ++i) {
    nb::list sizes;
    for (int32_t d = 0; d < types[i].rank; ++d)
      sizes.append(types[i].shape[d] < 0 ? nb::none()
                                         : nb::cast(types[i].shape[d]));
    made.append(
        make(types[i].name, getDtypeName(types[i].dtype), nb::tuple(sizes)));
  }
  return nb::tuple(made);
}

static std::vector<Function> getFunctions(const Module &self) {
  std::vector<Function> functions;
  for (size_t i = 0; i < tdc_function_count(self.program.get()); ++i)
    functions.push_back({self, tdc_function_get(self.program.get(), i)});
  return functions;
}

static nb::tuple getState(const Module &self) {
  std::vector<tdc_tensor_type> types;
  for (size_t i = 0; i < tdc_state_count(self.program.get()); ++i)
    types.push_back(*tdc_state_get(self.program.get(), i));
  return makeTypes(types.data(), types.size());
}

/// A tuple of tdc_state_role for each tensor of getState().
static nb::list getRoles(const Module &self) {
  nb::list roles;
  for (size_t i = 0; i < tdc_state_count(self.program.get()); ++i) {
    const tdc_state_role &role = *tdc_state_get_role(self.program.get(), i);
    roles.append(
        nb::make_tuple(role.model, role.key, int(role.kind), role.tied));
  }
  return roles;
}

static nb::list getRemoved(const Module &self) {
  nb::list names;
  for (size_t i = 0;; ++i) {
    const char *name = tdc_state_get_removed(self.program.get(), i);
    if (!name)
      return names;
    names.append(name);
  }
}

static nb::object read(const Module &self, const std::string &name) {
  tdc_tensor tensor = {};
  callOrRaise([&](tdc_error **error) {
    tdc_state_read(self.module.get(), name.c_str(), &tensor, error);
  });
  return makeArray(tdc::Tensor(tensor), Framework::NumPy);
}

/// Writes the tensor with number `index` in getState().
static void write(const Module &self, size_t index, nb::handle value) {
  const tdc_tensor_type &type = *tdc_state_get(self.program.get(), index);
  Input input(value, {nullptr, type});
  tdc_tensor tensor = input.get();
  callOrRaise([&](tdc_error **error) {
    tdc_state_write(self.module.get(), type.name, &tensor, error);
  });
}

using FileFunction = tdc_status(tdc_module *, const char *, tdc_error **);

template <FileFunction *Use>
static void useFile(const Module &self, const std::string &path) {
  callOrRaise(
      [&](tdc_error **error) { Use(self.module.get(), path.c_str(), error); });
}

void bindModule(nb::module_ &extension) {
  nb::class_<Module>(extension, "Module")
      .def("functions", getFunctions)
      .def("state", getState)
      .def("roles", getRoles)
      .def("removed", getRemoved)
      .def("read", read)
      .def("write", write)
      .def("save", useFile<tdc_save>)
      .def("restore", useFile<tdc_restore>);
}

} // namespace tdsl
