//===- Function.cpp - tdsl._core.Function ---------------------------------===//

#include "Function.h"
#include "Arrays.h"
#include "Errors.h"
#include "Interruptible.h"
#include <string>
#include <vector>

namespace nb = nanobind;

namespace tdsl {

/// Returns a call's arguments in the order of the inputs. Raises TypeError as
/// Python does.
static std::vector<nb::handle> bindArguments(const tdc_function &function,
                                             const nb::args &positional,
                                             const nb::kwargs &named) {
  std::string name = function.name;
  size_t count = function.num_inputs;
  if (positional.size() > count)
    throw nb::type_error((name + "() takes " + std::to_string(count) +
                          (count == 1 ? " argument" : " arguments") + ", not " +
                          std::to_string(positional.size()))
                             .c_str());
  std::vector<nb::handle> values(count);
  for (size_t i = 0; i < positional.size(); ++i)
    values[i] = positional[i];
  for (auto [key, value] : named) {
    std::string word = nb::cast<const char *>(key);
    size_t i = 0;
    while (i < count && word != function.inputs[i].name)
      ++i;
    if (i == count)
      throw nb::type_error(
          (name + "() has no argument '" + word + "'").c_str());
    if (values[i].is_valid())
      throw nb::type_error(
          (name + "() got two values for argument '" + word + "'").c_str());
    values[i] = value;
  }
  for (size_t i = 0; i < count; ++i)
    if (!values[i].is_valid())
      throw nb::type_error(
          (name + "() misses argument '" + function.inputs[i].name + "'")
              .c_str());
  return values;
}

/// The framework of the results: that of the first array that is not of NumPy;
/// without such an array, NumPy.
static Framework chooseFramework(const std::vector<Input> &inputs) {
  for (const Input &input : inputs)
    if (input.getFramework() != Framework::NumPy)
      return input.getFramework();
  return Framework::NumPy;
}

static nb::object call(const Function &self, nb::args positional,
                       nb::kwargs named) {
  const tdc_function &function = *self.function;
  std::vector<nb::handle> values = bindArguments(function, positional, named);
  std::vector<Input> inputs;
  inputs.reserve(values.size());
  std::vector<tdc_tensor> arguments;
  arguments.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    inputs.emplace_back(values[i], Place{function.name, function.inputs[i]});
    arguments.push_back(inputs.back().get());
  }
  std::vector<tdc_tensor> outputs(function.num_outputs);
  tdc_module *module = self.module.module.get();
  {
    Interruptible scope(module);
    callOrRaise([&](tdc_error **error) {
      tdc_call(module, &function, arguments.size(), arguments.data(),
               outputs.size(), outputs.data(), error);
    });
  }
  // Take ownership of all results, so that they are freed if an error follows.
  std::vector<tdc::Tensor> made(outputs.begin(), outputs.end());
  Framework framework = chooseFramework(inputs);
  nb::list results;
  for (tdc::Tensor &tensor : made)
    results.append(makeArray(std::move(tensor), framework));
  if (made.empty())
    return nb::none();
  return made.size() == 1 ? nb::object(results[0]) : nb::tuple(results);
}

/// The doc comment, and the types as the program writes them.
static nb::tuple getWritten(const Function &self) {
  const tdc_function &function = *self.function;
  nb::list inputs;
  for (size_t i = 0; i < function.num_inputs; ++i)
    inputs.append(function.input_spellings[i]);
  return nb::make_tuple(function.help, inputs, function.result_spelling);
}

void bindFunction(nb::module_ &extension) {
  // Each has its own __name__, __doc__ and __signature__.
  nb::class_<Function>(extension, "Function", nb::dynamic_attr(),
                       R"(An `export fn` of a module.

A call takes arrays of NumPy, PyTorch or JAX on the cpu, numbers, and lists of
numbers; it gives an array, or a tuple of several, of the library that the
arguments come from.)")
      .def("__call__", call)
      .def_prop_ro("name",
                   [](const Function &self) { return self.function->name; })
      .def_prop_ro("inputs",
                   [](const Function &self) {
                     return makeTypes(self.function->inputs,
                                      self.function->num_inputs);
                   })
      .def_prop_ro("outputs",
                   [](const Function &self) {
                     return makeTypes(self.function->outputs,
                                      self.function->num_outputs);
                   })
      .def("_written", getWritten)
      .def("__repr__", [](nb::handle self) {
        return nb::str("<{}{}>").format(self.attr("__name__"),
                                        self.attr("__signature__"));
      });
}

} // namespace tdsl
