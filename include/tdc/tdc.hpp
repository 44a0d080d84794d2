//===- tdc.hpp - .tdsl programs in a C++17 program of your own ------------===//
//
//   tdc::Module net = tdc::load("net.tdsl").value();  // compiled, has run
//   std::vector<float> x = {0, 0, 1, 0, 0, 1, 1, 1};
//   auto results = net.call("predict", {{x.data(), {4, 2}}}).value();
//   const float *y = results[0].data<float>();
//
// tdc.h with C++'s ownership and without its out parameters; see there for what
// is not said here. Header only: works with and without exceptions, of which it
// throws one, in Expected::value().
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TDC_HPP
#define TDC_TDC_HPP

#include "tdc/tdc.h"
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tdc {

/// What went wrong. A copy is the same error.
class Error {
public:
  /// Takes the error over.
  explicit Error(tdc_error *error) : handle(error, tdc_error_free) {}

  tdc_status status() const { return tdc_error_status(handle.get()); }
  /// The whole text, for a person.
  const char *text() const { return tdc_error_text(handle.get()); }
  size_t size() const { return tdc_error_count(handle.get()); }
  /// Lives as long as a copy of this.
  const tdc_diagnostic &operator[](size_t index) const {
    return *tdc_error_get(handle.get(), index);
  }

private:
  std::shared_ptr<tdc_error> handle;
};

/// A value, or why there is none.
template <class T> class Expected {
public:
  Expected(T value) : held(std::move(value)) {}
  Expected(Error error) : failure(std::move(error)) {}

  explicit operator bool() const { return held.has_value(); }
  /// Only if there is one.
  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }
  /// Only if there is no value.
  const Error &error() const { return *failure; }

  /// Throws std::runtime_error with the error's text if there is none; without
  /// exceptions the program ends.
  T &value() & {
    require();
    return *held;
  }
  T value() && {
    require();
    return std::move(*held);
  }

private:
  void require() const {
    if (held)
      return;
#ifdef __cpp_exceptions
    throw std::runtime_error(failure->text());
#else
    std::fputs(failure->text(), stderr);
    std::abort();
#endif
  }

  std::optional<T> held;
  std::optional<Error> failure;
};

/// Nothing, or why it was not done.
class Status {
public:
  Status() = default;
  Status(Error error) : failure(std::move(error)) {}
  /// Whether it was done.
  explicit operator bool() const { return !failure; }
  const Error &error() const { return *failure; }

private:
  std::optional<Error> failure;
};

/// The dtype that C++ has for a tdc_dtype. There is none for f16 and bf16.
template <class T> struct DTypeOf;
template <>
struct DTypeOf<double> : std::integral_constant<tdc_dtype, TDC_F64> {};
template <>
struct DTypeOf<float> : std::integral_constant<tdc_dtype, TDC_F32> {};
template <>
struct DTypeOf<int64_t> : std::integral_constant<tdc_dtype, TDC_I64> {};
template <>
struct DTypeOf<int32_t> : std::integral_constant<tdc_dtype, TDC_I32> {};
template <>
struct DTypeOf<int16_t> : std::integral_constant<tdc_dtype, TDC_I16> {};
template <>
struct DTypeOf<int8_t> : std::integral_constant<tdc_dtype, TDC_I8> {};
template <>
struct DTypeOf<uint8_t> : std::integral_constant<tdc_dtype, TDC_U8> {};
template <>
struct DTypeOf<bool> : std::integral_constant<tdc_dtype, TDC_BOOL> {};

/// A tensor that the caller has: an input. It points to the caller's elements.
class View {
public:
  /// `data` has as many elements as the shape says, row by row.
  template <class T>
  View(const T *data, std::vector<int64_t> shape)
      : View(data, DTypeOf<T>::value, std::move(shape)) {}
  /// Of any dtype; `strides` are in elements.
  View(const void *data, tdc_dtype dtype, std::vector<int64_t> shape,
       std::vector<int64_t> strides = {})
      : data(data), dtype(dtype), shape(std::move(shape)),
        strides(std::move(strides)) {}

  /// Points into this.
  tdc_tensor get() const {
    return {const_cast<void *>(data), dtype, static_cast<int32_t>(shape.size()),
            shape.data(), strides.empty() ? nullptr : strides.data()};
  }

private:
  const void *data;
  tdc_dtype dtype;
  std::vector<int64_t> shape, strides;
};

/// A tensor that tdc has made, row by row: a result.
class Tensor {
public:
  explicit Tensor(tdc_tensor made) : tensor(made) {}
  Tensor(Tensor &&other) noexcept
      : tensor(std::exchange(other.tensor, tdc_tensor{})) {}
  Tensor &operator=(Tensor &&other) noexcept {
    std::swap(tensor, other.tensor);
    return *this;
  }
  ~Tensor() { tdc_tensor_free(&tensor); }

