//===- Program.cpp - tdsl._core.Program -----------------------------------===//

#include "Program.h"
#include "Errors.h"
#include "Module.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace tdsl {

namespace {

/// The object that Python holds.
struct ProgramHandle {
  Program program;
};

} // namespace

/// Collects warnings. The compiler calls it on its own thread, without the GIL.
static void collect(void *user, const tdc_diagnostic *diagnostic) {
  if (diagnostic->severity != TDC_WARNING)
    return;
  nb::gil_scoped_acquire gil;
  static_cast<nb::list *>(user)->append(makeDiagnostic(*diagnostic));
}

/// Compiles `text`, or the file `name` if there is no text. Returns the program
/// and the compiler's warnings. Raises tdsl.Error.
static nb::tuple compile(const std::string &name,
                         const std::optional<std::string> &text,
                         const std::optional<std::string> &device,
                         const std::optional<std::string> &placement,
                         const std::optional<std::string> &transferGuard,
                         const std::optional<std::string> &memoryBudget,
                         bool tOps, bool tf32, bool checkNumerics,
                         bool strictNumerics,
                         const std::vector<std::string> &arguments) {
  auto textOf = [](const std::optional<std::string> &value) {
    return value ? value->c_str() : nullptr;
  };
  std::vector<const char *> words;
  for (const std::string &word : arguments)
    words.push_back(word.c_str());
  nb::list warnings;
  tdc_options options = {};
  options.size = sizeof(options);
  options.device = textOf(device);
  options.placement = textOf(placement);
  options.transfer_guard = textOf(transferGuard);
  options.memory_budget = textOf(memoryBudget);
  options.no_t_ops = !tOps;
  options.tf32 = tf32;
  options.check_numerics = checkNumerics;
  options.strict_numerics = strictNumerics;
  options.num_arguments = words.size();
  options.arguments = words.data();
  options.report = collect;
  options.user = &warnings;
  tdc_program *program;
  callOrRaise([&](tdc_error **error) {
    if (text)
      tdc_compile_text(text->data(), text->size(), name.c_str(), &options,
                       &program, error);
    else
      tdc_compile_file(name.c_str(), &options, &program, error);
  });
  return nb::make_tuple(ProgramHandle{Program(program, tdc_program_free)},
                        warnings);
}

void bindProgram(nb::module_ &extension) {
  nb::class_<ProgramHandle>(extension, "Program")
      .def("open",
           [](const ProgramHandle &self) { return openModule(self.program); });
  extension.def("compile", compile, nb::arg("name"), nb::arg("text").none(),
                nb::arg("device").none(), nb::arg("placement").none(),
                nb::arg("transfer_guard").none(),
                nb::arg("memory_budget").none(), nb::arg("t_ops"),
                nb::arg("tf32"), nb::arg("check_numerics"),
                nb::arg("strict_numerics"), nb::arg("arguments"));
}

} // namespace tdsl