  tdc_dtype dtype() const { return static_cast<tdc_dtype>(tensor.dtype); }
  std::vector<int64_t> shape() const {
    return {tensor.shape, tensor.shape + tensor.rank};
  }
  /// How many elements.
  int64_t size() const {
    int64_t count = 1;
    for (int32_t i = 0; i < tensor.rank; ++i)
      count *= tensor.shape[i];
    return count;
  }
  /// Null unless the dtype is T's.
  template <class T> T *data() {
    return dtype() == DTypeOf<T>::value ? static_cast<T *>(tensor.data)
                                        : nullptr;
  }
  template <class T> const T *data() const {
    return const_cast<Tensor *>(this)->data<T>();
  }
  /// Belongs to this.
  const tdc_tensor &get() const { return tensor; }
  /// To be an input.
  View view() const { return View(tensor.data, dtype(), shape()); }

private:
  tdc_tensor tensor;
};

/// How to compile; what is empty is not said.
struct Options {
  std::string device, placement, transferGuard, memoryBudget;
  bool noTOps = false, tf32 = false;
  /// As on a command line: "--epochs", "3".
  std::vector<std::string> arguments;
};

/// A program that runs. Movable; calls may come from several threads.
class Module {
public:
  /// Takes both over.
  Module(tdc_program *program, tdc_module *module)
      : program(program, tdc_program_free), module(module, tdc_module_free) {}

  /// Calls an `export fn`.
  Expected<std::vector<Tensor>> call(const char *name,
                                     const std::vector<View> &inputs) const {
    tdc_error *error = nullptr;
    const tdc_function *function;
    if (tdc_find_function(program.get(), name, &function, &error))
      return Error(error);
    std::vector<tdc_tensor> given;
    given.reserve(inputs.size());
    for (const View &input : inputs)
      given.push_back(input.get());
    std::vector<tdc_tensor> made(function->num_outputs);
    if (tdc_call(module.get(), function, given.size(), given.data(),
                 made.size(), made.data(), &error))
      return Error(error);
    std::vector<Tensor> results;
    results.reserve(made.size());
    for (tdc_tensor &tensor : made)
      results.emplace_back(tensor);
    return results;
  }

  /// A copy of a tensor of the state, such as "net.fc1.weight".
  Expected<Tensor> read(const char *name) const {
    tdc_error *error = nullptr;
    tdc_tensor tensor = {};
    if (tdc_state_read(module.get(), name, &tensor, &error))
      return Error(error);
    return Tensor(tensor);
  }
  Status write(const char *name, const View &view) {
    tdc_tensor tensor = view.get();
    return check([&](tdc_error **error) {
      return tdc_state_write(module.get(), name, &tensor, error);
    });
  }

  Status save(const char *path) {
    return check(
        [&](tdc_error **error) { return tdc_save(module.get(), path, error); });
  }
  Status restore(const char *path) {
    return check([&](tdc_error **error) {
      return tdc_restore(module.get(), path, error);
    });
  }

  const tdc_program *getProgram() const { return program.get(); }
  tdc_module *get() const { return module.get(); }

private:
  template <class Work> static Status check(Work work) {
    tdc_error *error = nullptr;
    return work(&error) ? Status(Error(error)) : Status();
  }

  std::unique_ptr<tdc_program, void (*)(tdc_program *)> program;
  std::unique_ptr<tdc_module, void (*)(tdc_module *)> module;
};

namespace detail {

/// Compiles with `compile`, which is one of tdc.h's two ways, and opens.
template <class Compile>
Expected<Module> load(const Options &options, Compile compile) {
  std::vector<const char *> words;
  words.reserve(options.arguments.size());
  for (const std::string &word : options.arguments)
    words.push_back(word.c_str());
  auto text = [](const std::string &value) {
    return value.empty() ? nullptr : value.c_str();
  };
  tdc_options settings = {};
  settings.size = sizeof(settings);
  settings.device = text(options.device);
  settings.placement = text(options.placement);
  settings.transfer_guard = text(options.transferGuard);
  settings.memory_budget = text(options.memoryBudget);
  settings.no_t_ops = options.noTOps;
  settings.tf32 = options.tf32;
  settings.num_arguments = words.size();
  settings.arguments = words.data();
  tdc_error *error = nullptr;
  tdc_program *program;
  tdc_module *module;
  if (compile(&settings, &program, &error))
    return Error(error);
  if (tdc_open(program, &module, &error)) {
    tdc_program_free(program);
    return Error(error);
  }
  return Module(program, module);
}

} // namespace detail

/// Compiles a file and runs its statements, as Python does with a module that
/// is imported.
inline Expected<Module> load(const char *path, const Options &options = {}) {
  return detail::load(
      options, [&](auto... rest) { return tdc_compile_file(path, rest...); });
}

/// The same with text; `name` stands for the file's in messages.
inline Expected<Module> loadText(std::string_view text,
                                 const char *name = "program.tdsl",
                                 const Options &options = {}) {
  return detail::load(options, [&](auto... rest) {
    return tdc_compile_text(text.data(), text.size(), name, rest...);
  });
}

} // namespace tdc

#endif // TDC_TDC_HPP
